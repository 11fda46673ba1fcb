// What is fetched for one certificate, while a request waits.
import type { RevocationPolicy } from '../../core/issuer.ts';
import type { Certificate } from '../x509/certificate.ts';
import { responderOf } from './ocsp.ts';

/** Of its lists, and of its responder if that is asked. */
const MOST_ADDRESSES = 4;

export function asksResponder(certificate: Certificate, { ocsp }: RevocationPolicy): boolean {
  return ocsp !== 'off' && responderOf(certificate) !== undefined;
}

/** The addresses of its lists, in its order, and how many of them are used. */
export function listAddresses(certificate: Certificate, policy: RevocationPolicy) {
  const named = policy.crl === 'off' ? [] : addressesIn(certificate);
  const used = named.slice(0, MOST_ADDRESSES - (asksResponder(certificate, policy) ? 1 : 0));
  return { named, used } as const;
}

/** Control characters are not allowed in an address, nor in the store. */
function addressesIn({ known: { crlDistributionPoints = [] } }: Certificate): readonly string[] {
  const urls = crlDistributionPoints.flatMap(({ names }) =>
    names.flatMap((name) => (name.kind === 'uri' && /^https?:\P{Cc}*$/iu.test(name.value) ? [name.value] : [])),
  );
  return [...new Set(urls)];
}

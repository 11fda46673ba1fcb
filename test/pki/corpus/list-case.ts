// Shared by cases about revocation lists: the checked caller, and the fields of a list.
import type { RevocationCheck } from '../../../src/core/issuer.ts';
import { contextTag } from '../../../src/pki/der/der.ts';
import { write, writeContext, writeSequence } from '../../../src/pki/der/der-write.ts';
import { EXTENSION } from '../../../src/pki/x509/extensions.ts';
import type { Authority, Issued } from '../../authority.ts';
import { extension } from '../../signed-der.ts';
import { approve, CRL_REQUIRED } from '../approved.ts';
import { type Case, issue, ROOT } from './case.ts';
import { count, octets, uri } from './pieces.ts';

export const REVOKED = 'certificate-revoked: crl-revoked';
export const UNKNOWN = 'certificate-revocation-unknown: crl-unknown';

const CALLER = issue();
export const SERIAL = CALLER.serial;
/** A serial number that no certificate of these cases has. */
export const OTHER = octets(7);

export const flag = (number: number): Uint8Array => write(contextTag(number, 'primitive'), octets(0xff));
export const point = (url: string): Uint8Array => writeContext(0, writeContext(0, uri(url)));
export const scope = (...fields: Uint8Array[]): Uint8Array =>
  extension(EXTENSION.issuingDistributionPoint, writeSequence(...fields), true);
export const delta = extension(EXTENSION.deltaCrlIndicator, count(1), true);

export interface ListTold {
  readonly clause: string;
  readonly what: string;
  readonly issued?: Issued;
  readonly issuer?: Authority;
  readonly check?: RevocationCheck;
  readonly lists: readonly Uint8Array[];
  readonly intermediates?: readonly Uint8Array[];
  readonly verdict: string;
}

/** A list is required unless `check` says otherwise. */
export function listCase(told: ListTold): Case {
  const { issued = CALLER, issuer = ROOT, check = 'required', intermediates = [], clause, what, lists, verdict } = told;
  const issuers = [approve(issuer, { intermediates, revocation: { ...CRL_REQUIRED, crl: check } })];
  return { clause: `RFC 5280 ${clause}`, what, chain: issued.chain, key: issued.key, issuers, lists, verdict };
}

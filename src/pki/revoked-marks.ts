// Which certificates the lists at hand revoke, as the marks that grants carry: so that grants end when a list arrives,
// and not when their certificate happens to be presented again.
import type { ApprovedIssuer } from '../core/issuer.ts';
import { type Certificate, certificateMark, readCertificate } from './certificate.ts';
import type { RevocationList } from './crl.ts';
import { whyNotBelieved } from './crl-check.ts';

/** Lazily, for lists may be long: the caller decides how much to look up at a time. */
export function* revokedMarks(
  lists: readonly RevocationList[],
  issuers: readonly ApprovedIssuer[],
): Generator<Uint8Array> {
  for (const authority of issuers.flatMap(authoritiesOf)) {
    for (const list of lists) {
      if (whyNotBelieved(list, [authority])) continue;
      for (const serial of list.revoked) yield certificateMark(authority, Buffer.from(serial, 'hex'));
    }
  }
}

function authoritiesOf({ certificate, intermediates }: ApprovedIssuer): Certificate[] {
  return [certificate, ...intermediates].map(readCertificate).flatMap((read) => (read.ok ? [read.value] : []));
}

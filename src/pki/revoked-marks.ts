// Which certificates the lists at hand revoke, as the marks that grants carry: so that grants end when a list arrives,
// and not when their certificate happens to be presented again.
import type { Hex } from '../core/hex.ts';
import type { ApprovedIssuer } from '../core/issuer.ts';
import { type Certificate, certificateMark } from './certificate.ts';
import type { RevocationList } from './crl.ts';
import { whyNotBelieved } from './crl-check.ts';
import { authoritiesOf } from './read-issuer.ts';

/** Of issuers that mind lists and end grants. Lazily, for lists may be long: the caller decides how much to look up at a time. */
export function* revokedMarks(
  lists: readonly RevocationList[],
  issuers: readonly ApprovedIssuer[],
  sent: readonly { readonly label: string; readonly authority: Certificate }[] = [],
): Generator<Hex> {
  const minding = issuers.filter(({ revocation }) => revocation.crl !== 'off' && revocation.endGrants);
  const known = sent.filter(({ label }) => minding.some((issuer) => issuer.label === label));
  for (const authority of [...minding.flatMap(authoritiesOf), ...known.map(({ authority }) => authority)]) {
    for (const list of lists) {
      if (whyNotBelieved(list, [authority])) continue;
      for (const serial of list.revoked) yield certificateMark(authority, serial);
    }
  }
}

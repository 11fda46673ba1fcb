// Which certificates the lists at hand revoke, as the marks that grants carry: so that grants end when a list arrives,
// and not when their certificate happens to be presented again.
import { hash } from 'node:crypto';
import type { Hex } from '../../core/hex.ts';
import type { ApprovedIssuer } from '../../core/issuer.ts';
import { authoritiesOf } from '../path/read-issuer.ts';
import { type Certificate, certificateMark } from '../x509/certificate.ts';
import type { RevocationList } from './crl.ts';
import { whyNotBelieved } from './crl-check.ts';

/** A list, and the authority whose certificates it revokes. */
export interface RevokingList {
  readonly authority: Certificate;
  readonly list: RevocationList;
}

/** Lists that end grants: of approved issuers that use lists and end grants. `key`: the same for the same list and authority. */
export function revokingLists(
  lists: readonly RevocationList[],
  issuers: readonly ApprovedIssuer[],
  sent: readonly { readonly label: string; readonly authority: Certificate }[] = [],
): (RevokingList & { readonly key: string })[] {
  const ending = issuers.filter(({ enabled, revocation: { crl, endGrants } }) => enabled && crl !== 'off' && endGrants);
  const known = sent.filter(({ label }) => ending.some((issuer) => issuer.label === label));
  const authorities = [...ending.flatMap(authoritiesOf), ...known.map(({ authority }) => authority)];
  return authorities.flatMap((authority) =>
    lists
      .filter((list) => !whyNotBelieved(list, [authority]))
      .map((list) => ({ authority, list, key: keyOf(authority, list) })),
  );
}

/** Lazily, for lists may be long: the caller decides how much to look up at a time. What lists `before` name is left out. */
export function* marksOf({ authority, list }: RevokingList, before: readonly RevocationList[] = []): Generator<Hex> {
  for (const serial of list.revoked) {
    if (!before.some(({ revoked }) => revoked.has(serial))) yield certificateMark(authority, serial);
  }
}

/** A signature belongs to one list. */
function keyOf({ publicKey }: Certificate, { signature }: RevocationList): string {
  return hash('sha256', Buffer.concat([publicKey.spki, signature]));
}

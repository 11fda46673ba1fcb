// The certificates revoked by the current lists, as the certificate marks that grants store. Grants end when a list
// arrives, not when the certificate is presented again.
import { hash } from 'node:crypto';
import type { Hex } from '../../core/hex.ts';
import type { ApprovedIssuer } from '../../core/issuer.ts';
import { authoritiesOf } from '../path/read-issuer.ts';
import { type Certificate, certificateMark } from '../x509/certificate.ts';
import type { RevocationList } from './crl.ts';
import { whyNotTrusted } from './crl-check.ts';

/** A list, and the CA whose certificates it revokes. */
export interface RevokingList {
  readonly authority: Certificate;
  readonly list: RevocationList;
}

/**
 * The lists that end grants: those of approved issuers that use lists and end grants. Equal keys mean the same list and
 * CA.
 */
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
      .filter((list) => !whyNotTrusted(list, [authority]))
      .map((list) => ({ authority, list, key: keyOf(authority, list) })),
  );
}

/**
 * Lazy because lists may be long: the caller decides how much to look up at a time. Skips entries of the `before`
 * lists.
 */
export function* marksOf({ authority, list }: RevokingList, before: readonly RevocationList[] = []): Generator<Hex> {
  for (const serial of list.revoked) {
    if (!before.some(({ revoked }) => revoked.has(serial))) yield certificateMark(authority, serial);
  }
}

/** A signature identifies a list. */
function keyOf({ publicKey }: Certificate, { signature }: RevocationList): string {
  return hash('sha256', Buffer.concat([publicKey.spki, signature]));
}

import type { Outcome } from '../../core/outcome.ts';
import { readPemOrDer } from '../der/pem.ts';
import { type RevocationList, readRevocationList } from './crl.ts';

/** Why a CRL file is unusable; undefined if it is fine. A damaged list must not count as an empty one. */
export function whyNoListFile(file: Uint8Array): string | undefined {
  return whyNoLists(readPemOrDer(file, 'X509 CRL').map(readRevocationList));
}

export function whyNoLists(lists: readonly Outcome<RevocationList, string>[]): string | undefined {
  if (lists.length === 0) return 'it contains no CRL in PEM or DER';
  const unreadable = lists.find((list) => !list.ok);
  return unreadable && !unreadable.ok ? `it contains a damaged CRL: ${unreadable.refusal}` : undefined;
}

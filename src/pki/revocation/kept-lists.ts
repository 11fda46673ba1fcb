// The lists kept for one address.
import type { Outcome } from '../../core/outcome.ts';
import { accept, refused } from '../../core/outcome.ts';
import { sameName } from '../x509/distinguished-name.ts';
import { isOlder, type RevocationList } from './crl.ts';
import { type Kept, NEVER } from './renewal.ts';

export interface KeptLists extends Kept {
  /** One list of each kind, the newest last. If none is trusted, one untrusted list, which provides the reason. */
  readonly lists: readonly ServedList[];
  /** A list without a known signer gives no status, only a reason (crl-check.ts). */
  readonly isTrusted: boolean;
}

export interface ServedList {
  readonly list: RevocationList;
  /** Hash of the file or response that contained the list. */
  readonly mark: string;
}

export const NOTHING: KeptLists = { lists: [], isTrusted: false, renewAt: NEVER, endsAt: NEVER };

const MAX_KINDS = 4;

/**
 * Only a trusted list of the same kind that is not older replaces a trusted list. A delta, or a list of another CA at
 * the same address, does not.
 */
export function withList(kept: KeptLists, served: ServedList): Outcome<KeptLists, string> {
  const trusted = kept.isTrusted ? kept.lists : [];
  const before = trusted.find(({ list }) => isSameKind(list, served.list));
  if (before && isOlder(served.list, before.list)) return refused('it is older than the previous CRL');
  const others = trusted.filter((other) => other !== before);
  if (others.length >= MAX_KINDS) return refused(`the address has served ${MAX_KINDS} other kinds of CRL`);
  const endsAt = served.list.nextUpdate ?? NEVER;
  return accept({ ...kept, lists: [...others, served], isTrusted: true, endsAt });
}

function isSameKind(a: RevocationList, b: RevocationList): boolean {
  const isSameScope = a.scope.only === b.scope.only && a.scope.indirect === b.scope.indirect;
  return a.isDelta === b.isDelta && isSameScope && sameName(a.issuer, b.issuer);
}

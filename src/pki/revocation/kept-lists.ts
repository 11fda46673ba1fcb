// What is kept of the lists that one address served.
import type { Outcome } from '../../core/outcome.ts';
import { accept, refused } from '../../core/outcome.ts';
import { sameName } from '../x509/distinguished-name.ts';
import { isOlder, type RevocationList } from './crl.ts';
import { type Kept, NEVER } from './renewal.ts';

export interface KeptLists extends Kept {
  /** One of each kind, the latest last; where none is believed, one that says why. */
  readonly lists: readonly ServedList[];
  /** A list that nobody known has signed answers nothing, but says why (crl-check.ts). */
  readonly isBelieved: boolean;
}

export interface ServedList {
  readonly list: RevocationList;
  /** Of the contents it came in. */
  readonly mark: string;
}

export const NOTHING: KeptLists = { lists: [], isBelieved: false, renewAt: NEVER, endsAt: NEVER };

const MOST_KINDS = 4;

/**
 * A believed list gives way only to a believed one of its own kind that is not older: neither a delta nor the list of
 * another authority, served at the same address, displaces it.
 */
export function withList(kept: KeptLists, served: ServedList): Outcome<KeptLists, string> {
  const believed = kept.isBelieved ? kept.lists : [];
  const before = believed.find(({ list }) => isSameKind(list, served.list));
  if (before && isOlder(served.list, before.list)) return refused('it is older than the CRL before it');
  const others = believed.filter((other) => other !== before);
  if (others.length >= MOST_KINDS) return refused(`the address has served ${MOST_KINDS} other kinds of CRL`);
  const endsAt = served.list.nextUpdate ?? NEVER;
  return accept({ ...kept, lists: [...others, served], isBelieved: true, endsAt });
}

function isSameKind(a: RevocationList, b: RevocationList): boolean {
  const isSameScope = a.scope.only === b.scope.only && a.scope.indirect === b.scope.indirect;
  return a.isDelta === b.isDelta && isSameScope && sameName(a.issuer, b.issuer);
}

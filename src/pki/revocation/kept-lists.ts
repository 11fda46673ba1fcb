// The lists kept for one address, and how nodes share them.
import type { Outcome } from '../../core/outcome.ts';
import { accept, refused } from '../../core/outcome.ts';
import type { SharedList } from '../../core/shared-list.ts';
import type { EpochSeconds } from '../../core/time.ts';
import type { Exchange } from '../../outbound/shared-download.ts';
import { sameName } from '../x509/distinguished-name.ts';
import { beginOf, isOlder, type RevocationList } from './crl.ts';
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

/** Only a trusted list of the same kind that is valid and not older replaces a trusted list. */
export function withList(kept: KeptLists, served: ServedList, now: EpochSeconds): Outcome<KeptLists, string> {
  const trusted = kept.isTrusted ? kept.lists : [];
  const isOlderThan = ({ list }: ServedList) => isSameKind(list, served.list) && isOlder(served.list, list);
  if (trusted.some((other) => isOlderThan(other) && beginOf(other.list) <= now))
    return refused('it is older than the previous CRL');
  const others = trusted.filter((other) => isOlderThan(other) || !replaces(served.list, other.list, now));
  if (others.length >= MAX_KINDS) return refused(`the address has served ${MAX_KINDS} other kinds of CRL`);
  if (beginOf(served.list) > now) return accept({ ...kept, lists: [served, ...others], isTrusted: true });
  const endsAt = served.list.nextUpdate ?? NEVER;
  return accept({ ...kept, lists: [...others, served], isTrusted: true, endsAt });
}

/** The same for files, whose lists may also be older: which lists stay in force beside the next ones. */
export function stillInForce(
  before: readonly RevocationList[],
  next: readonly RevocationList[],
  now: EpochSeconds,
): RevocationList[] {
  const isSucceeded = (list: RevocationList) => next.some((other) => isSameKind(other, list));
  const isReplaced = (list: RevocationList) => next.some((other) => replaces(other, list, now));
  return before.filter((list) => !next.includes(list) && isSucceeded(list) && !isReplaced(list));
}

/** A list that is not valid yet does not replace one that is. */
function replaces(next: RevocationList, before: RevocationList, now: EpochSeconds): boolean {
  return isSameKind(next, before) && (beginOf(next) <= now || beginOf(before) > now);
}

function isSameKind(a: RevocationList, b: RevocationList): boolean {
  const isSameScope = a.scope.only === b.scope.only && a.scope.indirect === b.scope.indirect;
  return a.isDelta === b.isDelta && isSameScope && sameName(a.issuer, b.issuer);
}

export interface ListExchange extends Omit<Exchange<SharedList>, 'share'> {
  /** A caller of this node has presented a certificate that names the list. */
  named(url: string): void;
  /** Whether a caller of any node has done so within the lifetime of a grant. */
  isWanted(url: string): boolean;
  /** The lists in use; undefined if nothing has changed since the last call, unless `all` is set. */
  news(all: boolean): Promise<readonly SharedList[] | undefined>;
  /** In a buffer that nothing else uses. */
  contents(url: string): Promise<Uint8Array<ArrayBuffer> | undefined>;
  /** Without contents, the stored contents stay. */
  share(news: Omit<SharedList, 'askedAt'>, contents?: Uint8Array): Promise<void>;
}

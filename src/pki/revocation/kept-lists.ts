// The lists kept for one address, and how nodes share them.
import { accept, type Outcome, refused } from '../../core/outcome.ts';
import type { SharedList } from '../../core/shared-download.ts';
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

const NOTHING: KeptLists = { lists: [], isTrusted: false, renewAt: NEVER, endsAt: NEVER };

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

export interface ListLimits {
  readonly listBytes: number;
  readonly addressesPerIssuer: number;
  readonly totalBytes: number;
  readonly issuers: number;
}

/** What a list needs in memory besides its own size. */
const OVERHEAD_BYTES = 4096;

/** The lists in memory by address: for which issuers they are kept, and which are dropped at a limit. */
export class ListStock {
  readonly #limits: () => ListLimits;
  /** The list that was not needed for the longest time first. */
  readonly #kept = new Map<string, KeptLists>();
  /** Addresses that callers of this node named, and the approved issuers of these callers. All of them are kept. */
  readonly #named = new Map<string, Set<string>>();
  /** How many verdicts wait for a list. */
  readonly #awaited = new Map<string, number>();

  constructor(limits: () => ListLimits) {
    this.#limits = limits;
  }

  get all(): readonly (readonly [url: string, kept: KeptLists])[] {
    return [...this.#kept];
  }

  has(url: string): boolean {
    return this.#kept.has(url);
  }

  get(url: string): KeptLists {
    return this.#kept.get(url) ?? NOTHING;
  }

  set(url: string, kept: KeptLists): void {
    this.#kept.set(url, kept);
  }

  delete(url: string): void {
    this.#kept.delete(url);
    this.#named.delete(url);
  }

  /** The issuers whose callers named the address on this node. The first is its owner: the address counts for it. */
  namedBy(url: string): ReadonlySet<string> | undefined {
    return this.#named.get(url);
  }

  /** A caller of this issuer needs the list. */
  name(url: string, label: string): KeptLists {
    const kept = this.get(url);
    this.#kept.delete(url);
    this.#kept.set(url, kept);
    this.#named.set(url, (this.#named.get(url) ?? new Set<string>()).add(label));
    return kept;
  }

  /** These lists are not dropped until the returned function is called. */
  hold(urls: readonly string[]): () => void {
    const count = (url: string) => this.#awaited.get(url) ?? 0;
    for (const url of urls) this.#awaited.set(url, count(url) + 1);
    return () => {
      for (const url of urls) this.#awaited.set(url, count(url) - 1);
      for (const url of urls) if (count(url) <= 0) this.#awaited.delete(url);
    };
  }

  /** Whether the address is kept, or a list of this size fits: one that no caller of this node named displaces no other. */
  hasRoom(url: string, octets: number): boolean {
    if (this.#kept.has(url)) return true;
    const { addressesPerIssuer, totalBytes, issuers } = this.#limits();
    const bytes = this.#bytesOf(this.#kept.keys()) + octets + OVERHEAD_BYTES;
    return this.#kept.size < addressesPerIssuer * issuers && bytes <= totalBytes;
  }

  /** What to drop next if a limit is exceeded. Lists that a verdict waits for stay. */
  get surplus(): { readonly dropped: string; readonly limit: string } | undefined {
    const { addressesPerIssuer, totalBytes } = this.#limits();
    const byOwner = [...Map.groupBy(this.#kept.keys(), (url) => this.#named.get(url)?.values().next().value)];
    const isSpare = (url: string) => !this.#awaited.has(url);
    const hasList = (url: string) => this.get(url).lists.length > 0;
    for (const [owner, urls] of byOwner) {
      const spare = owner !== undefined && urls.length > addressesPerIssuer ? urls.filter(isSpare) : [];
      const dropped = spare.find((url) => !hasList(url)) ?? spare[0];
      if (dropped !== undefined) return { dropped, limit: tooMany('addressesPerIssuer', addressesPerIssuer) };
    }
    if (this.#bytesOf(this.#kept.keys()) <= totalBytes) return undefined;
    // Lists that only callers of other nodes named go first. Then the issuer with the most octets gives way, so that none can
    // displace the lists of the others.
    const shares = byOwner.map(([owner, urls]) => ({
      spare: urls.filter((url) => hasList(url) && isSpare(url)),
      bytes: owner === undefined ? Number.POSITIVE_INFINITY : this.#bytesOf(urls),
    }));
    const [largest] = shares.filter(({ spare }) => spare.length > 0).sort((a, b) => b.bytes - a.bytes);
    const dropped = largest?.spare[0];
    return dropped === undefined ? undefined : { dropped, limit: tooMany('totalBytes', totalBytes) };
  }

  #bytesOf(urls: Iterable<string>): number {
    let sum = 0;
    for (const url of urls)
      for (const { list } of this.get(url).lists) sum += list.toBeSigned.whole.length + OVERHEAD_BYTES;
    return sum;
  }
}

function tooMany(setting: string, most: number): string {
  return `certificates name more revocation lists than revocation.${setting} (${most}) allows`;
}

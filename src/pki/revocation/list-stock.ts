// The lists in memory by address: for which issuers they are kept, and which are dropped at a limit.
import { type KeptLists, NOTHING } from './kept-lists.ts';

export interface ListLimits {
  readonly listBytes: number;
  readonly addressesPerIssuer: number;
  readonly totalBytes: number;
  readonly issuers: number;
}

/** What a list needs in memory besides its own size. */
const OVERHEAD_BYTES = 4096;

interface Drop {
  readonly dropped: string;
  readonly limit: string;
}

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
  get surplus(): Drop | undefined {
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

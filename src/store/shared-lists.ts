import { hash } from 'node:crypto';
import type { Integration } from '../core/integration.ts';
import { type Settings, settingsFor } from '../core/settings.ts';
import type { SharedKeySet, SharedList } from '../core/shared-download.ts';
import { after, type EpochSeconds, epochSeconds, later, type Seconds, seconds } from '../core/time.ts';
import { fetchByOne } from './lease.ts';
import { rows } from './pages.ts';
import { type Store, type StorePort, writeRow } from './store.ts';
import { keySets, listContents, revocationLists } from './tables/revocation-lists.ts';

interface ListPorts {
  readonly store: Store;
  readonly registry: { readonly integrations: readonly Integration[] };
  readonly settings: Settings;
  readonly clock: { readonly now: () => EpochSeconds };
}

/** How often `askedAt` is shared with other nodes. */
const DAY = seconds(86_400);
const NEVER = epochSeconds(0);

/** Shares revocation lists through the store: one node fetches, all read. */
export class SharedLists {
  readonly #ports: ListPorts;
  /** When callers of this node last asked for a list. */
  readonly #asked = new Map<string, EpochSeconds>();
  #known = new Map<string, SharedList>();
  #stamp = '';

  constructor(ports: ListPorts) {
    this.#ports = ports;
  }

  named(url: string): void {
    this.#asked.set(url, this.#ports.clock.now());
  }

  /** A list is followed as long as a grant from a certificate that names it may live. */
  isWanted(url: string): boolean {
    const askedAt = later(this.#asked.get(url) ?? NEVER, this.#known.get(url)?.askedAt ?? NEVER);
    return this.#ports.clock.now() < after(askedAt, longestGrant(this.#ports));
  }

  async news(all: boolean): Promise<readonly SharedList[] | undefined> {
    const { store } = this.#ports;
    await this.#shareAsked();
    const stamp = await store.stamp(revocationLists);
    if (stamp === this.#stamp && !all) return undefined;
    const lists = await Array.fromAsync(rows(store, revocationLists));
    this.#known = new Map(lists.map((list) => [list.url, list]));
    this.#stamp = stamp;
    return [...this.#known.values()].filter(({ url }) => this.isWanted(url));
  }

  async find(url: string): Promise<SharedList | undefined> {
    const found = (await this.#ports.store.load(revocationLists, url)).found?.row;
    if (found) this.#known.set(url, found);
    return found;
  }

  contents(url: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return loadContents(this.#ports.store, url);
  }

  byOne(url: string, work: () => Promise<unknown>): Promise<boolean> {
    return fetchByOne(`list ${hash('sha256', url)}`, work, this.#ports.store);
  }

  /** Writes the contents first, so that a node that reads the news finds them. */
  async share(news: Omit<SharedList, 'askedAt'>, contents?: Uint8Array): Promise<void> {
    const { store } = this.#ports;
    const { url, checkedAt, mark: ofContents } = news;
    if (contents) await storeContents(store, { url, mark: ofContents, fetchedAt: checkedAt, contents });
    const asked = this.#asked.get(url) ?? this.#known.get(url)?.askedAt ?? checkedAt;
    await writeRow(store, revocationLists, url, (row) => {
      const mark = news.mark ?? row?.mark;
      return { ...news, askedAt: later(asked, row?.askedAt ?? NEVER), ...(mark !== undefined && { mark }) };
    });
  }

  async #shareAsked(): Promise<void> {
    for (const [url, askedAt] of this.#asked) {
      const known = this.#known.get(url);
      if (!known || askedAt < after(known.askedAt, DAY)) continue;
      await writeRow(this.#ports.store, revocationLists, url, (row) =>
        row && row.askedAt < askedAt ? { ...row, askedAt } : undefined,
      );
      this.#known.set(url, { ...known, askedAt });
    }
  }
}

function longestGrant({ registry, settings }: ListPorts): Seconds {
  const lifetimes = registry.integrations.map((integration) => settingsFor(integration, settings).grantLifetime);
  return seconds(Math.max(settings.grantLifetime, ...lifetimes));
}

// Stores the contents of revocation lists. Large ones are in parts, a row each: a row is one step on the event loop.

const PART_OCTETS = 256 * 1024;
/** The largest that `revocation.listBytes` allows. */
const MAX_OCTETS = 1024 ** 3;
/** Parts that have not changed are written again before they are swept (sweep.ts). */
const FRESH = seconds(10 * 86_400);

/** Written last, and its parts into the unused slot: if the writer dies, readers find the previous list whole. */
interface Index {
  readonly mark: string;
  readonly slot: 0 | 1;
  readonly octets: number;
}

export interface Contents {
  readonly url: string;
  readonly mark: string | undefined;
  readonly fetchedAt: EpochSeconds;
  readonly contents: Uint8Array;
}

export async function storeContents(store: Store, { url, mark, fetchedAt, contents }: Contents): Promise<void> {
  if (contents.length <= PART_OCTETS || mark === undefined) return void (await write(store, url, fetchedAt, contents));
  const { found } = await store.load(listContents, url);
  const before = found && readIndex(found.row.contents);
  if (before?.mark === mark && fetchedAt < after(found?.row.fetchedAt ?? fetchedAt, FRESH)) return;
  const index: Index = { mark, slot: before?.slot === 0 ? 1 : 0, octets: contents.length };
  for (let part = 0; part < partsOf(index); part++) {
    const octets = contents.subarray(part * PART_OCTETS, (part + 1) * PART_OCTETS);
    await write(store, partName(url, index, part), fetchedAt, octets);
  }
  await write(store, url, fetchedAt, Buffer.from(JSON.stringify(index)));
}

/** Undefined if there are none, or if they were replaced while they were read. */
export async function loadContents(store: Store, url: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const row = await read(store, url);
  const index = row && readIndex(row);
  if (!index) return row && new Uint8Array(row);
  const contents = new Uint8Array(index.octets);
  for (let part = 0; part < partsOf(index); part++) {
    const octets = await read(store, partName(url, index, part));
    if (octets?.length !== Math.min(PART_OCTETS, index.octets - part * PART_OCTETS)) return undefined;
    contents.set(octets, part * PART_OCTETS);
  }
  const now = await read(store, url);
  return now && readIndex(now)?.mark === index.mark ? contents : undefined;
}

async function read(store: Store, name: string): Promise<Uint8Array | undefined> {
  return (await store.load(listContents, name)).found?.row.contents;
}

function write(store: Store, url: string, fetchedAt: EpochSeconds, contents: Uint8Array): Promise<unknown> {
  return writeRow(store, listContents, url, () => ({ url, fetchedAt, contents }));
}

/** Addresses of lists begin with http, so no list can have the name of a part. */
function partName(url: string, { slot }: Index, part: number): string {
  return `part ${part} ${slot === 0 ? 'a' : 'b'} of ${url}`;
}

function partsOf({ octets }: Index): number {
  return Math.ceil(octets / PART_OCTETS);
}

const BRACE = 0x7b;
const MAX_INDEX_OCTETS = 256;

/** Undefined if the row contains the list itself, which is DER or PEM. */
function readIndex(row: Uint8Array): Index | undefined {
  if (row[0] !== BRACE || row.length > MAX_INDEX_OCTETS) return undefined;
  try {
    const { mark, slot, octets } = JSON.parse(Buffer.from(row).toString('utf8')) as Partial<Index>;
    const isSize = Number.isSafeInteger(octets) && Number(octets) > 0 && Number(octets) <= MAX_OCTETS;
    return typeof mark === 'string' && isSize ? { mark, slot: slot === 1 ? 1 : 0, octets: Number(octets) } : undefined;
  } catch {
    return undefined;
  }
}

/** Shares the keys of token issuers through the store: one node fetches, all read. */
export function sharedKeySets({ store }: StorePort) {
  return {
    find: async (name: string) => (await store.load(keySets, name)).found?.row,
    byOne: (name: string, work: () => Promise<unknown>) => fetchByOne(`keys ${name}`, work, store),
    share: async (next: SharedKeySet) => void (await writeRow(store, keySets, next.name, () => next)),
  };
}

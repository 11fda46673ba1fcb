// Stores the contents of revocation lists. Large ones are in parts, a row each: a row is one step on the event loop.
import { after, type EpochSeconds, seconds } from '../core/time.ts';
import type { Store } from './store.ts';
import { listContents } from './tables/list-contents.ts';

export const PART_OCTETS = 256 * 1024;
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
  if (contents.length <= PART_OCTETS || mark === undefined) return write(store, url, fetchedAt, contents);
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

function write(store: Store, url: string, fetchedAt: EpochSeconds, contents: Uint8Array): Promise<void> {
  return store.change(listContents, url, () => ({ outcome: undefined, next: { url, fetchedAt, contents } }));
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

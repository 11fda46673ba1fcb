// Parses lists. Large ones are hashed, scanned and verified in a worker thread: a million entries take a second.
// This file is both sides of that thread.
import { hash } from 'node:crypto';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type Outcome, refused } from '../../core/outcome.ts';
import { tryRead } from '../der/der.ts';
import { readPemOrDer } from '../der/pem.ts';
import { readAll } from '../path/read-issuer.ts';
import type { Certificate } from '../x509/certificate.ts';
import { sameName } from '../x509/distinguished-name.ts';
import { isSignedBy } from '../x509/signed.ts';
import { type RevocationList, readRevocationList, readScanned, scanList, unreadable } from './crl.ts';
import { rememberSignature } from './crl-check.ts';
import type { ScannedEntries } from './crl-entries.ts';

export interface ReadContents<List = Outcome<RevocationList, string>> {
  readonly contents: Uint8Array<ArrayBuffer>;
  /** SHA-256 of the contents. */
  readonly mark: string;
  readonly lists: readonly List[];
}

/** Plain data that is transferred between threads without a copy. */
interface ThreadList {
  readonly der: Uint8Array<ArrayBuffer>;
  readonly scanned?: ScannedEntries;
  readonly refusal?: string;
  /** Keys (SPKI) of the CAs with the list's issuer name, and whether each has signed it. */
  readonly signatures: readonly { readonly spki: Uint8Array; readonly signed: boolean }[];
}

interface Work {
  readonly tesseraList: Uint8Array<ArrayBuffer>;
  readonly authorities: readonly Uint8Array[];
  /** Hashes of contents that need not be parsed. */
  readonly held: readonly string[];
}

/** Smaller lists are parsed directly: starting a thread would take longer. */
const SMALL = 256 * 1024;
const MAX_MS = 60_000;

export class ListReader {
  /** One thread at a time: each may need twice the memory of its list. */
  #before: Promise<unknown> = Promise.resolve();

  /** Use the contents of the result: those given are transferred. `held`: hashes of contents that are not parsed. */
  async read(
    contents: Uint8Array<ArrayBuffer>,
    authorities: readonly Certificate[],
    held: readonly string[] = [],
  ): Promise<ReadContents> {
    if (contents.length <= SMALL) return readSmall(contents, held);
    const own = contents.buffer.byteLength === contents.length ? contents : new Uint8Array(contents);
    const work = { tesseraList: own, authorities: authorities.map(({ der }) => der), held };
    const reading = this.#before.then(() => scanInThread(work));
    this.#before = reading.catch(() => undefined);
    const { lists, ...rest } = await reading;
    return { ...rest, lists: lists.map(attach) };
  }
}

function readSmall(contents: Uint8Array<ArrayBuffer>, held: readonly string[]): ReadContents {
  const mark = hash('sha256', contents);
  const isHeld = held.includes(mark);
  return { contents, mark, lists: isHeld ? [] : readPemOrDer(contents, 'X509 CRL').map(readRevocationList) };
}

function attach({ der, scanned, refusal, signatures }: ThreadList): Outcome<RevocationList, string> {
  if (refusal !== undefined) return refused(refusal);
  const list = readScanned(der, scanned);
  if (list.ok) for (const { spki, signed } of signatures) rememberSignature(list.value, spki, signed);
  return list;
}

/** Why a CRL file is unusable; undefined if it is fine. A damaged list must not count as an empty one. */
export function whyNoListFile(file: Uint8Array): string | undefined {
  return whyNoLists(readPemOrDer(file, 'X509 CRL').map(readRevocationList));
}

export function whyNoLists(lists: readonly Outcome<RevocationList, string>[]): string | undefined {
  if (lists.length === 0) return 'it contains no CRL in PEM or DER';
  const unreadable = lists.find((list) => !list.ok);
  return unreadable && !unreadable.ok ? `it contains a damaged CRL: ${unreadable.refusal}` : undefined;
}

/** Transfers the contents to the thread; they come back with the result. */
function scanInThread(work: Work): Promise<ReadContents<ThreadList>> {
  const transferList = [work.tesseraList.buffer];
  const thread = new Worker(new URL(import.meta.url), { workerData: work, transferList });
  return new Promise<ReadContents<ThreadList>>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`it took longer than ${MAX_MS / 1000} s`)), MAX_MS);
    thread.once('message', resolve).once('error', reject);
    thread.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`the thread ended with ${code}`));
    });
  }).finally(() => void thread.terminate());
}

/** The code that runs in the thread. */
function scanContents({ tesseraList: contents, authorities, held }: Work): ReadContents<ThreadList> {
  const mark = hash('sha256', contents);
  const found = held.includes(mark) ? [] : readPemOrDer(contents, 'X509 CRL');
  return { contents, mark, lists: found.map((der) => scanOne(der as Uint8Array<ArrayBuffer>, authorities)) };
}

function scanOne(der: Uint8Array<ArrayBuffer>, authorities: readonly Uint8Array[]): ThreadList {
  const scanned = tryRead(() => scanList(der));
  if (!scanned.ok) return { der, refusal: unreadable(scanned.refusal), signatures: [] };
  const list = readScanned(der, scanned.value);
  if (!list.ok) return { der, scanned: scanned.value, signatures: [] };
  const named = readAll(authorities).filter(({ subject }) => sameName(subject, list.value.issuer));
  const signatures = named.map(({ publicKey: key }) => ({ spki: key.spki, signed: isSignedBy(list.value, key) }));
  return { der, scanned: scanned.value, signatures };
}

function transfersOf({ contents, lists }: ReadContents<ThreadList>): ArrayBuffer[] {
  const tables = lists.flatMap(({ scanned }) =>
    scanned ? [scanned.own.slots, ...scanned.others.map(({ table }) => table.slots)] : [],
  );
  return [...new Set([contents, ...lists.map(({ der }) => der), ...tables].map(({ buffer }) => buffer))];
}

if (!isMainThread && workerData?.tesseraList) {
  const answer = scanContents(workerData as Work);
  parentPort?.postMessage(answer, transfersOf(answer));
}

// Hashes, scans and verifies large CRLs in a worker thread: a million entries take a second, which would delay
// requests. The thread ends when it is done.
import { hash } from 'node:crypto';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { MalformedDer } from '../der/der.ts';
import { readPemOrDer } from '../der/pem.ts';
import { readAll } from '../path/read-issuer.ts';
import { sameName } from '../x509/distinguished-name.ts';
import { isSignedBy } from '../x509/signed.ts';
import { readScanned, scanList } from './crl.ts';
import type { ScannedEntries } from './crl-entries.ts';

/** Plain data that is transferred between threads without a copy. */
export interface ThreadAnswer {
  readonly contents: Uint8Array<ArrayBuffer>;
  /** SHA-256 of the contents. */
  readonly mark: string;
  readonly lists: readonly ThreadList[];
}

export interface ThreadList {
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

const MAX_MS = 60_000;

/** Transfers `contents` to the thread; they come back with the result. */
export function scanInThread(
  contents: Uint8Array<ArrayBuffer>,
  authorities: readonly Uint8Array[],
  held: readonly string[],
): Promise<ThreadAnswer> {
  const work: Work = { tesseraList: contents, authorities, held };
  const thread = new Worker(new URL(import.meta.url), { workerData: work, transferList: [contents.buffer] });
  return new Promise<ThreadAnswer>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`it took longer than ${MAX_MS / 1000} s`)), MAX_MS);
    thread.once('message', resolve).once('error', reject);
    thread.once('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`the thread ended with ${code}`));
    });
  }).finally(() => void thread.terminate());
}

/** The code that runs in the thread. */
function scanContents({ tesseraList: contents, authorities, held }: Work): ThreadAnswer {
  const mark = hash('sha256', contents);
  if (held.includes(mark)) return { contents, mark, lists: [] };
  const lists = readPemOrDer(contents, 'X509 CRL').map((der) => scanOne(der as Uint8Array<ArrayBuffer>, authorities));
  return { contents, mark, lists };
}

function scanOne(der: Uint8Array<ArrayBuffer>, authorities: readonly Uint8Array[]): ThreadList {
  try {
    const scanned = scanList(der);
    return { der, scanned, signatures: signaturesOf(der, scanned, authorities) };
  } catch (problem) {
    if (!(problem instanceof MalformedDer)) throw problem;
    return { der, refusal: `the CRL cannot be read: ${problem.message}`, signatures: [] };
  }
}

function signaturesOf(
  der: Uint8Array,
  scanned: ScannedEntries,
  authorities: readonly Uint8Array[],
): ThreadList['signatures'] {
  const list = readScanned(der, scanned);
  if (!list.ok) return [];
  const named = readAll(authorities).filter(({ subject }) => sameName(subject, list.value.issuer));
  return named.map(({ publicKey }) => ({ spki: publicKey.spki, signed: isSignedBy(list.value, publicKey) }));
}

function transfersOf({ contents, lists }: ThreadAnswer): ArrayBuffer[] {
  const tables = lists.flatMap(({ scanned }) =>
    scanned ? [scanned.own.slots, ...scanned.others.map(({ table }) => table.slots)] : [],
  );
  return [...new Set([contents, ...lists.map(({ der }) => der), ...tables].map(({ buffer }) => buffer))];
}

if (!isMainThread && workerData?.tesseraList) {
  const answer = scanContents(workerData as Work);
  parentPort?.postMessage(answer, transfersOf(answer));
}

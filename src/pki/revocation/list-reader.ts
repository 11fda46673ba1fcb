// Parses lists from a file, the network or the store.
import { hash } from 'node:crypto';
import { type Outcome, refused } from '../../core/outcome.ts';
import { readPemOrDer } from '../der/pem.ts';
import type { Certificate } from '../x509/certificate.ts';
import { type RevocationList, readRevocationList, readScanned } from './crl.ts';
import { rememberSignature } from './crl-check.ts';
import { scanInThread, type ThreadList } from './list-thread.ts';

export interface ReadContents {
  readonly contents: Uint8Array<ArrayBuffer>;
  /** SHA-256 of the contents. */
  readonly mark: string;
  readonly lists: readonly Outcome<RevocationList, string>[];
}

/** Smaller lists are parsed directly: starting a thread would take longer. */
const SMALL = 256 * 1024;

export class ListReader {
  /** One thread at a time: each may need twice the memory of its list. */
  #before: Promise<unknown> = Promise.resolve();

  /**
   * `contents` must not be used after the call; use those of the result, which are the same octets. `authorities`: the
   * CAs whose signatures are checked as well. `held`: hashes of contents that need not be parsed again; the result then
   * has no lists.
   */
  async read(
    contents: Uint8Array<ArrayBuffer>,
    authorities: readonly Certificate[],
    held: readonly string[] = [],
  ): Promise<ReadContents> {
    if (contents.length <= SMALL) return readSmall(contents, held);
    const own = contents.buffer.byteLength === contents.length ? contents : new Uint8Array(contents);
    const reading = this.#before.then(() =>
      scanInThread(
        own,
        authorities.map(({ der }) => der),
        held,
      ),
    );
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

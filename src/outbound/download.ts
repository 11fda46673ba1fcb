// A bounded download from an untrusted address.
import { setTimeout as sleep } from 'node:timers/promises';
import { accept, type Outcome, refused } from '../core/outcome.ts';

/** Large downloads share 32 MB per second, in pieces every few milliseconds: fast servers cannot keep the event loop busy. */
const REST_BYTES = 256 * 1024;
const REST_MS = 8;
let nextPieceAt = 0;

function itsTurn(): Promise<void> {
  const now = performance.now();
  nextPieceAt = Math.max(now, nextPieceAt) + REST_MS;
  return sleep(nextPieceAt - now);
}

export interface FetchInit {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array<ArrayBuffer>;
  /** Addresses and networks off the public internet that this request may contact. */
  readonly allowed?: readonly string[];
  /** PEM: if present, the only authorities that are trusted for TLS. */
  readonly authorities?: string;
  readonly redirect: 'error';
  readonly signal: AbortSignal;
}

/** The part of a Response in use. A real one would load the client behind `fetch`, which stops the event loop for a tenth of a second. */
export interface Fetched {
  readonly ok: boolean;
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>> | null;
}

export type Fetch = (url: string, init: FetchInit) => Promise<Fetched>;

export interface Download extends Omit<FetchInit, 'signal' | 'redirect'> {
  readonly maxBytes: number;
  /** Time limit for everything, from name lookup to the last octet of the body. */
  readonly withinMs: number;
}

/** Returns the body, or why there is none. A download that is too large or too slow is aborted. */
export async function download(
  fetch: Fetch,
  url: string,
  { maxBytes, withinMs, ...init }: Download,
): Promise<Outcome<Uint8Array<ArrayBuffer>, string>> {
  if (!/^https?:\/\//i.test(url)) return refused('the address is not http or https');
  // Not AbortSignal.timeout(): its target may be garbage collected before it fires.
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(new Error(`it took longer than ${withinMs / 1000} s`)), withinMs);
  try {
    const { signal } = deadline;
    const response = await Promise.race([fetch(url, { ...init, redirect: 'error', signal }), whenAborted(signal)]);
    if (!response.ok) return refused(`the response is HTTP ${response.status}`);
    return await readBounded(response, maxBytes, deadline.signal);
  } catch (problem) {
    const { message } = (deadline.signal.aborted ? deadline.signal.reason : problem) as Error;
    return refused(`no response: ${message}`);
  } finally {
    clearTimeout(timer);
    deadline.abort();
  }
}

/** For operations that take no signal, such as name lookup. */
function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
}

async function readBounded(
  response: Fetched,
  most: number,
  signal: AbortSignal,
): Promise<Outcome<Uint8Array<ArrayBuffer>, string>> {
  const tooLarge = refused(tooLargeFor(most));
  if (Number(response.headers.get('content-length')) > most) return tooLarge;
  // It grows in place, so that the data is in memory only once.
  const buffer = new ArrayBuffer(0, { maxByteLength: most });
  let unrested = 0;
  const reader = response.body?.getReader();
  const stop = () => void reader?.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener('abort', stop);
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    const length = buffer.byteLength;
    if (length + part.value.length > most) return tooLarge;
    buffer.resize(length + part.value.length);
    new Uint8Array(buffer).set(part.value, length);
    unrested += part.value.length;
    if (unrested < REST_BYTES) continue;
    unrested = 0;
    await itsTurn();
  }
  signal.throwIfAborted();
  return accept(new Uint8Array(buffer.transferToFixedLength()));
}

export function tooLargeFor(most: number): string {
  return `it has more than ${most} octets`;
}

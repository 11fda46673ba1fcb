// One bounded download: of anything whose address somebody else wrote.
import { setTimeout as sleep } from 'node:timers/promises';
import { accept, type Outcome, refused } from '../core/outcome.ts';

/**
 * Large downloads share a rate of 32 MB a second between them, a piece every few milliseconds: a quick server, or several,
 * must not keep the event loop busy.
 */
const REST_BYTES = 256 * 1024;
const REST_MS = 8;
const STEP = 1024 * 1024;
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
  /** Addresses and networks beyond the public internet that this request may go to. */
  readonly allowed?: readonly string[];
  readonly redirect: 'error';
  readonly signal: AbortSignal;
}

export type Fetch = (url: string, init: FetchInit) => Promise<Response>;

export interface Download extends Omit<FetchInit, 'signal' | 'redirect'> {
  readonly mostBytes: number;
  /** From the first look at the address to the last octet of the answer. */
  readonly withinMs: number;
}

/** Answers with the body, or with why there is none; what is too large or too slow is given up while it comes in. */
export async function download(
  fetch: Fetch,
  url: string,
  { mostBytes, withinMs, ...init }: Download,
): Promise<Outcome<Uint8Array<ArrayBuffer>, string>> {
  if (!/^https?:\/\//i.test(url)) return refused('the address is not one of http');
  // Not AbortSignal.timeout(): what it cancels could be collected before its time.
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(new Error(`it took longer than ${withinMs / 1000} s`)), withinMs);
  try {
    const { signal } = patience;
    const response = await Promise.race([fetch(url, { ...init, redirect: 'error', signal }), whenAborted(signal)]);
    if (!response.ok) return refused(`the answer is HTTP ${response.status}`);
    return await readBounded(response, mostBytes, patience.signal);
  } catch (problem) {
    return refused(`there is no answer: ${wordsOf(patience.signal.aborted ? patience.signal.reason : problem)}`);
  } finally {
    clearTimeout(timer);
    patience.abort();
  }
}

/** For what takes no signal, such as the lookup of a name. */
function whenAborted(signal: AbortSignal): Promise<never> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  aborted.catch(() => undefined);
  return aborted;
}

async function readBounded(
  response: Response,
  most: number,
  signal: AbortSignal,
): Promise<Outcome<Uint8Array<ArrayBuffer>, string>> {
  const tooLarge = refused(tooLargeFor(most));
  if (Number(response.headers.get('content-length') ?? 0) > most) return tooLarge;
  const body = new GrowingBytes(most);
  let unrested = 0;
  const reader = response.body?.getReader();
  const stop = () => void reader?.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener('abort', stop, { once: true });
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    if (!body.add(part.value)) return tooLarge;
    unrested += part.value.length;
    if (unrested < REST_BYTES) continue;
    unrested = 0;
    await itsTurn();
  }
  signal.throwIfAborted();
  return accept(body.take());
}

/** Octets in one piece that grows in place: what comes in is in memory once. */
class GrowingBytes {
  readonly #buffer: ArrayBuffer;
  #length = 0;

  constructor(most: number) {
    this.#buffer = new ArrayBuffer(0, { maxByteLength: most });
  }

  /** Says whether there was room. */
  add(chunk: Uint8Array): boolean {
    const length = this.#length + chunk.length;
    if (length > this.#buffer.maxByteLength) return false;
    if (length > this.#buffer.byteLength) {
      this.#buffer.resize(Math.min(Math.max(length, this.#buffer.byteLength + STEP), this.#buffer.maxByteLength));
    }
    new Uint8Array(this.#buffer).set(chunk, this.#length);
    this.#length = length;
    return true;
  }

  take(): Uint8Array<ArrayBuffer> {
    this.#buffer.resize(this.#length);
    return new Uint8Array(this.#buffer.transferToFixedLength());
  }
}

export function tooLargeFor(most: number): string {
  return `it has more than ${most} octets`;
}

/** What fetch throws says little; its cause says more. */
function wordsOf(problem: unknown): string {
  const { message, cause } = problem as Error;
  return cause instanceof Error ? cause.message : message;
}

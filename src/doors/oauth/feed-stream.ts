// One stream of the revocation feed (server-sent events). It has at most one write under way, and reads the next batch when
// the connection has taken the last. A follower that does not read is disconnected; it resumes at the last cursor that it has seen.
import type { ServerResponse } from 'node:http';
import { exchangeOf } from '../http/answers.ts';

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-accel-buffering': 'no', // nginx would hold entries back
};
const START = Buffer.from('retry: 1000\n:\n\n');
/** How long a follower may take to read what it was sent. */
const READ_MS = 10_000;

export class FeedStream {
  /** After the follower sent its request (`performance.now`). */
  readonly began = performance.now();
  readonly #response: ServerResponse;
  readonly #until: number;
  readonly #ending = new AbortController();
  #isClosed = false;
  /** Of the write under way: when it began, and what waits for it. */
  #sendingSince: number | undefined;
  #sent: (() => void) | undefined;

  constructor(response: ServerResponse, longestMs: number) {
    this.#response = response;
    this.#until = this.began + longestMs;
    this.#ending.signal.addEventListener('abort', () => this.#sent?.());
    response.once('close', () => {
      this.#isClosed = true;
      this.end();
    });
    response.once('error', () => this.end());
    if (response.destroyed) this.end(); // while the request was checked
  }

  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** What was sent so far still arrives. */
  end(): void {
    this.#ending.abort();
  }

  async run(send: () => Promise<void>): Promise<void> {
    try {
      this.#response.shouldKeepAlive = false; // the connection ends with the stream; HTTP/2 ignores it
      this.#response.writeHead(200, HEADERS);
      await this.write(START);
      await send();
      this.#finish();
    } catch {
      this.#disconnect(); // the store is away
    } finally {
      this.end();
    }
  }

  /** A follower that does not read would never let the stream end. */
  #finish(): void {
    if (this.#isClosed) return;
    const late = setTimeout(() => this.#disconnect(), READ_MS).unref();
    this.#response.once('close', () => clearTimeout(late));
    this.#response.end();
  }

  /** Resolves when the connection has taken the bytes, or the stream has ended. One at a time. */
  async write(bytes: Buffer): Promise<void> {
    if (this.ending.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#sent = resolve;
    this.#sendingSince = performance.now();
    this.#response.write(bytes, (fault) => {
      this.#sendingSince = undefined;
      if (fault) this.end();
      resolve();
    });
    await promise;
  }

  /** Cuts the stream if its follower does not read, and ends it if it is too old. */
  look(now: number): void {
    const isDeaf = this.#sendingSince !== undefined && now - this.#sendingSince >= READ_MS;
    if (isDeaf) this.#disconnect();
    if (isDeaf || now >= this.#until) this.end();
  }

  #disconnect(): void {
    exchangeOf(this.#response)?.disconnect();
  }
}

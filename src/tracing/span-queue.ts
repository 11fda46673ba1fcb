// Spans on their way to the collector. Whatever it does, memory and time are bounded: spans that do not fit are dropped and counted.
import { setTimeout as sleep } from 'node:timers/promises';
import { rejectedSpans } from './otlp.ts';
import type { Post, Reply } from './post.ts';
import type { Span } from './tracer.ts';

/** `queue-full`: the collector does not keep up. `unsent`: it could not be reached. `rejected`: it did not accept them. */
export type DropReason = 'queue-full' | 'unsent' | 'rejected';

export interface SpanTally {
  readonly sent: number;
  readonly dropped: Readonly<Record<DropReason, number>>;
  readonly waiting: number;
}

export interface QueueOptions {
  readonly post: Post;
  readonly encode: (spans: readonly Span[]) => string;
  readonly news: { readonly failing: (why: string) => void; readonly worksAgain: () => void };
  /** For tests. */
  readonly everyMs?: number;
  readonly pauseMs?: number;
}

/** A span takes some 500 bytes. */
const MOST_WAITING = 4096;
/** Encoding a batch takes about a millisecond of the event loop. */
const BATCH = 256;
const EVERY_MS = 2_000;
const ATTEMPTS = 3;
const PAUSE_MS = 500;
/** https://opentelemetry.io/docs/specs/otlp/#retryable-response-codes */
const RETRYABLE = new Set([429, 502, 503, 504]);

export class SpanQueue {
  readonly #options: QueueOptions;
  readonly #timer: NodeJS.Timeout;
  #waiting: Span[] = [];
  #sent = 0;
  readonly #dropped: Record<DropReason, number> = { 'queue-full': 0, unsent: 0, rejected: 0 };
  #sending: Promise<void> | undefined;
  #isFailing = false;
  #isStopping = false;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#send(), options.everyMs ?? EVERY_MS);
    this.#timer.unref();
  }

  add(span: Span): void {
    if (this.#waiting.length >= MOST_WAITING) this.#dropped['queue-full']++;
    else if (this.#waiting.push(span) >= BATCH) this.#send();
  }

  tally(): SpanTally {
    return { sent: this.#sent, dropped: { ...this.#dropped }, waiting: this.#waiting.length };
  }

  /** Sends what waits, without retries. The caller limits the time. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#isStopping = true;
    await this.#sending;
    this.#send();
    await this.#sending;
  }

  #send(): void {
    if (this.#sending || this.#waiting.length === 0) return;
    this.#sending = this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
  }

  async #sendAll(): Promise<void> {
    await new Promise(setImmediate); // not within the request that filled the batch
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, BATCH);
      if (await this.#sendBatch(batch)) this.#sent += batch.length;
    }
  }

  async #sendBatch(batch: readonly Span[]): Promise<boolean> {
    const body = this.#options.encode(batch);
    for (let attempt = 1; ; attempt++) {
      const result = await this.#options.post(body).catch((fault: Error) => fault);
      if (!(result instanceof Error) && !RETRYABLE.has(result.status)) return this.#judge(result, batch.length);
      const why = result instanceof Error ? result.message : `status ${result.status}`;
      if (attempt >= ATTEMPTS || this.#isStopping) return this.#drop(batch.length, 'unsent', why);
      await sleep((this.#options.pauseMs ?? PAUSE_MS) * 2 ** (attempt - 1), undefined, { ref: false });
    }
  }

  #judge({ status, body }: Reply, spans: number): boolean {
    if (status < 200 || status > 299) return this.#drop(spans, 'rejected', `status ${status}`);
    const rejected = Math.min(rejectedSpans(body), spans);
    if (rejected > 0) {
      this.#sent -= rejected;
      this.#drop(rejected, 'rejected', `${rejected} of ${spans} spans rejected`);
    } else if (this.#isFailing) {
      this.#isFailing = false;
      this.#options.news.worksAgain();
    }
    return true;
  }

  #drop(spans: number, reason: DropReason, why: string): false {
    this.#dropped[reason] += spans;
    if (!this.#isFailing) this.#options.news.failing(why);
    this.#isFailing = true;
    return false;
  }
}

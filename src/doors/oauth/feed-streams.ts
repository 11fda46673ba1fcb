// All streams of the revocation feed on one listener. They share one timer and the bytes of their batches.
import type { FastifyReply } from 'fastify';
import type { ResourceServer } from '../../core/resource-server.ts';
import type { Position } from '../../operations/feed/cursor.ts';
import type { FeedTail } from '../../operations/feed/feed-tail.ts';
import { isOutdated } from '../../operations/feed/follower.ts';
import type { FeedStore } from '../../operations/feed/read-feed.ts';
import { exchangeOf } from '../http/exchange.ts';
import type { ServerReason } from '../http/transport-refusal.ts';
import { FeedBatches } from './feed-batch.ts';
import { FeedStream } from './feed-stream.ts';
import { Turns } from './turns.ts';

const LOOK_EVERY_MS = 1_000;
/** A follower then connects again, and proves itself again. */
const LONGEST_MS = 15 * 60_000;
/** Streams that began together end one after the other. */
const SPREAD = 300;
const SPREAD_BY_MS = 1_000;

export class FeedStreams {
  readonly #tail: FeedTail;
  readonly #store: FeedStore;
  readonly #open = new Set<FeedStream>();
  readonly #batches = new FeedBatches();
  readonly #turns = new Turns();
  /** Apart from those that send batches: a cut or a sign of life does not wait for these. */
  readonly #acts = new Turns();
  #timer: NodeJS.Timeout | undefined;
  #begun = 0;

  constructor(tail: FeedTail, store: FeedStore) {
    this.#tail = tail;
    this.#store = store;
  }

  /** Resolves once the stream has begun, or says why there is none: too many are open. */
  async open(reply: FastifyReply, server: ResourceServer, from: Position): Promise<ServerReason | undefined> {
    const stream = new FeedStream(reply.raw, LONGEST_MS - (this.#begun++ % SPREAD) * SPREAD_BY_MS);
    const reason = exchangeOf(reply.raw)?.keepStreaming(() => stream.end());
    if (reason) return reason;
    const leave = await this.#tail.follow();
    reply.hijack();
    this.#enter(stream);
    void stream
      .run(() => this.#send(stream, server, from))
      .finally(() => {
        this.#leave(stream);
        leave();
      });
    return undefined;
  }

  #enter(stream: FeedStream): void {
    this.#open.add(stream);
    this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  #leave(stream: FeedStream): void {
    this.#open.delete(stream);
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Signs of life only while the store can be read: otherwise silence would be taken for "nothing has changed". */
  #look(): void {
    const now = performance.now();
    for (const stream of this.#open)
      if (stream.isDue(now)) void this.#acts.next().then(() => stream.act(performance.now(), this.#tail.isCurrent));
  }

  async #send(stream: FeedStream, server: ResourceServer, from: Position): Promise<void> {
    const { history } = this.#tail;
    for (let at = from.sequence; !stream.ending.aborted; ) {
      await this.#turns.next();
      const { version } = this.#tail;
      const items = await this.#tail.after(at);
      if (this.#tail.history !== history) return;
      if (items.length === 0) {
        await this.#tail.change(version, stream.ending);
        continue;
      }
      if (await isOutdated(server, items, this.#store)) return;
      const { bytes, last } = this.#batches.of(items, server);
      await stream.write(bytes);
      at = last;
    }
  }
}

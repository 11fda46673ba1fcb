// All streams of the revocation feed on one listener. They share one timer and the bytes of their batches.
import type { FastifyReply } from 'fastify';
import type { ResourceServer } from '../../core/resource-server.ts';
import { isInLog, type Position } from '../../operations/feed/cursor.ts';
import type { FeedTail } from '../../operations/feed/feed-tail.ts';
import { isOutdated } from '../../operations/feed/follower.ts';
import type { FeedStore } from '../../operations/feed/read-feed.ts';
import { exchangeOf } from '../http/answers.ts';
import type { ServerReason } from '../http/transport-refusal.ts';
import { FeedBatches } from './feed-batch.ts';
import { FeedStream } from './feed-stream.ts';
import { Turns } from './turns.ts';

const LOOK_EVERY_MS = 1_000;
/** A stream ends this soon after a token or certificate that opened it was revoked or expired, or its identity was disabled. */
const PROVE_EVERY_MS = 4_000;
/** A follower then connects again. */
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
  #timer: NodeJS.Timeout | undefined;
  #begun = 0;
  #staleLooks = 0;

  constructor(tail: FeedTail, store: FeedStore) {
    this.#tail = tail;
    this.#store = store;
  }

  /** Resolves once the stream has begun, or says why there is none: too many are open. */
  async open(
    reply: FastifyReply,
    server: ResourceServer,
    from: Position,
    isProven: () => Promise<boolean>,
  ): Promise<ServerReason | undefined> {
    const stream = new FeedStream(reply.raw, LONGEST_MS - (this.#begun++ % SPREAD) * SPREAD_BY_MS);
    const reason = exchangeOf(reply.raw)?.keepStreaming(() => stream.end(), server.id);
    if (reason) return reason;
    const leave = await this.#tail.follow();
    reply.hijack();
    this.#enter(stream);
    const proving = setInterval(() => void endUnless(isProven, stream), PROVE_EVERY_MS).unref();
    void stream
      .run(() => this.#send(stream, server, from))
      .finally(() => {
        clearInterval(proving);
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

  /** Streams end if the store cannot be read, at the second look: silence would be taken for "nothing has changed". */
  #look(): void {
    const now = performance.now();
    this.#staleLooks = this.#tail.isCurrent ? 0 : this.#staleLooks + 1;
    if (this.#staleLooks > 1) for (const stream of this.#open) stream.end();
    for (const stream of this.#open) stream.look(now);
  }

  async #send(stream: FeedStream, server: ResourceServer, from: Position): Promise<void> {
    const { history } = this.#tail;
    let [at, isChecked, saidAt] = [from, false, 0];
    while (!stream.ending.aborted) {
      await this.#turns.next();
      const { version, end, currentAt } = this.#tail;
      const [first, ...more] = await this.#tail.after(at);
      if (this.#tail.history !== history) return;
      if (first) {
        const items = [first, ...more] as const;
        if (await isOutdated(server, items, this.#store)) return;
        const { bytes, last } = this.#batches.of(items, server, history);
        await stream.write(bytes);
        at = last;
      }
      if (first && at.sequence < end) continue;
      // Everything that was committed before `currentAt` has been sent.
      if (!isChecked) {
        await this.#tail.catchUp(stream.ending);
        if (!(await isInLog(from, this.#store))) return;
        isChecked = true;
      } else if (currentAt > saidAt) {
        await stream.write(caughtUp(currentAt - stream.began));
        saidAt = currentAt;
      } else if (!first) await this.#tail.change(version, saidAt, stream.ending);
    }
  }
}

/** The follower has everything that was committed until `ms` after its request. With a name and data, so that EventSource delivers it. */
function caughtUp(ms: number): Buffer {
  return Buffer.from(`event: caught-up\ndata: {"type":"caught-up","until":${Math.floor(ms)}}\n\n`);
}

async function endUnless(isProven: () => Promise<boolean>, stream: FeedStream): Promise<void> {
  // A store or a directory that is away proves nothing either way.
  if (!(await isProven().catch(() => true))) stream.end();
}

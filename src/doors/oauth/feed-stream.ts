// Streams of the revocation feed (server-sent events). A stream holds one batch at a time: it reads the next one when its
// follower has read the last. A follower that does not read is cut; it resumes at the last cursor that it has seen.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { ResourceServer } from '../../core/resource-server.ts';
import { cursorText, type Position, serverMark } from '../../operations/feed/cursor.ts';
import type { FeedTail } from '../../operations/feed/feed-tail.ts';
import { isOutdated } from '../../operations/feed/follower.ts';
import type { FeedItem, FeedStore } from '../../operations/feed/read-feed.ts';
import { keepStreaming } from '../server/gate.ts';
import { feedEntry } from './feed-entry.ts';

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-accel-buffering': 'no', // nginx would hold entries back
};
/** A sign of life. */
const COMMENT_MS = 10_000;
const COMMENT = ':\n\n';
/** How long a follower may take to read what it was sent. */
const READ_MS = 10_000;
/** A follower then connects again, and proves itself again. */
const LONGEST_MS = 15 * 60_000;

/** Batches that are sent in one turn of the event loop. */
const IN_ONE_TURN = 16;
/** Batches whose bytes are kept. */
const SHARED = 32;

type Response = FastifyReply['raw'];

export class FeedStreams {
  readonly #tail: FeedTail;
  readonly #store: FeedStore;
  readonly #open = new Set<AbortController>();
  readonly #texts = new BatchTexts();
  readonly #turns = new Turns();

  constructor(tail: FeedTail, store: FeedStore) {
    this.#tail = tail;
    this.#store = store;
  }

  get count(): number {
    return this.#open.size;
  }

  /** Resolves once the stream has begun. */
  async open(reply: FastifyReply, server: ResourceServer, from: Position): Promise<void> {
    const leave = await this.#tail.follow();
    const ending = new AbortController();
    this.#open.add(ending);
    reply.hijack();
    keepStreaming(reply.raw);
    void this.#run(reply.raw, server, from, ending).finally(() => {
      ending.abort();
      this.#open.delete(ending);
      leave();
    });
  }

  /** Ends all of them. */
  close(): void {
    for (const ending of this.#open) ending.abort();
  }

  async #run(response: Response, server: ResourceServer, from: Position, ending: AbortController): Promise<void> {
    const { signal } = ending;
    const end = () => ending.abort();
    response.once('close', end);
    response.once('error', end);
    const timers = [setTimeout(end, LONGEST_MS), setInterval(() => this.#showLife(response), COMMENT_MS)];
    try {
      response.writeHead(200, HEADERS);
      response.write(`retry: 1000\n${COMMENT}`);
      await this.#send(response, server, from, signal);
      response.end();
    } catch {
      response.destroy(); // the store is away, or the follower does not read
    } finally {
      for (const timer of timers) clearTimeout(timer);
    }
  }

  /** Only while the store can be read: otherwise silence would be taken for "nothing has changed". */
  #showLife(response: Response): void {
    if (this.#tail.isCurrent && !response.writableNeedDrain) response.write(COMMENT);
  }

  async #send(response: Response, server: ResourceServer, from: Position, signal: AbortSignal): Promise<void> {
    const { history } = this.#tail;
    for (let at = from.sequence; !signal.aborted; ) {
      const { version } = this.#tail;
      const items = await this.#tail.after(at);
      if (this.#tail.history !== history) return;
      const last = items.at(-1);
      if (!last) {
        await this.#tail.change(version, signal);
        continue;
      }
      if (await isOutdated(server, items, this.#store)) return;
      await this.#turns.next();
      await written(response, this.#texts.of(items, server), signal);
      at = last.sequence;
    }
  }
}

/** Some batches are sent in each turn of the event loop, so that requests are served in between. */
class Turns {
  readonly #waiting: (() => void)[] = [];

  next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) === 1) setImmediate(() => this.#go());
    });
  }

  #go(): void {
    const going = this.#waiting.slice(0, IN_ONE_TURN);
    for (const resolve of going) resolve();
    this.#waiting.splice(0, going.length);
    if (this.#waiting.length > 0) setImmediate(() => this.#go());
  }
}

/** Followers are mostly at the same place: those of one resource server share the bytes of a batch. */
class BatchTexts {
  readonly #known = new Map<string, Buffer>();

  of(items: readonly FeedItem[], server: ResourceServer): Buffer {
    const mark = serverMark(server);
    const key = `${items[0]?.sequence} ${items.at(-1)?.sequence} ${mark}`;
    const known = this.#known.get(key);
    if (known) return known;
    const text = Buffer.from(items.map((item) => itemText(item, server, mark)).join(''));
    this.#known.set(key, text);
    const [oldest] = this.#known.keys();
    if (this.#known.size > SHARED && oldest !== undefined) this.#known.delete(oldest);
    return text;
  }
}

function itemText(item: FeedItem, server: ResourceServer, mark: string): string {
  const entry = item.state && feedEntry(item.state, server);
  // Without data, it only moves the cursor.
  const data = entry ? `data: ${JSON.stringify(entry)}\n` : '';
  return `id: ${cursorText(item, mark)}\n${data}\n`;
}

/** Resolves when the follower has room for more; rejects if that takes too long. */
async function written(response: Response, text: Buffer, signal: AbortSignal): Promise<void> {
  if (response.write(text) || signal.aborted) return;
  const done = new AbortController();
  const drained = new Promise<void>((resolve) => {
    response.once('drain', resolve);
    signal.addEventListener('abort', () => resolve(), { signal: done.signal });
  });
  const tooLate = sleep(READ_MS, true, { signal: done.signal, ref: false }).catch(() => false);
  const isTooLate = await Promise.race([drained.then(() => false), tooLate]);
  done.abort();
  if (isTooLate) throw new Error('the follower does not read');
}

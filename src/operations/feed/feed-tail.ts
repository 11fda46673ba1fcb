// The end of the feed, read once per process for all followers. Nothing is read while nobody follows.

import { setTimeout as sleep } from 'node:timers/promises';
import { shared } from '../../core/once-per.ts';
import type { EventProgress } from '../../store/store.ts';
import { isInLog, newestPosition, type Position } from './cursor.ts';
import { type FeedItem, type FeedStore, itemsAfter } from './read-feed.ts';

/** How often the store is queried for news. The query uses an index of feed events only. */
const LOOK_MS = 100;
/** How often it is checked that nothing is missing: commits in progress, or a store that was put back to an older state. */
const CHECK_MS = 500;
/** Streams say how current they are if that has grown by this much. */
const SAY_MS = 250;
/** What was committed longer ago has been read, or the tail is not current. */
const CURRENT_MS = 3_000;
/** How long a stream waits for commits in progress before it looks again. */
const CATCH_UP_MS = 20;
const READ = 500;
/** The most that a follower gets at a time. */
const BATCH = 100;
/** Items kept for followers that are a little behind, some megabytes. Others read from the store. */
const KEPT = 10_000;

export class FeedTail {
  readonly #store: FeedStore;
  readonly #lookMs: number;
  #followers = 0;
  /** Follows the last kept item. Undefined: nobody follows, or this history has ended. */
  #at: Position | undefined;
  #kept: FeedItem[] = [];
  /** Every item after this number, up to `#at`, is kept. */
  #keptAfter = 0;
  #version = 0;
  #history = 0;
  #wake = new Set<() => void>();
  /** Everything that was committed before this moment has been read. */
  #currentAt = Number.NEGATIVE_INFINITY;
  /** What it was when streams were last woken to say it. */
  #saidAt = 0;
  /** The last number drawn when a look began. Commits in progress hold back the log: a later look reads up to there. */
  #drawn: { readonly number: number; readonly at: number } | undefined;
  /** How many streams wait for a check. */
  #waiting = 0;
  /** Reads what is new. */
  readonly look = shared(() => this.#read());
  readonly #reads = new Map<string, Promise<readonly FeedItem[]>>();
  #lastRead: Promise<unknown> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(store: FeedStore, lookMs = LOOK_MS) {
    this.#store = store;
    this.#lookMs = lookMs;
  }

  /** Grows with every change, also when the history ends. */
  get version(): number {
    return this.#version;
  }

  /** Changes when the store may be in another history: followers must start again. */
  get history(): number {
    return this.#history;
  }

  /** The number of the last event that was read. */
  get end(): number {
    return this.#at?.sequence ?? 0;
  }

  /** Everything that was committed before this moment (`performance.now`) has been read, up to `end`, in this history. */
  get currentAt(): number {
    return this.#currentAt;
  }

  /** Whether the store was read a moment ago, so that silence means that nothing changed. */
  get isCurrent(): boolean {
    return performance.now() - this.#currentAt < CURRENT_MS;
  }

  /** Begins to read the store, if nobody has followed so far. Returns a function that ends it. */
  async follow(): Promise<() => void> {
    this.#followers += 1;
    try {
      if (!this.#at) await this.look();
    } catch (fault) {
      this.#leave();
      throw fault;
    }
    this.#timer ??= setInterval(() => void this.look().catch(() => undefined), this.#lookMs).unref();
    return () => this.#leave();
  }

  /** Resolves when everything that was committed before this call has been read, in the history of this moment. */
  async catchUp(signal: AbortSignal): Promise<void> {
    const asked = performance.now();
    this.#waiting += 1;
    try {
      while (this.#currentAt < asked && !signal.aborted) {
        await this.look();
        if (this.#currentAt < asked) await sleep(CATCH_UP_MS);
      }
    } finally {
      this.#waiting -= 1;
    }
  }

  /** The next items after this place, which is in this history. Empty: there are none yet. */
  async after(place: Pick<Position, 'epoch' | 'sequence'>): Promise<readonly FeedItem[]> {
    if (!this.#at || place.sequence < this.#keptAfter) return this.#stored(place);
    const first = firstAfter(place.sequence, this.#kept);
    return this.#kept.slice(first, first + BATCH);
  }

  /** One read at a time, since a batch takes some work. After an outage, followers mostly begin at the same place: they share a read,
   *  unless something changed since it began. */
  #stored(place: Pick<Position, 'epoch' | 'sequence'>): Promise<readonly FeedItem[]> {
    const key = `${this.#version} ${place.epoch}.${place.sequence}`;
    const shared = this.#reads.get(key);
    if (shared) return shared;
    const read = this.#lastRead
      .then(() => itemsAfter(place, BATCH, this.#store))
      .finally(() => this.#reads.delete(key));
    this.#reads.set(key, read);
    this.#lastRead = read.catch(() => undefined);
    return read;
  }

  /** Resolves at the next change after `version`, when `currentAt` has grown, or when the signal is aborted. */
  change(version: number, currentAt: number, signal: AbortSignal): Promise<void> {
    const isKnown = version === this.#version && this.#currentAt - currentAt < SAY_MS;
    if (!isKnown || signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        this.#wake.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#wake.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  async #read(): Promise<void> {
    const began = performance.now();
    const isCheck = this.#waiting > 0 || !this.#at || began - this.#currentAt >= CHECK_MS;
    const progress = isCheck ? await this.#store.eventProgress() : undefined;
    if (!this.#at) await this.#begin();
    else while (this.#at && (await this.#readOn(this.#at, isCheck)) === READ) await new Promise(setImmediate); // after many changes at once: requests get their turn between two batches
    if (progress && this.#at) this.#measure(progress, began);
  }

  /** `progress`: before the log was read, at the moment `began`. */
  #measure({ readable, drawn }: EventProgress, began: number): void {
    if (this.#drawn && readable >= this.#drawn.number) this.#currentAt = this.#drawn.at;
    if (!this.#drawn || readable >= this.#drawn.number) this.#drawn = { number: drawn, at: began };
    if (readable >= drawn) this.#currentAt = began;
    if (this.#currentAt - this.#saidAt < SAY_MS) return;
    this.#saidAt = this.#currentAt;
    this.#wakeAll();
  }

  async #begin(): Promise<void> {
    const newest = await newestPosition(this.#store);
    if (this.#followers === 0) return;
    this.#at = newest;
    this.#keptAfter = newest.sequence;
    this.#announce(); // nobody may join a read that began before: events up to `newest` may be missing from it
  }

  async #readOn(at: Position, isCheck: boolean): Promise<number> {
    const items = await itemsAfter(at, READ, this.#store);
    if (items.length === 0 && !isCheck) return 0;
    const isThere = await isInLog(at, this.#store);
    if (this.#at !== at) return 0; // the last follower left meanwhile
    const last = items.at(-1);
    if (!isThere)
      this.#forget(); // swept after a long silence, or the store was put back
    else if (last) this.#keep(items, last);
    return items.length;
  }

  #keep(items: readonly FeedItem[], last: FeedItem): void {
    this.#at = last;
    this.#kept.push(...items);
    const dropped = this.#kept.splice(0, Math.max(0, this.#kept.length - KEPT)).at(-1);
    if (dropped) this.#keptAfter = dropped.sequence;
    this.#announce();
  }

  #announce(): void {
    this.#version += 1;
    this.#wakeAll();
  }

  #wakeAll(): void {
    for (const wake of [...this.#wake]) wake();
  }

  #leave(): void {
    this.#followers -= 1;
    if (this.#followers > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#forget();
  }

  /** What is read from now on may be another history: while nobody follows, nobody checks. */
  #forget(): void {
    this.#at = undefined;
    this.#kept = [];
    this.#drawn = undefined;
    this.#history += 1;
    this.#announce();
  }
}

/** The index of the first item after a sequence number. */
function firstAfter(sequence: number, items: readonly FeedItem[]): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((items[middle]?.sequence ?? 0) <= sequence) low = middle + 1;
    else high = middle;
  }
  return low;
}

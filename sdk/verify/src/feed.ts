// Follows the revocation feed: a snapshot, then the stream. When the stream breaks, it resumes where it was. The feed is fresh while a
// stream is open that has said (`caught-up`) that everything was received that was committed more than two seconds ago.
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { notify, type Settings } from './options.ts';
import type { Entry, Revocations } from './revocations.ts';
import { CursorGone, Misconfigured, type Service, Unavailable } from './service.ts';

/** Everything up to this long ago is known. The service says `caught-up` about every half second. */
const FRESH_MS = 2_000;
/** What `caught-up` says counts from when the stream was requested. A stream that took this long to open, and says too little for
 *  this long, is replaced. */
const SLOW_OPEN_MS = 1_000;
const LATE_MS = 3_000;
/** A stream that is silent for longer is replaced. */
const SILENCE_MS = 15_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
const MOST_PAGES = 10_000;
/** If it has not been fresh for this long, an operator should know. */
const PATIENCE_MS = 9_000;

type FeedSettings = Pick<Settings, 'maxStale' | 'now' | 'ticks' | 'onNotice' | 'resourceServer'>;

interface Snapshot {
  readonly entries: Entry[];
  readonly pages: Set<string | undefined>;
  next: string | undefined;
  cursor: string;
}

export class Feed {
  readonly #service: Service;
  readonly #revocations: Revocations;
  readonly #settings: FeedSettings;
  readonly #stopping = new AbortController();
  #cursor: string | undefined;
  /** What was read of a snapshot whose other pages could not be had yet. */
  #snapshot: Snapshot | undefined;
  /** Everything that was committed before this moment is known, by the clock that is never set (`ticks`). */
  #completeAt = Number.NEGATIVE_INFINITY;
  /** When the service said so, by the clock of the machine (`now`), which goes on while the machine sleeps. */
  #heardAt = Number.NEGATIVE_INFINITY;
  /** Whether the open stream has said so. */
  #isCaughtUp = false;
  /** How often a stream has said so in time. */
  #catches = 0;
  /** When the stream was opened, or was last fresh. */
  #freshAt = 0;
  /** Since when it says too little. */
  #lateSince: number | undefined;
  #isAway = false;
  #first: { readonly resolve: () => void; readonly reject: (fault: unknown) => void } | undefined;

  constructor(service: Service, revocations: Revocations, settings: FeedSettings) {
    this.#service = service;
    this.#revocations = revocations;
    this.#settings = settings;
  }

  /** Whether every revocation is known now, except those of the last two seconds that are on their way. */
  get isFresh(): boolean {
    return this.#isCaughtUp && this.#isCompleteWithin(Math.min(FRESH_MS, this.#settings.maxStale * 1000));
  }

  /** Whether every revocation was known `maxStale` ago. */
  get wasFresh(): boolean {
    return this.#isCompleteWithin(this.#settings.maxStale * 1000);
  }

  #isCompleteWithin(longest: number): boolean {
    const ages = [this.#settings.ticks() - this.#completeAt, this.#settings.now() - this.#heardAt];
    return ages.every((age) => age >= 0 && age < longest); // a negative age: the clock was set back
  }

  /** Resolves when the stream has caught up. Rejects if the service does not accept this verifier. */
  start(): Promise<void> {
    const begun = new Promise<void>((resolve, reject) => {
      this.#first = { resolve, reject };
    });
    void this.#run();
    return begun;
  }

  stop(): void {
    this.#stopping.abort();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    for (let failures = 0; !signal.aborted; ) {
      const catches = this.#catches;
      try {
        this.#cursor ??= await this.#takeSnapshot();
        await this.#follow(this.#cursor);
      } catch (fault) {
        if (!signal.aborted) this.#note(fault);
      }
      failures = this.#catches > catches ? 0 : failures + 1;
      await sleep(pauseAfter(failures), undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Goes on where the last attempt ended: while the service is busy, none would get through all pages. */
  async #takeSnapshot(): Promise<string> {
    this.#snapshot ??= { entries: [], pages: new Set(), next: undefined, cursor: '' };
    const snapshot = this.#snapshot;
    do {
      const { pages, next } = snapshot;
      if (pages.size > MOST_PAGES || pages.has(next)) throw new Error('its snapshot has no end'); // a cache between, for example
      const found = await this.#service.snapshot(next);
      pages.add(next);
      for (const entry of found['entries'] as Entry[]) snapshot.entries.push(entry);
      snapshot.next = found['next'] as string | undefined;
      snapshot.cursor = String(found['cursor']);
      this.#checkAudience(found['audience']);
    } while (snapshot.next !== undefined);
    this.#revocations.replace(snapshot.entries);
    this.#snapshot = undefined;
    return snapshot.cursor;
  }

  /** Grants that are limited to another audience are not in this feed. Services before 0.3 do not say it. */
  #checkAudience(registered: unknown): void {
    const { id, audience } = this.#settings.resourceServer;
    if (registered === undefined || registered === audience) return;
    throw new Misconfigured(`${id} is registered with the audience ${registered as string}, not ${audience}`);
  }

  async #follow(cursor: string): Promise<void> {
    const { response, sentAt } = await this.#service.follow(cursor, this.#stopping.signal);
    this.#freshAt = this.#settings.ticks();
    this.#lateSince = undefined;
    const isSlow = this.#freshAt - sentAt >= SLOW_OPEN_MS;
    let watch: NodeJS.Timeout | undefined;
    const expectLife = () => {
      clearTimeout(watch);
      watch = setTimeout(() => response.destroy(new Error('the stream was silent')), SILENCE_MS).unref();
    };
    try {
      expectLife();
      for await (const event of eventsIn(response)) {
        expectLife();
        const until = this.#take(event);
        if (until !== undefined) this.#catchUp(sentAt + until, isSlow);
        this.#noteFreshness();
      }
    } finally {
      this.#isCaughtUp = false;
      clearTimeout(watch);
    }
  }

  /**
   * An event that cannot be read would come again for ever, and hide those after it: a snapshot has their states too. Returns what
   * `caught-up` says, in milliseconds since the stream was requested.
   */
  #take(lines: readonly string[]): number | undefined {
    let until: number | undefined;
    try {
      for (const line of lines) {
        if (!line.startsWith('data: ')) continue;
        const entry = JSON.parse(line.slice('data: '.length)) as Entry;
        if (entry['type'] === 'caught-up') until = Number(entry['until']);
        else this.#revocations.add(entry);
      }
    } catch (fault) {
      this.#cursor = undefined;
      throw fault;
    }
    for (const line of lines) if (line.startsWith('id: ')) this.#cursor = line.slice('id: '.length);
    return until;
  }

  #catchUp(completeAt: number, isSlow: boolean): void {
    const now = this.#settings.ticks();
    const age = now - completeAt;
    this.#lateSince = age < FRESH_MS ? undefined : (this.#lateSince ?? now);
    if (age < 0 || (isSlow && now - (this.#lateSince ?? now) >= LATE_MS))
      throw new Error('its stream cannot be timed: it was slow to open, or the clock was set');
    this.#completeAt = completeAt;
    this.#heardAt = this.#settings.now();
    this.#isCaughtUp = true;
    if (age < FRESH_MS) this.#catches += 1;
    this.#first?.resolve();
    this.#first = undefined;
  }

  #noteFreshness(): void {
    const now = this.#settings.ticks();
    if (this.isFresh) {
      this.#freshAt = now;
      if (this.#isAway) this.#notify('the revocation feed is back');
      this.#isAway = false;
    } else if (now - this.#freshAt >= PATIENCE_MS)
      this.#leave('it has not sent caught-up in time; services before 0.3 never do. Tokens are introspected');
  }

  #note(fault: unknown): void {
    if (fault instanceof CursorGone) this.#cursor = undefined;
    if (!(fault instanceof Unavailable)) this.#snapshot = undefined;
    if (fault instanceof Misconfigured) this.#first?.reject(fault);
    this.#leave((fault as Error).message);
  }

  #leave(why: string): void {
    if (!this.#isAway) this.#notify(`the revocation feed is away: ${why}`);
    this.#isAway = true;
  }

  #notify(notice: string): void {
    notify(this.#settings, notice);
  }
}

/** Many verifiers lose their stream at the same moment: they reconnect one after the other. */
export function pauseAfter(failures: number, chance = Math.random()): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS) * (0.5 + chance);
}

const MOST_CHARACTERS = 1_000_000;

/** Server-sent events, as lines. */
async function* eventsIn(response: IncomingMessage): AsyncGenerator<readonly string[]> {
  response.setEncoding('utf8');
  let rest = '';
  for await (const chunk of response) {
    const events = (rest + String(chunk)).split('\n\n');
    rest = events.pop() ?? '';
    if (rest.length > MOST_CHARACTERS) throw new Error('an event of the feed is too large');
    for (const event of events) yield event.split('\n');
  }
}

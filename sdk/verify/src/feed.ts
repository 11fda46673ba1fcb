// Follows the revocation feed: a snapshot, then the stream. When the stream breaks, it resumes where it was. The feed is fresh while a
// stream is open whose last word is `caught-up`, not `behind`: only then everything that happened before has been received.
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from './options.ts';
import type { Entry, Revocations } from './revocations.ts';
import { CursorGone, Misconfigured, type Service } from './service.ts';

/** The service sends a sign of life every 10 seconds. A stream that is silent for longer is replaced. */
const SILENCE_MS = 15_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
const MOST_PAGES = 10_000;
/** After this long without `caught-up`, an operator should know. */
const PATIENCE_MS = 9_000;

type FeedSettings = Pick<Settings, 'maxStale' | 'now' | 'onNotice' | 'resourceServer'>;

export class Feed {
  readonly #service: Service;
  readonly #revocations: Revocations;
  readonly #settings: FeedSettings;
  readonly #stopping = new AbortController();
  #cursor: string | undefined;
  /** When something last arrived from the service, in milliseconds. 0: never. */
  #heardAt = 0;
  /** When everything was known last. */
  #completeAt = 0;
  #isCaughtUp = false;
  /** How often a stream has caught up. */
  #catches = 0;
  /** When the stream was opened, or last fell behind. */
  #behindSince = 0;
  #isAway = false;
  #first: { readonly resolve: () => void; readonly reject: (fault: unknown) => void } | undefined;

  constructor(service: Service, revocations: Revocations, settings: FeedSettings) {
    this.#service = service;
    this.#revocations = revocations;
    this.#settings = settings;
  }

  /** Whether every revocation is known now. */
  get isFresh(): boolean {
    return this.#isCaughtUp && this.#isWithin(this.#heardAt, Math.min(SILENCE_MS, this.#settings.maxStale * 1000));
  }

  /** Whether every revocation was known `maxStale` ago. */
  get wasFresh(): boolean {
    return this.#isWithin(this.#completeAt, this.#settings.maxStale * 1000);
  }

  #isWithin(at: number, longest: number): boolean {
    const age = this.#settings.now() - at;
    return age >= 0 && age < longest; // a negative age: the clock was set back
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
    this.#first?.resolve();
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    for (let pause = FIRST_PAUSE_MS; !signal.aborted; ) {
      const catches = this.#catches;
      try {
        this.#cursor ??= await this.#takeSnapshot();
        await this.#follow(this.#cursor);
      } catch (fault) {
        if (!signal.aborted) this.#note(fault);
      }
      pause = this.#catches > catches ? FIRST_PAUSE_MS : Math.min(pause * 2, LONGEST_PAUSE_MS);
      // Many verifiers lose their stream at the same moment: they reconnect one after the other.
      await sleep(pause * (0.5 + Math.random()), undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async #takeSnapshot(): Promise<string> {
    const entries: Entry[] = [];
    const pages = new Set<unknown>();
    let cursor = '';
    for (let page: string | undefined, isMore = true; isMore; isMore = page !== undefined) {
      if (pages.size > MOST_PAGES || pages.has(page)) throw new Error('its snapshot has no end'); // a cache between, for example
      pages.add(page);
      const found = await this.#service.snapshot(page);
      for (const entry of found['entries'] as Entry[]) entries.push(entry);
      cursor = String(found['cursor']);
      this.#checkAudience(found['audience']);
      page = found['next'] as string | undefined;
    }
    this.#revocations.replace(entries);
    return cursor;
  }

  /** Grants that are limited to another audience are not in this feed. Services before 0.3 do not say it. */
  #checkAudience(registered: unknown): void {
    const { id, audience } = this.#settings.resourceServer;
    if (registered === undefined || registered === audience) return;
    throw new Misconfigured(`${id} is registered with the audience ${registered as string}, not ${audience}`);
  }

  async #follow(cursor: string): Promise<void> {
    const response = await this.#service.follow(cursor, this.#stopping.signal);
    this.#behindSince = this.#settings.now();
    let watch: NodeJS.Timeout | undefined;
    const expectLife = () => {
      clearTimeout(watch);
      watch = setTimeout(() => response.destroy(new Error('the stream was silent')), SILENCE_MS).unref();
    };
    try {
      expectLife();
      for await (const event of eventsIn(response)) {
        expectLife();
        this.#take(event);
      }
    } finally {
      this.#isCaughtUp = false;
      clearTimeout(watch);
      response.destroy();
    }
  }

  /** An event that cannot be read would come again for ever, and hide those after it: a snapshot has their states too. */
  #take(lines: readonly string[]): void {
    try {
      for (const line of lines)
        if (line.startsWith('data: ')) this.#revocations.add(JSON.parse(line.slice('data: '.length)) as Entry);
    } catch (fault) {
      this.#cursor = undefined;
      throw fault;
    }
    for (const line of lines) if (line.startsWith('id: ')) this.#cursor = line.slice('id: '.length);
    this.#heardAt = this.#settings.now();
    if (lines.includes('event: caught-up')) this.#catchUp();
    if (lines.includes('event: behind')) [this.#isCaughtUp, this.#behindSince] = [false, this.#heardAt];
    if (this.#isCaughtUp) this.#completeAt = this.#heardAt;
    else if (!this.#isAway && this.#heardAt - this.#behindSince >= PATIENCE_MS)
      this.#leave('it has not sent caught-up, as services before 0.3 never do. Tokens are introspected');
  }

  #catchUp(): void {
    this.#isCaughtUp = true;
    this.#catches += 1;
    this.#first?.resolve();
    this.#first = undefined;
    if (this.#isAway) this.#notify('the revocation feed is back');
    this.#isAway = false;
  }

  #note(fault: unknown): void {
    if (fault instanceof CursorGone) this.#cursor = undefined;
    if (fault instanceof Misconfigured) this.#first?.reject(fault);
    this.#leave((fault as Error).message);
  }

  #leave(why: string): void {
    if (!this.#isAway) this.#notify(`the revocation feed is away: ${why}`);
    this.#isAway = true;
  }

  /** A fault of the API's own function must not end the feed. */
  #notify(notice: string): void {
    try {
      this.#settings.onNotice(notice);
    } catch {}
  }
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

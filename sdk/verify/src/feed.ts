// Follows the revocation feed: a snapshot, then the stream. When the stream breaks, it resumes where it was.
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

export class Feed {
  readonly #service: Service;
  readonly #revocations: Revocations;
  readonly #settings: Pick<Settings, 'maxStale' | 'now' | 'onNotice'>;
  readonly #stopping = new AbortController();
  #cursor: string | undefined;
  /** When something last arrived from the service, in milliseconds. 0: never. */
  #heardAt = 0;
  #isAway = false;
  #first: { readonly resolve: () => void; readonly reject: (fault: unknown) => void } | undefined;

  constructor(service: Service, revocations: Revocations, settings: Pick<Settings, 'maxStale' | 'now' | 'onNotice'>) {
    this.#service = service;
    this.#revocations = revocations;
    this.#settings = settings;
  }

  /** Whether the feed is recent enough to know every revocation. */
  get isFresh(): boolean {
    const { now, maxStale } = this.#settings;
    const age = now() - this.#heardAt;
    return this.#cursor !== undefined && age >= 0 && age < maxStale * 1000;
  }

  /** Resolves when the first snapshot has been read. Rejects if the service does not accept this verifier. */
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
      const heardAt = this.#heardAt;
      try {
        this.#cursor ??= await this.#takeSnapshot();
        await this.#follow(this.#cursor);
        pause = FIRST_PAUSE_MS; // a stream that ended in order is opened again at once
      } catch (fault) {
        if (!signal.aborted) this.#note(fault);
        pause = this.#heardAt > heardAt ? FIRST_PAUSE_MS : Math.min(pause * 2, LONGEST_PAUSE_MS);
      }
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
      page = found['next'] as string | undefined;
    }
    this.#revocations.replace(entries);
    this.#hear();
    return cursor;
  }

  async #follow(cursor: string): Promise<void> {
    const response = await this.#service.follow(cursor, this.#stopping.signal);
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
    this.#hear();
  }

  #hear(): void {
    this.#heardAt = this.#settings.now();
    this.#first?.resolve();
    this.#first = undefined;
    if (this.#isAway) this.#notify('the revocation feed is back');
    this.#isAway = false;
  }

  #note(fault: unknown): void {
    if (fault instanceof CursorGone) this.#cursor = undefined;
    if (fault instanceof Misconfigured) this.#first?.reject(fault);
    if (!this.#isAway) this.#notify(`the revocation feed is away: ${(fault as Error).message}`);
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

// A follower of the revocation feed that reads server-sent events by itself.
import type { IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { type Reach, tlsOptionsOf } from './caller.ts';

export type Entry = Readonly<Record<string, unknown>>;

export interface Follower {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly entries: readonly Entry[];
  /** The last cursor that it has seen. */
  readonly cursor: string | undefined;
  readonly comments: number;
  /** All that was received. */
  readonly text: string;
  readonly isOpen: boolean;
  /** The first entry that fits, among those received and those to come. */
  next(fits: (entry: Entry) => boolean): Promise<Entry>;
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>;
  close(): void;
}

/** How long it may receive nothing while it waits for an entry. */
const PATIENCE_MS = 20_000;

export async function followFeed(
  reach: Reach,
  headers: Readonly<Record<string, string>>,
  path = '/oauth2/revocations',
): Promise<Follower> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = {
      ...tlsOptionsOf(reach),
      path,
      headers: { accept: 'text/event-stream', ...headers },
      agent: false,
    };
    requestHttps(options, resolve).on('error', reject).end();
  });
  return new StreamFollower(response);
}

class StreamFollower implements Follower {
  readonly entries: Entry[] = [];
  readonly ended: Promise<void>;
  cursor: string | undefined;
  comments = 0;
  text = '';
  isOpen = true;
  readonly #response: IncomingMessage;
  readonly #waiting = new Set<() => void>();
  #rest = '';

  constructor(response: IncomingMessage) {
    this.#response = response;
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => this.#take(chunk));
    response.on('error', () => undefined);
    this.ended = new Promise((resolve) => {
      response.once('close', () => {
        this.isOpen = false;
        resolve();
      });
    });
  }

  get status(): number {
    return this.#response.statusCode ?? 0;
  }

  get contentType(): string | undefined {
    return this.#response.headers['content-type'];
  }

  next(fits: (entry: Entry) => boolean): Promise<Entry> {
    return new Promise((resolve, reject) => {
      const fail = () => reject(new Error(`no such entry among ${this.entries.length}; open: ${this.isOpen}`));
      const timer = setTimeout(fail, PATIENCE_MS);
      let seen = 0;
      const look = () => {
        const found = this.entries.find(fits);
        if (this.entries.length > seen) timer.refresh(); // a sign of life is not enough
        seen = this.entries.length;
        if (!found) return;
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  close(): void {
    this.#response.destroy();
  }

  #take(chunk: string): void {
    this.text += chunk;
    const events = (this.#rest + chunk).split('\n\n');
    this.#rest = events.pop() ?? '';
    for (const event of events) this.#takeEvent(event.split('\n'));
    for (const look of [...this.#waiting]) look();
  }

  #takeEvent(lines: readonly string[]): void {
    for (const line of lines) {
      if (line.startsWith(':')) this.comments += 1;
      if (line.startsWith('id: ')) this.cursor = line.slice('id: '.length);
      if (line.startsWith('data: ')) this.entries.push(JSON.parse(line.slice('data: '.length)) as Entry);
    }
  }
}

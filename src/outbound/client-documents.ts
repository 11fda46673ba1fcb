// Fetches and keeps the documents of clients that nobody registered (OAuth Client ID Metadata Document). Failures are not kept.

import { type ClientDocument, type ClientUrl, documentAge, readClientDocument } from '../core/client-document.ts';
import { keepNewest } from '../core/keep-newest.ts';
import { accept, type Outcome, refuse } from '../core/outcome.ts';
import type { Refusal } from '../core/refusal.ts';
import type { EpochSeconds } from '../core/time.ts';
import { download, type Fetch, tooLargeFor } from './download.ts';

const MOST_BYTES = 5 * 1024;
const WITHIN_MS = 2_000;
const MOST_KEPT = 1_000;
/** No document is used for longer, even if a newer one cannot be fetched. */
const OLDEST = 24 * 3600;
/** Requests of this process that wait for documents at a time: each holds a slot that other callers need. */
const MOST_WAITING = 16;
const MOST_WAITING_OF_PERSON = 4;
/** Per minute: a person who signs in must not be able to flood other hosts, or other people's clients, through this service. */
const FETCHES_PER_HOST = 20;
const FETCHES_PER_PERSON = 10;
const MINUTE = 60;

export interface DocumentPorts {
  readonly fetch: Fetch;
  readonly now: () => EpochSeconds;
  /** Addresses and networks off the public internet that may be contacted. */
  readonly allowed: readonly string[];
  readonly logRefused: (url: string, why: string) => void;
}

type ReadOutcome = Outcome<ClientDocument, Refusal<'client-document-refused' | 'client-document-unavailable'>>;

export class ClientDocuments {
  readonly #ports: DocumentPorts;
  readonly #kept = new Map<ClientUrl, { document: ClientDocument; since: number; until: number }>();
  readonly #fetching = new Map<ClientUrl, Promise<ReadOutcome>>();
  /** The person of each request that waits. */
  readonly #waiting: string[] = [];
  #recent = { since: 0, fetches: new Map<string, number>() };

  constructor(ports: DocumentPorts) {
    this.#ports = ports;
  }

  /** A document that cannot be fetched again is used a while longer. */
  async read(url: ClientUrl, person: string): Promise<ReadOutcome> {
    const kept = this.#kept.get(url);
    const now = this.#ports.now();
    if (kept && now < kept.until) return accept(kept.document);
    const read = await this.#wait(url, person);
    const isAway = !read.ok && read.refusal.reason === 'client-document-unavailable';
    return isAway && kept && now < kept.since + OLDEST ? accept(kept.document) : read;
  }

  async #wait(url: ClientUrl, person: string): Promise<ReadOutcome> {
    const ofPerson = this.#waiting.filter((other) => other === person).length;
    if (this.#waiting.length >= MOST_WAITING || ofPerson >= MOST_WAITING_OF_PERSON)
      return refuse('client-document-unavailable');
    this.#waiting.push(person);
    try {
      const fetching = this.#fetching.get(url) ?? this.#fetch(url, person).finally(() => this.#fetching.delete(url));
      this.#fetching.set(url, fetching);
      return await fetching;
    } finally {
      this.#waiting.splice(this.#waiting.indexOf(person), 1);
    }
  }

  async #fetch(url: ClientUrl, person: string): Promise<ReadOutcome> {
    const { fetch, now, allowed, logRefused } = this.#ports;
    if (!this.#isWithinRate(`person ${person}`, FETCHES_PER_PERSON)) return refuse('client-document-unavailable');
    if (!this.#isWithinRate(new URL(url).hostname, FETCHES_PER_HOST)) return refuse('client-document-unavailable');
    let cacheControl: string | null = null;
    let status = 0;
    const noting: Fetch = async (address, init) => {
      const fetched = await fetch(address, init);
      cacheControl = fetched.headers.get('cache-control');
      status = fetched.status;
      return fetched;
    };
    const headers = { accept: 'application/json' };
    const got = await download(noting, url, { maxBytes: MOST_BYTES, withinMs: WITHIN_MS, allowed, headers });
    const read = got.ok ? readClientDocument(new TextDecoder().decode(got.value), url) : got;
    if (read.ok) {
      const kept = { document: read.value, since: now(), until: now() + documentAge(cacheControl) };
      keepNewest(this.#kept, read.value.url, kept, MOST_KEPT);
      return read;
    }
    logRefused(url, read.refusal);
    const isMissing = status >= 300 && status <= 499 && status !== 429; // 429 may change in a moment
    const isWrong = got.ok || isMissing || got.refusal === tooLargeFor(MOST_BYTES);
    return refuse(isWrong ? 'client-document-refused' : 'client-document-unavailable');
  }

  #isWithinRate(about: string, most: number): boolean {
    const now = this.#ports.now();
    if (now - this.#recent.since >= MINUTE) this.#recent = { since: now, fetches: new Map() };
    const { fetches } = this.#recent;
    const count = (fetches.get(about) ?? 0) + 1;
    fetches.set(about, count);
    return count <= most;
  }
}

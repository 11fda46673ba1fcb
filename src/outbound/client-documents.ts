// Fetches and keeps the documents of clients that nobody registered (OAuth Client ID Metadata Document). Failures are not kept.

import {
  type AllowedHost,
  type ClientDocument,
  type ClientUrl,
  type DocumentFlaw,
  documentAge,
  readClientDocument,
  refuseDocument,
} from '../core/client-document.ts';
import { keepNewest } from '../core/keep-newest.ts';
import { accept, type Outcome } from '../core/outcome.ts';
import type { Refusal } from '../core/refusal.ts';
import type { EpochSeconds } from '../core/time.ts';
import { download, type Fetch, tooLargeFor } from './download.ts';
import { PerMinute } from './per-minute.ts';

const MOST_BYTES = 5 * 1024;
const WITHIN_MS = 2_000;
const MOST_KEPT = 1_000;
/** No document is used for longer, even if a newer one cannot be fetched. */
const OLDEST = 24 * 3600;
/** Requests of this process that wait for documents at a time: each holds a slot that other callers need. */
const MOST_WAITING = 16;
const MOST_WAITING_OF_PERSON = 4;
/** Per minute: a person who signs in must not be able to flood other people's clients. */
const FETCHES_PER_PERSON = 10;
/** For how long after its client last authenticated the keys of a document are renewed. */
const KEYS_KEPT = 3600;

export interface DocumentPorts {
  /** Limited per host: `limitedPerHost`. */
  readonly fetch: Fetch;
  readonly now: () => EpochSeconds;
  /** Addresses and networks off the public internet that may be contacted. */
  readonly allowed: readonly string[];
  readonly hosts: readonly AllowedHost[];
  readonly logRefused: (url: string, flaw: DocumentFlaw) => void;
}

type ReadOutcome = Outcome<ClientDocument, Refusal<'client-document-refused' | 'client-document-unavailable'>>;

interface Kept {
  readonly document: ClientDocument;
  readonly since: number;
  readonly until: number;
  /** When its client last authenticated. */
  provenAt?: number;
}

const TOO_MANY_WAIT = { why: 'too many requests wait for documents; try again in a moment' };
const TOO_MANY_FETCHES = { why: `one person causes at most ${FETCHES_PER_PERSON} fetches a minute; try again then` };

export class ClientDocuments {
  readonly #ports: DocumentPorts;
  readonly #kept = new Map<ClientUrl, Kept>();
  readonly #fetching = new Map<ClientUrl, Promise<ReadOutcome>>();
  /** The person of each request that waits. */
  readonly #waiting: string[] = [];
  readonly #fetches: PerMinute;

  constructor(ports: DocumentPorts) {
    this.#ports = ports;
    this.#fetches = new PerMinute(FETCHES_PER_PERSON, ports.now);
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

  /** Its client has authenticated with it. One that has not could make this service send requests to a third party. */
  noteProven(document: ClientDocument): void {
    const kept = this.#kept.get(document.url);
    if (kept?.document === document) kept.provenAt = this.#ports.now();
  }

  /** Whether this person may cause one more fetch, of a document or of its keys. */
  mayFetch(person: string): boolean {
    return this.#fetches.take(person);
  }

  /** Those whose keys are renewed. */
  inUse(): readonly ClientDocument[] {
    const least = this.#ports.now() - KEYS_KEPT;
    return [...this.#kept.values()].filter(({ provenAt = 0 }) => provenAt > least).map(({ document }) => document);
  }

  async #wait(url: ClientUrl, person: string): Promise<ReadOutcome> {
    const ofPerson = this.#waiting.filter((other) => other === person).length;
    if (this.#waiting.length >= MOST_WAITING || ofPerson >= MOST_WAITING_OF_PERSON)
      return this.#refuse('client-document-unavailable', url, TOO_MANY_WAIT);
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
    const { fetch, now, allowed, hosts } = this.#ports;
    if (!this.mayFetch(person)) return this.#refuse('client-document-unavailable', url, TOO_MANY_FETCHES);
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
    const isMissing = status >= 300 && status <= 499 && status !== 429; // 429 may change in a moment
    const isWrong = isMissing || (!got.ok && got.refusal === tooLargeFor(MOST_BYTES));
    if (!got.ok)
      return this.#refuse(`client-document-${isWrong ? 'refused' : 'unavailable'}`, url, { why: got.refusal });
    const read = readClientDocument(new TextDecoder().decode(got.value), url, hosts);
    if (!read.ok) return this.#refuse('client-document-refused', url, read.refusal);
    const kept = {
      document: withAddresses(read.value, allowed),
      since: now(),
      until: now() + documentAge(cacheControl),
    };
    return accept(keepNewest(this.#kept, url, kept, MOST_KEPT).document);
  }

  #refuse(reason: (ReadOutcome & { ok: false })['refusal']['reason'], url: ClientUrl, flaw: DocumentFlaw): ReadOutcome {
    this.#ports.logRefused(url, flaw);
    return refuseDocument(reason, url, flaw);
  }
}

/** Its keys may be where documents may be. */
function withAddresses({ keys, ...document }: ClientDocument, allowedAddresses: readonly string[]): ClientDocument {
  return { ...document, ...(keys && { keys: keys.from === 'url' ? { ...keys, allowedAddresses } : keys }) };
}

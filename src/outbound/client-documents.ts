// Fetches and keeps the documents of clients that nobody registered (OAuth Client ID Metadata Document). Failures are not kept.
import { type ClientDocument, type ClientUrl, documentAge, readClientDocument } from '../core/client-document.ts';
import { accept, type Outcome, refuse } from '../core/outcome.ts';
import type { Refusal } from '../core/refusal.ts';
import type { EpochSeconds } from '../core/time.ts';
import { download, type Fetch } from './download.ts';

const MOST_BYTES = 5 * 1024;
const WITHIN_MS = 5_000;
const MOST_KEPT = 1_000;
/** Per host and minute: whoever signs in must not be able to use this service against others. */
const FETCHES = 20;
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
  readonly #kept = new Map<ClientUrl, { readonly document: ClientDocument; readonly until: number }>();
  readonly #fetching = new Map<ClientUrl, Promise<ReadOutcome>>();
  #recent: { since: number; readonly byHost: Map<string, number> } = { since: 0, byHost: new Map() };

  constructor(ports: DocumentPorts) {
    this.#ports = ports;
  }

  async read(url: ClientUrl): Promise<ReadOutcome> {
    const kept = this.#kept.get(url);
    if (kept && this.#ports.now() < kept.until) return accept(kept.document);
    const fetching = this.#fetching.get(url) ?? this.#fetch(url).finally(() => this.#fetching.delete(url));
    this.#fetching.set(url, fetching);
    return fetching;
  }

  async #fetch(url: ClientUrl): Promise<ReadOutcome> {
    const { fetch, now, allowed, logRefused } = this.#ports;
    if (!this.#isWithinRate(new URL(url).host)) return refuse('client-document-unavailable');
    let cacheControl: string | null = null;
    const noting: Fetch = async (address, init) => {
      const fetched = await fetch(address, init);
      cacheControl = fetched.headers.get('cache-control');
      return fetched;
    };
    const headers = { accept: 'application/json' };
    const got = await download(noting, url, { maxBytes: MOST_BYTES, withinMs: WITHIN_MS, allowed, headers });
    const read = got.ok ? readClientDocument(new TextDecoder().decode(got.value), url) : got;
    if (read.ok) {
      this.#keep({ document: read.value, until: now() + documentAge(cacheControl) });
      return read;
    }
    logRefused(url, read.refusal);
    return refuse(got.ok ? 'client-document-refused' : 'client-document-unavailable');
  }

  #keep(kept: { readonly document: ClientDocument; readonly until: number }): void {
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= MOST_KEPT && oldest) this.#kept.delete(oldest);
    this.#kept.delete(kept.document.url);
    this.#kept.set(kept.document.url, kept);
  }

  #isWithinRate(host: string): boolean {
    const now = this.#ports.now();
    if (now - this.#recent.since >= MINUTE) this.#recent = { since: now, byHost: new Map() };
    const count = (this.#recent.byHost.get(host) ?? 0) + 1;
    this.#recent.byHost.set(host, count);
    return count <= FETCHES;
  }
}

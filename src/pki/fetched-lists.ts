// The lists that certificates name: fetched by one node, taken by every node for itself. Whatever brought a list, network
// or store, it is read, believed and compared with the one before it here.
import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Outcome, refused } from '../core/outcome.ts';
import type { SharedList } from '../core/shared-list.ts';
import { type EpochSeconds, earlier, epochSeconds } from '../core/time.ts';
import type { Certificate } from './certificate.ts';
import { isOlder, type RevocationList, readRevocationList } from './crl.ts';
import { whyNotBelieved } from './crl-check.ts';
import { download, type Fetch, LARGEST_ANSWER, TOO_LARGE } from './download.ts';
import type { ListExchange } from './list-exchange.ts';
import { readPemOrDer } from './pem.ts';
import { type Kept, NEVER, RETRY_SECONDS, Renewals, renewalOf } from './renewal.ts';

export interface ListPorts {
  readonly fetch: Fetch;
  readonly now: () => EpochSeconds;
  readonly exchange: ListExchange;
  /** Those whose lists count: approved issuers that mind lists, and authorities below them. */
  readonly authorities: () => readonly Certificate[];
  /** Why a list was not taken; once, and not with every try. */
  readonly tellRefused: (url: string, why: string) => void;
  /** The lists are other ones now. */
  readonly changed: () => void;
}

interface KeptList extends Kept {
  readonly list?: RevocationList;
  /** Of the list's contents. */
  readonly mark?: string;
  /** A list that nobody known has signed answers nothing, but says why (crl-check.ts). */
  readonly isBelieved: boolean;
}

const NOTHING: KeptList = { isBelieved: false, renewAt: NEVER, endsAt: NEVER };
/** What is served but not believed is not asked for every minute: it may be large. */
const DOUBT_SECONDS = 600;
const LOOK_AGAIN_MS = 250;
/** Longer than the timer that renews takes for a round. */
const OTHERS_FIRST_SECONDS = 15;

export class FetchedLists {
  readonly #ports: ListPorts;
  readonly #renewals: Renewals;
  readonly #kept = new Map<string, KeptList>();
  /** Lists that callers of this node have named: their failures are this node's business. */
  readonly #asked = new Set<string>();
  readonly #told = new Map<string, string>();
  /** Where this node failed last, and when somebody shall try again. */
  readonly #failed = new Map<string, EpochSeconds>();

  constructor(ports: ListPorts) {
    this.#ports = ports;
    this.#renewals = new Renewals(ports.now);
  }

  get lists(): RevocationList[] {
    return [...this.#kept.values()].flatMap(({ list }) => list ?? []);
  }

  /** Waits only where no list that has not ended is at hand. */
  need(url: string): Promise<void> {
    this.#asked.add(url);
    this.#ports.exchange.asked(url);
    return this.#renewals.once(url, this.#kept.get(url), () => this.#renew(url));
  }

  /** Takes what other nodes have fetched. `all`: also what was looked at before, for other authorities may count now. */
  async follow(all: boolean): Promise<void> {
    const news = await this.#ports.exchange.news(all);
    for (const shared of news ?? []) await this.#heed(shared);
  }

  /** Renews what is due, and forgets what nobody wants, or nobody who counts has signed. */
  async renew(): Promise<void> {
    for (const [url, kept] of this.#kept) if (!this.#isWorthKeeping(url, kept)) this.#forget(url);
    const mine = [...this.#kept].filter(([url, kept]) => !this.#leavesToOthers(url, kept));
    await Promise.all(mine.map(([url, kept]) => this.#renewals.once(url, kept, () => this.#renew(url))));
  }

  /** Who has failed lets the others go first: one of them may reach what this one cannot. */
  #leavesToOthers(url: string, { renewAt }: KeptList): boolean {
    return this.#failed.get(url) === renewAt && this.#ports.now() < renewAt + OTHERS_FIRST_SECONDS;
  }

  async #renew(url: string): Promise<void> {
    while (await this.#isStillDue(url)) {
      // Once more under the lease: another node may have had it in the meantime.
      const fetched = async () => (await this.#isStillDue(url)) && this.#fetch(url);
      if (await this.#ports.exchange.byOne(url, fetched)) return;
      await pause(LOOK_AGAIN_MS);
    }
  }

  async #isStillDue(url: string): Promise<boolean> {
    const shared = await this.#ports.exchange.find(url);
    if (shared) await this.#heed(shared);
    const kept = this.#kept.get(url);
    return !kept || this.#ports.now() >= kept.renewAt;
  }

  async #heed({ url, mark, failure, checkedAt, renewAt }: SharedList): Promise<void> {
    if (mark !== undefined && !this.#holds(url, mark)) await this.#takeShared(url);
    const hasFailed = failure !== undefined && (this.#kept.has(url) || this.#asked.has(url));
    if (!hasFailed && !this.#holds(url, mark)) return;
    // Never later than this node would by itself: the store may say anything.
    const at = earlier(checkedAt, this.#ports.now());
    const latest = hasFailed ? epochSeconds(at + DOUBT_SECONDS) : this.#renewalOf(url, at);
    this.#postpone(url, earlier(renewAt, latest));
  }

  #holds(url: string, mark: string | undefined): boolean {
    const kept = this.#kept.get(url) ?? NOTHING;
    return kept.isBelieved && kept.mark === mark;
  }

  async #takeShared(url: string): Promise<void> {
    const contents = await this.#ports.exchange.contents(url);
    const objection = contents && this.#take(url, contents);
    if (objection && this.#asked.has(url)) this.#tellRefused(url, `in the store: ${objection}`);
  }

  async #fetch(url: string): Promise<void> {
    const answer = await download(this.#ports.fetch, url);
    if (!answer.ok) return this.#tellFailure(url, answer.refusal, RETRY_SECONDS);
    const objection = this.#take(url, answer.value);
    if (objection !== undefined) return this.#tellFailure(url, objection, DOUBT_SECONDS);
    this.#told.delete(url);
    const checkedAt = this.#ports.now();
    const renewAt = this.#renewalOf(url, checkedAt);
    this.#postpone(url, renewAt);
    const mark = this.#kept.get(url)?.mark ?? '';
    return this.#ports.exchange.tell({ url, checkedAt, renewAt, mark }, answer.value);
  }

  async #tellFailure(url: string, failure: string, again: number): Promise<void> {
    this.#tellRefused(url, failure);
    const checkedAt = this.#ports.now();
    const renewAt = epochSeconds(checkedAt + again);
    this.#postpone(url, renewAt);
    this.#failed.set(url, renewAt);
    return this.#ports.exchange.tell({ url, checkedAt, renewAt, failure });
  }

  /**
   * Says why a list is not believed, if so. One that is gives way only to another that is, and is not older. One that is
   * not is kept where nothing better is at hand and somebody asks, who is then told why.
   */
  #take(url: string, contents: Uint8Array): string | undefined {
    const mark = hash('sha256', contents);
    const kept = this.#kept.get(url) ?? NOTHING;
    if (this.#holds(url, mark)) return undefined;
    if (contents.length > LARGEST_ANSWER) return TOO_LARGE;
    const read = readFirst(contents);
    if (!read.ok) return read.refusal;
    const list = read.value;
    const doubt = this.#whyNotBelieved(list);
    if (kept.isBelieved && kept.list) {
      const objection = doubt ?? (isOlder(list, kept.list) ? 'it is older than the CRL before it' : undefined);
      if (objection) return objection;
    } else if (doubt && !this.#asked.has(url)) return doubt;
    const endsAt = doubt ? NEVER : (list.nextUpdate ?? NEVER);
    this.#kept.set(url, { list, mark, isBelieved: !doubt, renewAt: kept.renewAt, endsAt });
    this.#ports.changed();
    return doubt;
  }

  #whyNotBelieved(list: RevocationList): string | undefined {
    return whyNotBelieved(list, this.#ports.authorities());
  }

  #renewalOf(url: string, at: EpochSeconds): EpochSeconds {
    const { list } = this.#kept.get(url) ?? NOTHING;
    return renewalOf(list?.thisUpdate, list?.nextUpdate, at);
  }

  #postpone(url: string, renewAt: EpochSeconds): void {
    this.#kept.set(url, { ...(this.#kept.get(url) ?? NOTHING), renewAt });
  }

  #isWorthKeeping(url: string, { list, isBelieved }: KeptList): boolean {
    return this.#ports.exchange.isWanted(url) && (!list || !isBelieved || !this.#whyNotBelieved(list));
  }

  #forget(url: string): void {
    this.#kept.delete(url);
    this.#asked.delete(url);
    this.#told.delete(url);
    this.#failed.delete(url);
    this.#ports.changed();
  }

  #tellRefused(url: string, why: string): void {
    if (this.#told.get(url) !== why) this.#ports.tellRefused(url, why);
    this.#told.set(url, why);
  }
}

/** The first that can be read, of several in PEM. */
function readFirst(contents: Uint8Array): Outcome<RevocationList, string> {
  const all = readPemOrDer(contents, 'X509 CRL').map(readRevocationList);
  return all.find(({ ok }) => ok) ?? all[0] ?? refused('there is no CRL, neither PEM nor DER');
}

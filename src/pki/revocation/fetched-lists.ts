// The lists that certificates name: fetched by one node, taken by every node for itself. Whatever brought a list, network
// or store, it is parsed, believed and compared with the one before it here.
import { setTimeout as pause } from 'node:timers/promises';
import type { ApprovedIssuer } from '../../core/issuer.ts';
import { type Outcome, refused } from '../../core/outcome.ts';
import type { SharedList } from '../../core/shared-list.ts';
import { type EpochSeconds, earlier, epochSeconds } from '../../core/time.ts';
import { download, type Fetch, tooLargeFor } from '../../outbound/download.ts';
import type { Certificate } from '../x509/certificate.ts';
import type { RevocationList } from './crl.ts';
import { whyNotBelieved } from './crl-check.ts';
import { type KeptLists, NOTHING, type ServedList, withList } from './kept-lists.ts';
import type { ListExchange } from './list-exchange.ts';
import type { ListReader } from './list-reader.ts';
import { backOff, LONGEST_RETRY_SECONDS, NEVER, RETRY_SECONDS, Renewals, renewalOf } from './renewal.ts';

/** An authority whose lists count, and the approved issuer above it. */
export interface KnownAuthority {
  readonly authority: Certificate;
  readonly issuer: ApprovedIssuer;
}

export interface ListPorts {
  readonly fetch: Fetch;
  readonly now: () => EpochSeconds;
  readonly exchange: ListExchange;
  readonly reader: ListReader;
  /** Approved issuers that use lists, and authorities below them. */
  readonly authorities: () => readonly KnownAuthority[];
  /** Logs why a list was not taken; once, not with every try. */
  readonly tellRefused: (url: string, why: string) => void;
  /** The set of lists has changed. */
  readonly changed: () => void;
  /** A believed list came from there. */
  readonly served: (url: string) => void;
  readonly forgotten: (url: string) => void;
  readonly mostBytes: number;
}

/** A list that is served but not believed may be large, so it is fetched again later than one that did not come. */
const DOUBT_SECONDS = 600;
const LOOK_AGAIN_MS = 250;
/** Longer than the timer that renews takes for a round. */
const OTHERS_FIRST_SECONDS = 15;
/** For all of a list, which may be large. */
const FETCH_MS = 30_000;
/** A request waits no longer than this for a list; the fetch goes on. Another node may have to take over first. */
const WAIT_MS = 15_000;

export class FetchedLists {
  readonly #ports: ListPorts;
  readonly #renewals: Renewals;
  readonly #kept = new Map<string, KeptLists>();
  /** Lists that callers of this node have named, and the approved issuers above these callers. */
  readonly #asked = new Map<string, Set<string>>();
  readonly #told = new Map<string, string>();
  /** Where this node failed last, and when it is to be tried again. */
  readonly #failed = new Map<string, EpochSeconds>();
  /** How long the last failure was waited out. */
  readonly #delays = new Map<string, number>();
  /** Contents in the store that were not believed: parsed again when other authorities count. */
  readonly #refused = new Map<string, string>();

  constructor(ports: ListPorts) {
    this.#ports = ports;
    this.#renewals = new Renewals(ports.now);
  }

  get lists(): RevocationList[] {
    return [...this.#kept.values()].flatMap(({ lists }) => lists.map(({ list }) => list));
  }

  /** Waits only where no list that has not ended is at hand, and not for long. */
  async need(url: string, label: string): Promise<void> {
    const labels = this.#asked.get(url) ?? new Set<string>();
    this.#asked.set(url, labels.add(label));
    this.#ports.exchange.asked(url);
    const renewal = this.#renewals.once(url, this.#kept.get(url), () => this.#renew(url));
    const patience = new AbortController();
    const waited = pause(WAIT_MS, undefined, { signal: patience.signal, ref: false }).catch(() => undefined);
    // A fault after that has nobody to hear it: the next caller who waits will.
    renewal.catch(() => undefined);
    await Promise.race([renewal, waited]).finally(() => patience.abort());
  }

  /** Takes what other nodes have fetched. `all`: also what was refused before, for other authorities may count now. */
  async follow(all: boolean): Promise<void> {
    if (all) this.#refused.clear();
    const news = await this.#ports.exchange.news(all);
    for (const shared of news ?? []) await this.#follow(shared);
  }

  /** Renews what is due, and forgets what nobody wants, or nobody who counts has signed. */
  async renew(): Promise<void> {
    for (const [url, kept] of this.#kept) this.#keepOrForget(url, kept);
    const mine = [...this.#kept].filter(([url, kept]) => !this.#leavesToOthers(url, kept));
    await Promise.all(mine.map(([url, kept]) => this.#renewals.once(url, kept, () => this.#renew(url))));
  }

  /** A node that failed lets the others go first: one of them may reach what this one cannot. */
  #leavesToOthers(url: string, { renewAt }: KeptLists): boolean {
    return this.#failed.get(url) === renewAt && this.#ports.now() < renewAt + OTHERS_FIRST_SECONDS;
  }

  async #renew(url: string): Promise<void> {
    while (await this.#isStillDue(url)) {
      // Once more under the lease: another node may have fetched it in the meantime.
      const fetched = async () => (await this.#isStillDue(url)) && this.#fetch(url);
      if (await this.#ports.exchange.byOne(url, fetched)) return;
      await pause(LOOK_AGAIN_MS);
    }
  }

  async #isStillDue(url: string): Promise<boolean> {
    this.#refused.delete(url);
    const shared = await this.#ports.exchange.find(url);
    if (shared) await this.#follow(shared);
    const kept = this.#kept.get(url);
    return !kept || this.#ports.now() >= kept.renewAt;
  }

  async #follow({ url, mark, failure, checkedAt, renewAt }: SharedList): Promise<void> {
    if (mark !== undefined && !this.#holds(url, mark) && this.#refused.get(url) !== mark) {
      await this.#takeShared(url, mark);
    }
    const hasFailed = failure !== undefined && (this.#kept.has(url) || this.#asked.has(url));
    if (!hasFailed && !this.#holds(url, mark)) return;
    if (hasFailed) this.#delays.set(url, Math.max(renewAt - checkedAt, this.#delays.get(url) ?? 0));
    // Never later than this node would by itself: the store may say anything.
    const at = earlier(checkedAt, this.#ports.now());
    const latest = hasFailed ? epochSeconds(at + LONGEST_RETRY_SECONDS) : this.#renewalOf(url, at);
    this.#postpone(url, earlier(renewAt, latest));
  }

  #holds(url: string, mark: string | undefined): boolean {
    const { isBelieved, lists } = this.#kept.get(url) ?? NOTHING;
    return isBelieved && lists.some((served) => served.mark === mark);
  }

  async #takeShared(url: string, mark: string): Promise<void> {
    const contents = await this.#ports.exchange.contents(url);
    if (!contents) return;
    const taken = await this.#take(url, new Uint8Array(contents));
    if (taken.ok) return;
    this.#refused.set(url, mark);
    if (this.#asked.has(url)) this.#tellRefused(url, `in the store: ${taken.refusal}`);
  }

  async #fetch(url: string): Promise<void> {
    const { fetch, mostBytes, exchange, now } = this.#ports;
    const answer = await download(fetch, url, { mostBytes, withinMs: FETCH_MS, allowed: this.#allowedFor(url) });
    if (!answer.ok) return this.#tellFailure(url, answer.refusal, RETRY_SECONDS);
    const taken = await this.#take(url, answer.value);
    if (!taken.ok) return this.#tellFailure(url, taken.refusal, DOUBT_SECONDS);
    this.#told.delete(url);
    const checkedAt = now();
    const renewAt = this.#renewalAfter(url, taken.value.list, checkedAt);
    this.#postpone(url, renewAt);
    // A delta does not replace a complete list in the store either.
    const isBeside = taken.value.list.isDelta && (this.#kept.get(url)?.lists.length ?? 0) > 1;
    if (isBeside) return exchange.tell({ url, checkedAt, renewAt });
    return exchange.tell({ url, checkedAt, renewAt, mark: taken.value.mark }, taken.value.contents);
  }

  /** A list that has ended already was published late: like a failure, it is waited out longer each time. */
  #renewalAfter(url: string, { nextUpdate = NEVER }: RevocationList, at: EpochSeconds): EpochSeconds {
    if (nextUpdate > at) {
      this.#delays.delete(url);
      return this.#renewalOf(url, at);
    }
    return epochSeconds(at + this.#nextDelay(url, RETRY_SECONDS));
  }

  async #tellFailure(url: string, failure: string, first: number): Promise<void> {
    this.#tellRefused(url, failure);
    const checkedAt = this.#ports.now();
    const renewAt = epochSeconds(checkedAt + this.#nextDelay(url, first));
    this.#postpone(url, renewAt);
    this.#failed.set(url, renewAt);
    return this.#ports.exchange.tell({ url, checkedAt, renewAt, failure });
  }

  #nextDelay(url: string, first: number): number {
    const delay = backOff(first, this.#delays.get(url));
    this.#delays.set(url, delay);
    return delay;
  }

  /** Believed and not older than the one before it, or refused. One that is not believed is kept where it says why. */
  async #take(
    url: string,
    given: Uint8Array<ArrayBuffer>,
  ): Promise<Outcome<ServedList & { contents: Uint8Array }, string>> {
    const { mostBytes, reader } = this.#ports;
    if (given.length > mostBytes) return refused(tooLargeFor(mostBytes));
    const authorities = this.#authorities();
    const { contents, mark, lists } = await reader.read(given, authorities);
    const read = lists.find(({ ok }) => ok) ?? lists[0] ?? refused('there is no CRL, neither PEM nor DER');
    if (!read.ok) return read;
    const served = { list: read.value, mark };
    const kept = this.#kept.get(url) ?? NOTHING;
    const doubt = whyNotBelieved(served.list, authorities);
    if (doubt) {
      if (!kept.isBelieved && this.#asked.has(url)) this.#keep(url, { ...kept, lists: [served] });
      return refused(doubt);
    }
    if (this.#holds(url, mark)) return { ok: true, value: { ...this.#servedAs(url, mark, served), contents } };
    const next = withList(kept, served);
    if (!next.ok) return next;
    this.#keep(url, next.value);
    this.#ports.served(url);
    return { ok: true, value: { ...served, contents } };
  }

  #servedAs(url: string, mark: string, otherwise: ServedList): ServedList {
    return this.#kept.get(url)?.lists.find((served) => served.mark === mark) ?? otherwise;
  }

  #keep(url: string, kept: KeptLists): void {
    this.#kept.set(url, kept);
    this.#ports.changed();
  }

  #authorities(): Certificate[] {
    return this.#ports.authorities().map(({ authority }) => authority);
  }

  /** What the issuers list that the list is fetched for: those whose callers named it, or whose authorities signed it. */
  #allowedFor(url: string): string[] {
    const { lists } = this.#kept.get(url) ?? NOTHING;
    const asking = this.#ports.authorities().filter(({ authority, issuer }) => {
      return this.#asked.get(url)?.has(issuer.label) || lists.some(({ list }) => !whyNotBelieved(list, [authority]));
    });
    return [...new Set(asking.flatMap(({ issuer }) => issuer.revocation.allowedAddresses ?? []))];
  }

  #renewalOf(url: string, at: EpochSeconds): EpochSeconds {
    const { list } = this.#kept.get(url)?.lists.at(-1) ?? {};
    return renewalOf(list?.thisUpdate, list?.nextUpdate, at);
  }

  #postpone(url: string, renewAt: EpochSeconds): void {
    this.#kept.set(url, { ...(this.#kept.get(url) ?? NOTHING), renewAt });
  }

  #keepOrForget(url: string, kept: KeptLists): void {
    const lists = this.#listsWorthKeeping(url, kept);
    if (!lists) this.#forget(url);
    else if (lists.length < kept.lists.length) this.#keep(url, { ...kept, lists });
  }

  /** Nothing, where the address itself is of no use any more. */
  #listsWorthKeeping(url: string, { isBelieved, lists }: KeptLists): readonly ServedList[] | undefined {
    if (!this.#ports.exchange.isWanted(url)) return undefined;
    if (!isBelieved) {
      const asking = this.#asked.get(url);
      return this.#ports.authorities().some(({ issuer }) => asking?.has(issuer.label)) ? lists : undefined;
    }
    const authorities = this.#authorities();
    const believed = lists.filter(({ list }) => !whyNotBelieved(list, authorities));
    return believed.length > 0 ? believed : undefined;
  }

  #forget(url: string): void {
    for (const known of [this.#kept, this.#asked, this.#told, this.#failed, this.#delays, this.#refused]) {
      known.delete(url);
    }
    this.#ports.forgotten(url);
    this.#ports.changed();
  }

  #tellRefused(url: string, why: string): void {
    if (this.#told.get(url) !== why) this.#ports.tellRefused(url, why);
    this.#told.set(url, why);
  }
}

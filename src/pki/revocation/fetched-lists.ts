// The lists that certificates name. One node fetches each, and every node parses, checks and compares it here.
import type { ApprovedIssuer } from '../../core/issuer.ts';
import { type Outcome, refused } from '../../core/outcome.ts';
import type { SharedList } from '../../core/shared-download.ts';
import { type EpochSeconds, earlier, epochSeconds } from '../../core/time.ts';
import { download, type Fetch, tooLargeFor } from '../../outbound/download.ts';
import { fetchUnlessShared, waitAtMost } from '../../outbound/shared-download.ts';
import type { Certificate } from '../x509/certificate.ts';
import { beginOf, type RevocationList } from './crl.ts';
import { whyNotTrusted } from './crl-check.ts';
import {
  type KeptLists,
  type ListExchange,
  type ListLimits,
  ListStock,
  type ServedList,
  withList,
} from './kept-lists.ts';
import type { ListReader } from './list-reader.ts';
import { backOff, MAX_RETRY_SECONDS, NEVER, RETRY_SECONDS, renewalOf, renewals } from './renewal.ts';

/** A CA whose lists are used, and the approved issuer above it. */
export interface KnownAuthority {
  readonly authority: Certificate;
  readonly issuer: ApprovedIssuer;
}

export interface ListPorts {
  readonly fetch: Fetch;
  readonly now: () => EpochSeconds;
  readonly exchange: ListExchange;
  readonly reader: ListReader;
  /** Approved issuers that use lists, and CAs below them. */
  readonly authorities: () => readonly KnownAuthority[];
  /** Logs why a list was not used; once, not on every retry. */
  readonly logRefused: (url: string, why: string) => void;
  readonly changed: () => void;
  readonly limitHit: (limit: string) => void;
  readonly limits: () => ListLimits;
}

/** An untrusted list may be large, so the retry comes later than after a failed download. */
const DOUBT_SECONDS = 600;
/** Longer than one round of the renewal timer. */
const OTHERS_FIRST_SECONDS = 15;
/** For the whole download; a list may be large. */
const FETCH_MS = 30_000;
/** The longest that a request waits for a list; the download continues. Leaves time for another node to take over. */
const WAIT_MS = 15_000;

export class FetchedLists {
  readonly #ports: ListPorts;
  readonly #renewOnce: ReturnType<typeof renewals>;
  readonly #stock: ListStock;
  readonly #logged = new Map<string, string>();
  /** The last failures of this node, and when to retry. */
  readonly #failed = new Map<string, EpochSeconds>();
  /** The delay after the last failure. */
  readonly #delays = new Map<string, number>();
  /** Contents in the store that are not trusted or do not fit; parsed again when the set of CAs changes. */
  readonly #refused = new Map<string, string>();

  constructor(ports: ListPorts) {
    this.#ports = ports;
    this.#renewOnce = renewals(ports.now);
    this.#stock = new ListStock(ports.limits);
  }

  get lists(): RevocationList[] {
    return this.#stock.all.flatMap(([, { lists }]) => lists.map(({ list }) => list));
  }

  /** These lists are not dropped until the returned function is called. */
  readonly hold: ListStock['hold'] = (urls) => this.#stock.hold(urls);

  /** Waits only if there is no unexpired list, and only for a limited time. */
  need(url: string, label: string): Promise<void> {
    const kept = this.#stock.name(url, label);
    this.#ports.exchange.named(url);
    const renewal = this.#renewOnce(url, kept, () => this.#renew(url));
    return waitAtMost(WAIT_MS, renewal);
  }

  /** Loads lists that other nodes fetched. `all`: includes those refused before, because other CAs may be approved now. */
  async follow(all: boolean): Promise<void> {
    if (all) this.#refused.clear();
    const news = await this.#ports.exchange.news(all);
    for (const shared of news ?? []) await this.#follow(shared);
  }

  /** Renews what is due; drops lists that nobody uses or that no accepted CA signed. */
  async renew(): Promise<void> {
    for (const [url, kept] of this.#stock.all) this.#keepOrForget(url, kept);
    this.#dropSurplus();
    const mine = this.#stock.all.filter(([url, kept]) => !this.#leavesToOthers(url, kept));
    await Promise.all(mine.map(([url, kept]) => this.#renewOnce(url, kept, () => this.#renew(url))));
  }

  /** A node that failed lets other nodes try first: one of them may reach the address. */
  #leavesToOthers(url: string, { renewAt }: KeptLists): boolean {
    return this.#failed.get(url) === renewAt && this.#ports.now() < renewAt + OTHERS_FIRST_SECONDS;
  }

  #renew(url: string): Promise<void> {
    const isDue = () => this.#isStillDue(url);
    return fetchUnlessShared(url, this.#ports.exchange, isDue, () => this.#fetch(url));
  }

  async #isStillDue(url: string): Promise<boolean> {
    this.#refused.delete(url);
    const shared = await this.#ports.exchange.find(url);
    if (shared) await this.#follow(shared);
    return this.#ports.now() >= this.#stock.get(url).renewAt;
  }

  async #follow({ url, mark, failure, checkedAt, renewAt }: SharedList): Promise<void> {
    if (!this.#stock.hasRoom(url, 0)) return;
    if (mark !== undefined && !this.#heldAs(url, mark) && this.#refused.get(url) !== mark)
      await this.#takeShared(url, mark);
    const hasFailed = failure !== undefined && this.#stock.has(url);
    if (!hasFailed && !this.#heldAs(url, mark)) return;
    const delay = renewAt - checkedAt;
    if (hasFailed) this.#delays.set(url, Math.max(delay, this.#delays.get(url) ?? delay));
    // Never later than this node's own schedule: the store's value is not trusted.
    const at = earlier(checkedAt, this.#ports.now());
    const latest = hasFailed ? epochSeconds(at + MAX_RETRY_SECONDS) : this.#renewalOf(url, at);
    this.#postpone(url, earlier(renewAt, latest));
  }

  async #takeShared(url: string, mark: string): Promise<void> {
    const contents = await this.#ports.exchange.contents(url);
    if (!contents) return;
    if (!this.#stock.hasRoom(url, contents.length)) return void this.#refused.set(url, mark);
    const taken = await this.#take(url, contents);
    if (taken.ok) return;
    this.#refused.set(url, mark);
    if (this.#stock.namedBy(url)) this.#logRefused(url, `in the store: ${taken.refusal}`);
  }

  async #fetch(url: string): Promise<void> {
    const { fetch, limits, exchange, now } = this.#ports;
    const answer = await download(fetch, url, {
      maxBytes: limits().listBytes,
      withinMs: FETCH_MS,
      allowed: this.#allowedFor(url),
    });
    if (!this.#stock.has(url)) return; // dropped in the meantime
    if (!answer.ok) return this.#shareFailure(url, answer.refusal, RETRY_SECONDS);
    const taken = await this.#take(url, answer.value);
    if (!taken.ok) return this.#shareFailure(url, taken.refusal, DOUBT_SECONDS);
    this.#logged.delete(url);
    const checkedAt = now();
    const renewAt = this.#renewalAfter(url, taken.value.list, checkedAt);
    this.#postpone(url, renewAt);
    // In the store, too, a delta does not replace a complete list, nor a list that is not valid yet a valid one.
    const { list } = taken.value;
    const isBeside = (list.isDelta || beginOf(list) > checkedAt) && this.#stock.get(url).lists.length > 1;
    if (isBeside) return exchange.share({ url, checkedAt, renewAt });
    return exchange.share({ url, checkedAt, renewAt, mark: taken.value.mark }, taken.value.contents);
  }

  /** A list that arrives expired or not yet valid is treated as a failure, with growing delays: the CA may correct it. */
  #renewalAfter(url: string, list: RevocationList, at: EpochSeconds): EpochSeconds {
    if ((list.nextUpdate ?? NEVER) > at && beginOf(list) <= at) {
      this.#delays.delete(url);
      return this.#renewalOf(url, at);
    }
    return epochSeconds(at + this.#nextDelay(url, RETRY_SECONDS));
  }

  async #shareFailure(url: string, failure: string, first: number): Promise<void> {
    this.#logRefused(url, failure);
    const checkedAt = this.#ports.now();
    const renewAt = epochSeconds(checkedAt + this.#nextDelay(url, first));
    this.#postpone(url, renewAt);
    this.#failed.set(url, renewAt);
    return this.#ports.exchange.share({ url, checkedAt, renewAt, failure });
  }

  #nextDelay(url: string, first: number): number {
    const delay = backOff(first, this.#delays.get(url));
    this.#delays.set(url, delay);
    return delay;
  }

  /** Stores a list that is trusted and not older, else refuses it. An untrusted one is kept if it gives a reason. */
  async #take(
    url: string,
    given: Uint8Array<ArrayBuffer>,
  ): Promise<Outcome<ServedList & { contents: Uint8Array }, string>> {
    const { limits, reader, now } = this.#ports;
    const { listBytes } = limits();
    if (given.length > listBytes) return refused(tooLargeFor(listBytes));
    const authorities = this.#authorities();
    const known = this.#trusted(url).map((served) => served.mark);
    const { contents, mark, lists } = await reader.read(given, authorities, known);
    const held = this.#heldAs(url, mark);
    if (held) {
      const doubt = whyNotTrusted(held.list, authorities);
      return doubt ? refused(doubt) : { ok: true, value: { ...held, contents } };
    }
    const read = lists.find(({ ok }) => ok) ?? lists[0] ?? refused('there is no CRL in PEM or DER');
    if (!read.ok) return read;
    const served = { list: read.value, mark };
    const kept = this.#stock.get(url);
    const doubt = whyNotTrusted(served.list, authorities);
    if (doubt) {
      if (!kept.isTrusted && this.#stock.namedBy(url)) this.#keep(url, { ...kept, lists: [served] });
      return refused(doubt);
    }
    const next = withList(kept, served, now());
    if (!next.ok) return next;
    this.#keep(url, next.value);
    return { ok: true, value: { ...served, contents } };
  }

  #heldAs(url: string, mark: string | undefined): ServedList | undefined {
    return this.#trusted(url).find((served) => served.mark === mark);
  }

  #trusted(url: string): readonly ServedList[] {
    const { isTrusted, lists } = this.#stock.get(url);
    return isTrusted ? lists : [];
  }

  #keep(url: string, kept: KeptLists): void {
    this.#put(url, kept);
    this.#ports.changed();
  }

  #put(url: string, kept: KeptLists): void {
    this.#stock.set(url, kept);
    this.#dropSurplus();
  }

  #dropSurplus(): void {
    for (let drop = this.#stock.surplus; drop; drop = this.#stock.surplus) {
      const { mark } = this.#stock.get(drop.dropped).lists.at(-1) ?? {};
      this.#ports.limitHit(drop.limit);
      this.#forget(drop.dropped);
      // Not loaded from the store again before a caller needs it.
      if (mark !== undefined) this.#refused.set(drop.dropped, mark);
    }
  }

  #authorities(): Certificate[] {
    return this.#ports.authorities().map(({ authority }) => authority);
  }

  /** The allowed addresses of the issuers whose callers named the list, or whose CAs signed it. */
  #allowedFor(url: string): string[] {
    const { lists } = this.#stock.get(url);
    const isNamedBy = ({ label }: ApprovedIssuer) => this.#stock.namedBy(url)?.has(label);
    const hasSigned = (authority: Certificate) => lists.some(({ list }) => !whyNotTrusted(list, [authority]));
    const relevant = this.#ports.authorities().filter((one) => isNamedBy(one.issuer) || hasSigned(one.authority));
    return [...new Set(relevant.flatMap(({ issuer }) => issuer.revocation.allowedAddresses ?? []))];
  }

  #renewalOf(url: string, at: EpochSeconds): EpochSeconds {
    const { list } = this.#stock.get(url).lists.at(-1) ?? {};
    return renewalOf(list?.thisUpdate, list?.nextUpdate, at);
  }

  #postpone(url: string, renewAt: EpochSeconds): void {
    if (this.#stock.has(url)) this.#put(url, { ...this.#stock.get(url), renewAt });
  }

  #keepOrForget(url: string, kept: KeptLists): void {
    const lists = this.#listsWorthKeeping(url, kept);
    if (!lists) {
      this.#forget(url);
      this.#refused.clear(); // there may be room now
    } else if (lists.length < kept.lists.length) this.#keep(url, { ...kept, lists });
  }

  /** Undefined if the address itself is no longer used. */
  #listsWorthKeeping(url: string, { isTrusted, lists }: KeptLists): readonly ServedList[] | undefined {
    if (!this.#ports.exchange.isWanted(url)) return undefined;
    if (!isTrusted) {
      const labels = this.#stock.namedBy(url);
      return this.#ports.authorities().some(({ issuer }) => labels?.has(issuer.label)) ? lists : undefined;
    }
    const authorities = this.#authorities();
    const trusted = lists.filter(({ list }) => !whyNotTrusted(list, authorities));
    return trusted.length > 0 ? trusted : undefined;
  }

  #forget(url: string): void {
    const { lists } = this.#stock.get(url);
    for (const known of [this.#stock, this.#logged, this.#failed, this.#delays, this.#refused]) known.delete(url);
    if (lists.length > 0) this.#ports.changed();
  }

  #logRefused(url: string, why: string): void {
    if (this.#logged.get(url) !== why) this.#ports.logRefused(url, why);
    this.#logged.set(url, why);
  }
}

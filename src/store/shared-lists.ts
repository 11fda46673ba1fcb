import { hash } from 'node:crypto';
import type { Integration } from '../core/integration.ts';
import { type Settings, settingsFor } from '../core/settings.ts';
import type { SharedList } from '../core/shared-download.ts';
import { after, type EpochSeconds, epochSeconds, later, type Seconds, seconds } from '../core/time.ts';
import { fetchByOne } from './lease.ts';
import { loadContents, storeContents } from './list-contents.ts';
import { rows } from './pages.ts';
import type { Store } from './store.ts';
import { revocationLists } from './tables/revocation-lists.ts';

interface ListPorts {
  readonly store: Store;
  readonly registry: { readonly integrations: readonly Integration[] };
  readonly settings: Settings;
  readonly clock: { readonly now: () => EpochSeconds };
}

/** How often `askedAt` is shared with other nodes. */
const DAY = seconds(86_400);
const NEVER = epochSeconds(0);

/** Shares revocation lists through the store: one node fetches, all read. */
export class SharedLists {
  readonly #ports: ListPorts;
  /** When callers of this node last asked for a list. */
  readonly #asked = new Map<string, EpochSeconds>();
  #known = new Map<string, SharedList>();
  #stamp = '';

  constructor(ports: ListPorts) {
    this.#ports = ports;
  }

  named(url: string): void {
    this.#asked.set(url, this.#ports.clock.now());
  }

  /** A list is followed as long as a grant from a certificate that names it may live. */
  isWanted(url: string): boolean {
    const askedAt = later(this.#asked.get(url) ?? NEVER, this.#known.get(url)?.askedAt ?? NEVER);
    return this.#ports.clock.now() < after(askedAt, longestGrant(this.#ports));
  }

  async news(all: boolean): Promise<readonly SharedList[] | undefined> {
    const { store } = this.#ports;
    await this.#shareAsked();
    const stamp = await store.stamp(revocationLists);
    if (stamp === this.#stamp && !all) return undefined;
    const lists = await Array.fromAsync(rows(store, revocationLists));
    this.#known = new Map(lists.map((list) => [list.url, list]));
    this.#stamp = stamp;
    return [...this.#known.values()].filter(({ url }) => this.isWanted(url));
  }

  async find(url: string): Promise<SharedList | undefined> {
    const found = (await this.#ports.store.load(revocationLists, url)).found?.row;
    if (found) this.#known.set(url, found);
    return found;
  }

  contents(url: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return loadContents(this.#ports.store, url);
  }

  byOne(url: string, work: () => Promise<unknown>): Promise<boolean> {
    return fetchByOne(`list ${hash('sha256', url)}`, work, this.#ports.store);
  }

  /** Writes the contents first, so that a node that reads the news finds them. */
  async share(news: Omit<SharedList, 'askedAt'>, contents?: Uint8Array): Promise<void> {
    const { store } = this.#ports;
    const { url, checkedAt, mark: ofContents } = news;
    if (contents) await storeContents(store, { url, mark: ofContents, fetchedAt: checkedAt, contents });
    const asked = this.#asked.get(url) ?? this.#known.get(url)?.askedAt ?? checkedAt;
    await store.change(revocationLists, url, (found) => {
      const mark = news.mark ?? found?.row.mark;
      const askedAt = later(asked, found?.row.askedAt ?? NEVER);
      return { outcome: undefined, next: { ...news, askedAt, ...(mark !== undefined && { mark }) } };
    });
  }

  async #shareAsked(): Promise<void> {
    for (const [url, askedAt] of this.#asked) {
      const known = this.#known.get(url);
      if (!known || askedAt < after(known.askedAt, DAY)) continue;
      await this.#ports.store.change(revocationLists, url, (found) =>
        found && found.row.askedAt < askedAt
          ? { outcome: undefined, next: { ...found.row, askedAt } }
          : { outcome: undefined },
      );
      this.#known.set(url, { ...known, askedAt });
    }
  }
}

function longestGrant({ registry, settings }: ListPorts): Seconds {
  const lifetimes = registry.integrations.map((integration) => settingsFor(integration, settings).grantLifetime);
  return seconds(Math.max(settings.grantLifetime, ...lifetimes));
}

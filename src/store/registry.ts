import type { Integration } from '../core/integration.ts';
import type { ApprovedIssuer } from '../core/issuer.ts';
import { rows } from './pages.ts';
import { SharedLooks } from './shared-looks.ts';
import type { Store } from './store.ts';
import { integrations, issuers } from './tables/registry.ts';

/** Integrations and issuers are few, and every request needs them: held in memory, read again when their stamp changes. */
export class FollowedRegistry {
  readonly #store: Store;
  #integrations: ReadonlyMap<string, Integration> = new Map();
  #issuers: readonly ApprovedIssuer[] = [];
  readonly #stamps = { integrations: '', issuers: '' };
  #lastRefresh = 0;
  #appliedRefresh = 0;
  readonly #looks = new SharedLooks(() => this.#refreshIntegrations());

  constructor(store: Store) {
    this.#store = store;
  }

  integration(clientId: string): Integration | undefined {
    return this.#integrations.get(clientId);
  }

  async findIntegration(clientId: string): Promise<Integration | undefined> {
    const known = this.#integrations.get(clientId);
    if (known) return known;
    await this.#looks.look();
    return this.#integrations.get(clientId);
  }

  get integrations(): readonly Integration[] {
    return [...this.#integrations.values()];
  }

  get issuers(): readonly ApprovedIssuer[] {
    return this.#issuers;
  }

  /** Returns whether something had changed. */
  async refresh(): Promise<boolean> {
    const results = [await this.#refreshIntegrations(), await this.#refreshIssuers()];
    return results.includes(true);
  }

  async #refreshIntegrations(): Promise<boolean> {
    this.#lastRefresh += 1;
    const refresh = this.#lastRefresh;
    const stamp = await this.#store.stamp(integrations);
    if (stamp === this.#stamps.integrations) return false;
    const found = await Array.fromAsync(rows(this.#store, integrations));
    if (refresh < this.#appliedRefresh) return false; // a later one was faster
    this.#appliedRefresh = refresh;
    const registered = found.filter(({ removed }) => !removed);
    this.#integrations = new Map(registered.map((integration) => [integration.clientId, integration]));
    this.#stamps.integrations = stamp;
    return true;
  }

  /** The same array until an issuer changes: cached verdicts on certificates depend on its identity. */
  async #refreshIssuers(): Promise<boolean> {
    const stamp = await this.#store.stamp(issuers);
    if (stamp === this.#stamps.issuers) return false;
    const found = await Array.fromAsync(rows(this.#store, issuers));
    this.#issuers = found.filter((issuer) => issuer.enabled);
    this.#stamps.issuers = stamp;
    return true;
  }
}

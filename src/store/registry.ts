import type { Integration } from '../core/integration.ts';
import type { ApprovedIssuer } from '../core/issuer.ts';
import type { ResourceServer } from '../core/resource-server.ts';
import { signingKeyOf } from '../core/rules/signing-keys.ts';
import type { PublishedKey } from '../core/signing-key.ts';
import type { TokenIssuer } from '../core/token-issuer.ts';
import { FollowedTable } from './followed-table.ts';
import { SharedQuery } from './shared-query.ts';
import type { Store } from './store.ts';
import { integrations } from './tables/integrations.ts';
import { issuers } from './tables/issuers.ts';
import { resourceServers } from './tables/resource-servers.ts';
import { signingKeys } from './tables/signing-keys.ts';
import { tokenIssuers } from './tables/token-issuers.ts';

/** What is registered is little, and every request needs it: held in memory. */
export class FollowedRegistry {
  #integrations: ReadonlyMap<string, Integration> = new Map();
  #issuers: readonly ApprovedIssuer[] = [];
  #resourceServers: readonly ResourceServer[] = [];
  #tokenIssuers: readonly TokenIssuer[] = [];
  #signingKeys: readonly PublishedKey[] = [];
  #signingKey: PublishedKey | undefined;
  readonly #followed: readonly { refresh(): Promise<boolean> }[];
  readonly #integrationQuery: SharedQuery<boolean>;
  readonly #issuerQuery: SharedQuery<boolean>;
  readonly #tokenIssuerQuery: SharedQuery<boolean>;
  readonly #resourceServerQuery: SharedQuery<boolean>;

  /** With all that is registered now. */
  static async load(store: Store, isRetired?: (signingKey: string) => boolean): Promise<FollowedRegistry> {
    const registry = new FollowedRegistry(store, isRetired);
    await registry.refresh();
    return registry;
  }

  /** `isRetired`: keys that the keyring says are retired, whatever an old state of the store has. */
  constructor(store: Store, isRetired: (signingKey: string) => boolean = () => false) {
    const followedIntegrations = new FollowedTable(store, integrations, (found) => {
      const registered = found.filter(({ removed }) => !removed);
      this.#integrations = new Map(registered.map((integration) => [integration.clientId, integration]));
    });
    // The same array until an issuer changes: cached verdicts on certificates depend on its identity.
    const followedIssuers = new FollowedTable(store, issuers, (found) => {
      this.#issuers = found.filter((issuer) => issuer.enabled);
    });
    const followedServers = new FollowedTable(store, resourceServers, (found) => {
      this.#resourceServers = found.filter((server) => server.enabled);
    });
    const followedTokenIssuers = new FollowedTable(store, tokenIssuers, (found) => {
      this.#tokenIssuers = found.filter(({ enabled }) => enabled);
    });
    const followedKeys = new FollowedTable(store, signingKeys, (found) => {
      const kept = found.filter(({ id }) => !isRetired(id));
      this.#signingKeys = kept.filter(({ removedAt }) => removedAt === undefined);
      this.#signingKey = signingKeyOf(kept);
    });
    this.#followed = [followedIntegrations, followedIssuers, followedServers, followedTokenIssuers, followedKeys];
    this.#integrationQuery = new SharedQuery(() => followedIntegrations.refresh());
    this.#issuerQuery = new SharedQuery(() => followedIssuers.refresh());
    this.#tokenIssuerQuery = new SharedQuery(() => followedTokenIssuers.refresh());
    this.#resourceServerQuery = new SharedQuery(() => followedServers.refresh());
  }

  integration(clientId: string): Integration | undefined {
    return this.#integrations.get(clientId);
  }

  async findIntegration(clientId: string): Promise<Integration | undefined> {
    const known = this.#integrations.get(clientId);
    if (known) return known;
    await this.#integrationQuery.run();
    return this.#integrations.get(clientId);
  }

  get integrations(): readonly Integration[] {
    return [...this.#integrations.values()];
  }

  get issuers(): readonly ApprovedIssuer[] {
    return this.#issuers;
  }

  get tokenIssuers(): readonly TokenIssuer[] {
    return this.#tokenIssuers;
  }

  get resourceServers(): readonly ResourceServer[] {
    return this.#resourceServers;
  }

  /** The published ones. The same array until one changes. */
  get signingKeys(): readonly PublishedKey[] {
    return this.#signingKeys;
  }

  get signingKey(): PublishedKey | undefined {
    return this.#signingKey;
  }

  /** These read the store again: a row may have been added or changed a moment ago. */
  async lookForIssuers(): Promise<readonly ApprovedIssuer[]> {
    await this.#issuerQuery.run();
    return this.#issuers;
  }

  async lookForTokenIssuers(): Promise<readonly TokenIssuer[]> {
    await this.#tokenIssuerQuery.run();
    return this.#tokenIssuers;
  }

  async lookForResourceServers(): Promise<readonly ResourceServer[]> {
    await this.#resourceServerQuery.run();
    return this.#resourceServers;
  }

  /** Returns whether something had changed. */
  async refresh(): Promise<boolean> {
    const results = [];
    for (const followed of this.#followed) results.push(await followed.refresh());
    return results.includes(true);
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Integration } from '../core/integration.ts';
import type { ApprovedIssuer } from '../core/issuer.ts';
import type { ResourceServer } from '../core/resource-server.ts';
import { signingKeyOf } from '../core/rules/signing-keys.ts';
import type { PublishedKey } from '../core/signing-key.ts';
import type { TokenIssuer } from '../core/token-issuer.ts';
import { rows } from './pages.ts';
import type { Store } from './store.ts';
import type { Table } from './table.ts';
import { integrations } from './tables/integrations.ts';
import { issuers } from './tables/issuers.ts';
import { resourceServers } from './tables/resource-servers.ts';
import { signingKeys } from './tables/signing-keys.ts';
import { tokenIssuers } from './tables/token-issuers.ts';

/** What is registered is little, and every request needs it: held in memory, at most a second behind the store. */
export class FollowedRegistry {
  readonly #integrations: FollowedTable<Integration, RegisteredIntegrations>;
  readonly #issuers: FollowedTable<ApprovedIssuer, Registered<ApprovedIssuer>>;
  readonly #resourceServers: FollowedTable<ResourceServer, Registered<ResourceServer>>;
  readonly #tokenIssuers: FollowedTable<TokenIssuer, Registered<TokenIssuer>>;
  readonly #signingKeys: FollowedTable<PublishedKey, SigningKeys>;

  static async load(store: Store, isRetired?: (signingKey: string) => boolean): Promise<FollowedRegistry> {
    const registry = new FollowedRegistry(store, isRetired);
    await registry.refresh();
    return registry;
  }

  /** `isRetired`: keys that the keyring says are retired, whatever an old state of the store has. */
  constructor(store: Store, isRetired: (signingKey: string) => boolean = () => false) {
    this.#integrations = new FollowedTable(store, integrations, (found) => {
      const all = found.filter(({ removed }) => !removed);
      return { all, byId: new Map(all.map((integration) => [integration.clientId, integration])) };
    });
    this.#issuers = new FollowedTable(store, issuers, byState);
    this.#resourceServers = new FollowedTable(store, resourceServers, byState);
    this.#tokenIssuers = new FollowedTable(store, tokenIssuers, byState);
    this.#signingKeys = new FollowedTable(store, signingKeys, (found) => {
      const kept = found.filter(({ id }) => !isRetired(id));
      return { published: kept.filter(({ removedAt }) => removedAt === undefined), signing: signingKeyOf(kept) };
    });
  }

  integration(clientId: string): Integration | undefined {
    return this.#integrations.rows.byId.get(clientId);
  }

  /** The same, but looks in the store before it returns undefined: the integration may have been added a moment ago. */
  async findIntegration(clientId: string): Promise<Integration | undefined> {
    return this.integration(clientId) ?? (await this.#integrations.lookAgain()).byId.get(clientId);
  }

  /** The same array until an integration changes: lists made from it are kept. */
  get integrations(): readonly Integration[] {
    return this.#integrations.rows.all;
  }

  /** The same array until an issuer changes: cached verdicts on certificates depend on its identity. */
  get issuers(): readonly ApprovedIssuer[] {
    return this.#issuers.rows.enabled;
  }

  get allIssuers(): readonly ApprovedIssuer[] {
    return this.#issuers.rows.all;
  }

  get tokenIssuers(): readonly TokenIssuer[] {
    return this.#tokenIssuers.rows.enabled;
  }

  get allTokenIssuers(): readonly TokenIssuer[] {
    return this.#tokenIssuers.rows.all;
  }

  /** The enabled ones. */
  get resourceServers(): readonly ResourceServer[] {
    return this.#resourceServers.rows.enabled;
  }

  /** Also the disabled and removed ones. */
  get allResourceServers(): readonly ResourceServer[] {
    return this.#resourceServers.rows.all;
  }

  /** The published ones. The same array until one changes. */
  get signingKeys(): readonly PublishedKey[] {
    return this.#signingKeys.rows.published;
  }

  /** The one of them that signs now. */
  get signingKey(): PublishedKey | undefined {
    return this.#signingKeys.rows.signing;
  }

  /** Read from the store again: one may have been added or changed a moment ago. */
  async lookForIssuers(): Promise<readonly ApprovedIssuer[]> {
    return (await this.#issuers.lookAgain()).enabled;
  }

  async lookForTokenIssuers(): Promise<readonly TokenIssuer[]> {
    return (await this.#tokenIssuers.lookAgain()).enabled;
  }

  async lookForResourceServers(): Promise<readonly ResourceServer[]> {
    return (await this.#resourceServers.lookAgain()).enabled;
  }

  /** Returns whether something had changed. */
  async refresh(): Promise<boolean> {
    const followed = [this.#integrations, this.#issuers, this.#resourceServers, this.#tokenIssuers, this.#signingKeys];
    const results = [];
    for (const table of followed) results.push(await table.refresh());
    return results.includes(true);
  }
}

interface RegisteredIntegrations {
  readonly all: readonly Integration[];
  readonly byId: ReadonlyMap<string, Integration>;
}

interface Registered<Row> {
  readonly all: readonly Row[];
  readonly enabled: readonly Row[];
}

interface SigningKeys {
  readonly published: readonly PublishedKey[];
  readonly signing: PublishedKey | undefined;
}

function byState<Row extends { readonly enabled: boolean }>(all: readonly Row[]): Registered<Row> {
  return { all, enabled: all.filter(({ enabled }) => enabled) };
}

/** What is kept of the rows of a small table, in memory; read again when the table's stamp changes. */
class FollowedTable<Row, Kept = readonly Row[]> {
  readonly #store: Store;
  readonly #table: Table<Row>;
  readonly #keep: (rows: readonly Row[]) => Kept;
  readonly #query = new SharedQuery(() => this.refresh());
  #rows: Kept;
  #stamp = '';
  #lastRefresh = 0;
  #appliedRefresh = 0;

  constructor(store: Store, table: Table<Row>, keep: (rows: readonly Row[]) => Kept) {
    this.#store = store;
    this.#table = table;
    this.#keep = keep;
    this.#rows = keep([]);
  }

  get rows(): Kept {
    return this.#rows;
  }

  /** Reads the store again: a row may have been added or changed a moment ago. */
  async lookAgain(): Promise<Kept> {
    await this.#query.run();
    return this.#rows;
  }

  /** Returns whether something had changed. */
  async refresh(): Promise<boolean> {
    this.#lastRefresh += 1;
    const refresh = this.#lastRefresh;
    const stamp = await this.#store.stamp(this.#table);
    if (stamp === this.#stamp) return false;
    const found = await Array.fromAsync(rows(this.#store, this.#table));
    if (refresh < this.#appliedRefresh) return false; // a later refresh finished first
    this.#appliedRefresh = refresh;
    this.#rows = this.#keep(found);
    this.#stamp = stamp;
    return true;
  }
}

// Queries the store on behalf of requests, at a bounded rate: unauthenticated clients cause requests, but must not cause as many queries.

/** The least time between the beginnings of two queries. */
const PAUSE_MS = 100;

/** A call returns the result of a query that begins after the call. Calls before it begins share it; queries never overlap. */
class SharedQuery<Result> {
  readonly #query: () => Promise<Result>;
  #next: Promise<Result> | undefined;
  #current: Promise<unknown> = Promise.resolve();
  #began = Number.NEGATIVE_INFINITY;

  constructor(query: () => Promise<Result>) {
    this.#query = query;
  }

  run(): Promise<Result> {
    this.#next ??= this.#runNext(this.#current);
    return this.#next;
  }

  async #runNext(previous: Promise<unknown>): Promise<Result> {
    await previous;
    const pause = this.#began + PAUSE_MS - performance.now();
    if (pause > 0) await sleep(pause);
    this.#began = performance.now();
    this.#next = undefined;
    const result = this.#query();
    this.#current = result.catch(() => undefined); // the callers get the fault
    return result;
  }
}

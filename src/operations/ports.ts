// What operations need from outside. src/compose provides it; tests and the simulator provide their own.
import type { AssertionVerdict } from '../core/assertion.ts';
import type { Presented } from '../core/certificate.ts';
import type { ClientUrl } from '../core/client-document.ts';
import type { Grant } from '../core/grant.ts';
import type { Integration } from '../core/integration.ts';
import type { ApprovedIssuer } from '../core/issuer.ts';
import type { Outcome } from '../core/outcome.ts';
import type { Presenter } from '../core/presenter.ts';
import type { Settings } from '../core/settings.ts';
import type { EpochSeconds } from '../core/time.ts';
import type { TokenIssuer } from '../core/token-issuer.ts';
import type { Verdict } from '../core/verdict.ts';
import type { Directories } from '../directory/side-by-side.ts';
import type { FollowedRegistry } from '../store/registry.ts';
import type { Decision, Store, StorePort } from '../store/store.ts';
import type { AnyTable } from '../store/table.ts';
import type { RefusalCount } from '../store/tables/figures.ts';
import type { Keyring } from '../tokens/keyring.ts';
import type { Derivation } from '../tokens/opaque/pair.ts';

export interface Clock {
  readonly now: () => EpochSeconds;
  readonly milliseconds: () => number;
  /** Seconds since some fixed moment, by a clock that nobody can set. */
  readonly running: () => number;
}

export type Random = (length: number) => Buffer;

/** Tests provide their own. */
export type Registry = Omit<FollowedRegistry, 'refresh'>;

export interface Ports {
  readonly store: Store;
  readonly registry: Registry;
  readonly keyring: Keyring;
  readonly directories: Directories;
  readonly settings: Settings;
  /** The public address of the service: `iss` of its JWTs. */
  readonly issuer: string;
  readonly clock: Clock;
  readonly random: Random;
  /** For a token that the row of its grant does not know: throws HistoryInDoubt unless an accepted rollback explains it. Absent for a store that nobody can put back. */
  readonly explainLoss?: (grant: Grant) => Promise<void>;
}

/** What operations need that identify callers by certificate. */
export interface CallerPorts extends Ports {
  /** Throws StoreUnavailable if the clock is wrong: it would accept expired certificates, or refuse valid ones. */
  readonly admitClock: () => void;
  /** Parses and validates what a caller presented. `issuers` must be the same array as long as it is unchanged. `all`: with removed ones, to name the one that signed. */
  readonly judge: (
    presented: Presented,
    issuers: readonly ApprovedIssuer[],
    all?: readonly ApprovedIssuer[],
  ) => Promise<Verdict>;
  /** For the operator's log: the certificate identified nobody. */
  readonly logRefused: (requestId: string, verdict: Verdict) => void;
  /** A peer that is not a listed proxy sent a certificate header: usually a mistake in the set-up of a proxy. */
  readonly countIgnoredHeader: () => void;
  /** A program that shares a login refreshed it with a spent token. */
  readonly countSibling: () => void;
  /** What the next refresh token is derived from, as far as every node knows it. */
  readonly derivation: () => Derivation;
  /** The refusals that this node has counted but not written yet. Absent beside the store. */
  readonly unwrittenRefusals?: (() => readonly RefusalCount[]) | undefined;
}

/** A guest, and the integration that it is a guest of. */
export interface Guest {
  readonly url: ClientUrl;
  readonly integration: Integration;
}

/** What operations need that identify workloads by assertion. */
export interface AssertionPorts extends Ports {
  /** Parses an assertion, and checks its signature and its claims. */
  readonly judgeAssertion: (assertion: string, tokenIssuers: readonly TokenIssuer[]) => Promise<AssertionVerdict>;
  /** Checks an assertion of a guest in the same way, by the keys of its document. `by`: the person who signed in for it. */
  readonly judgeGuest: (assertion: string, guest: Guest, by: string) => Promise<Outcome<AssertionVerdict>>;
  /** For the operator's log: the assertion identified nobody. */
  readonly logRefusedAssertion: (requestId: string, verdict: AssertionVerdict) => void;
}

export type TokenPorts = CallerPorts & AssertionPorts;

/** 16 bytes as hex: 6 of time, so that rows are laid down in order and pages fill, then 10 random ones. */
export function newId({ clock, random }: Pick<Ports, 'clock' | 'random'>): string {
  return clock.milliseconds().toString(16).padStart(12, '0') + random(10).toString('hex');
}

/** Every event names the request. Refreshes are too frequent for a store of their own: refresh-tokens.ts names the request itself. */
export function portsOfRequest<Some extends StorePort>(ports: Some, requestId: string, presenter?: Presenter): Some {
  const request = { requestId, ...(presenter && { presenter }) };
  const named: See = (decision) =>
    decision.events ? { ...decision, events: decision.events.map((event) => ({ ...event, ...request })) } : decision;
  return { ...ports, store: seenStore(ports.store, (_, change) => change(named)) };
}

/** Gets every decision before it is committed. */
type See = <Row, T>(decision: Decision<Row, T>) => Decision<Row, T>;
type Around = <T>(tables: readonly AnyTable[], change: (see: See) => Promise<T>) => Promise<T>;

/** The same store, with `around` around each change of these tables. */
export function seenStore(store: Store, around: Around): Store {
  return {
    ...store,
    change: (table, key, decide) =>
      around([table], (see) => store.change(table, key, (found, now) => see(decide(found, now)))),
    changeAll: (rows, decide) => {
      const tables = rows.map(({ table }) => table);
      return around(tables, (see) => store.changeAll(rows, (found, now) => see(decide(found, now))));
    },
    create: (table, key, decide) => around([table], (see) => store.create(table, key, (now) => see(decide(now)))),
  };
}

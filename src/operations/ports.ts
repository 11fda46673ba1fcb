// What operations need of the world. compose.ts provides it; tests and the simulator provide their own.
import type { Presented } from '../core/certificate.ts';
import type { Identity } from '../core/identity.ts';
import type { Integration } from '../core/integration.ts';
import type { ApprovedIssuer } from '../core/issuer.ts';
import type { Refused } from '../core/outcome.ts';
import type { Settings } from '../core/settings.ts';
import type { EpochSeconds } from '../core/time.ts';
import type { Verdict } from '../core/verdict.ts';
import type { Store } from '../store/store.ts';
import type { Keyring } from '../tokens/keyring.ts';
import type { Secret } from '../tokens/secret.ts';

export interface Clock {
  readonly now: () => EpochSeconds;
  readonly milliseconds: () => number;
  /** Seconds that have really passed since some moment: no one can set it. */
  readonly running: () => number;
}

export type Random = (length: number) => Buffer;

/** The registered integrations and approved issuers, in memory, at most a second behind the store. */
export interface Registry {
  integration(clientId: string): Integration | undefined;
  readonly integrations: readonly Integration[];
  readonly issuers: readonly ApprovedIssuer[];
}

/** Where identities live. Every answer may hold several: choosing is not the directory's business. */
export interface Directory {
  byUserName(name: string): Promise<readonly Identity[]>;
  byEmail(address: string): Promise<readonly Identity[]>;
  byUpn(name: string): Promise<readonly Identity[]>;
  /** The identity whose password this is. Does the same work for a name that does not exist. */
  bySignIn(name: string, password: Secret): Promise<SignedIn | undefined>;
}

export interface SignedIn {
  readonly identity: Identity;
  /** Of the password that was checked: changes whenever the password does. */
  readonly passwordMark: string | undefined;
}

export interface Ports {
  readonly store: Store;
  readonly registry: Registry;
  readonly keyring: Keyring;
  readonly directory: Directory;
  readonly settings: Settings;
  readonly clock: Clock;
  readonly random: Random;
}

/** Parses and validates what a caller presented. `issuers` must be the same array as long as it is unchanged. */
export type JudgePresented = (presented: Presented, issuers: readonly ApprovedIssuer[]) => Promise<Verdict>;

/** A presented certificate that identified nobody, for the operator's log. */
export interface RefusedCertificate {
  readonly requestId: string;
  readonly verdict: Verdict;
  /** Set if the certificate was accepted and its name was then mapped to no identity. */
  readonly mapping?: Refused;
}

/** What operations need that identify callers by certificate. */
export interface CallerPorts extends Ports {
  readonly judge: JudgePresented;
  readonly logRefused: (refused: RefusedCertificate) => void;
}

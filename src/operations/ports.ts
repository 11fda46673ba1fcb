// What operations need from outside. compose.ts provides it; tests and the simulator provide their own.
import type { CallerName, CertificateMark } from '../core/certificate.ts';
import type { Integration } from '../core/integration.ts';
import type { ApprovedIssuer } from '../core/issuer.ts';
import type { Settings } from '../core/settings.ts';
import type { EpochSeconds } from '../core/time.ts';
import type { Directory } from '../directory/directory.ts';
import type { Store } from '../store/store.ts';
import type { Keyring } from '../tokens/keyring.ts';

export interface Clock {
  readonly now: () => EpochSeconds;
  readonly milliseconds: () => number;
  /** Seconds since some fixed moment, by a clock that nobody can set. */
  readonly running: () => number;
}

export type Random = (length: number) => Buffer;

/** The registered integrations and approved issuers, in memory, at most a second behind the store. */
export interface Registry {
  integration(clientId: string): Integration | undefined;
  readonly integrations: readonly Integration[];
  readonly issuers: readonly ApprovedIssuer[];
}

/** A certificate that an approved issuer vouches for. */
export interface AcceptedCertificate {
  readonly issuer: ApprovedIssuer;
  readonly name: CallerName;
  readonly mark: CertificateMark;
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

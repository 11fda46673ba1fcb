// What all administrative acts share: the author, the refusals and the event. Each act is one file of this folder: it takes
// a draft, returns an outcome, and commits its event with the change.
import type { Author } from '../../core/act.ts';
import { type Outcome, type Refused, refused } from '../../core/outcome.ts';
import type { StoredKey } from '../../tokens/keyring.ts';
import type { Ports } from '../ports.ts';

/** Every refusal of an administrative act. `src/cli/terminal/wording.ts` words them for the terminal. */
export type AdminRefusalReason =
  | 'client-id-malformed'
  | 'scope-malformed'
  | 'text-malformed'
  | 'lifetime-malformed'
  | 'lifetime-too-long'
  | 'access-token-format-unknown'
  | 'import-malformed'
  | 'integration-exists'
  | 'integration-unknown'
  | 'client-id-of-resource-server'
  | 'resource-server-id-malformed'
  | 'resource-server-id-taken'
  | 'resource-server-exists'
  | 'resource-server-unknown'
  | 'resource-server-removal-unconfirmed'
  | 'audience-malformed'
  | 'audience-taken'
  | 'resource-malformed'
  | 'resources-missing'
  | 'secrets-exhausted'
  | 'secrets-not-two'
  | 'identity-id-malformed'
  | 'user-name-malformed'
  | 'user-name-taken'
  | 'address-malformed'
  | 'address-shared'
  | 'identity-unknown'
  | 'identity-ambiguous'
  | 'identity-not-local'
  | 'identity-derived'
  | 'removal-unconfirmed'
  | 'password-too-short'
  | 'label-malformed'
  | 'issuer-exists'
  | 'issuer-key-approved'
  | 'issuer-unknown'
  | 'label-taken'
  | 'token-issuer-malformed'
  | 'token-issuer-ours'
  | 'token-issuer-exists'
  | 'token-issuer-registered'
  | 'token-issuer-unknown'
  | 'key-address-malformed'
  | 'key-set-unusable'
  | 'authorities-unreadable'
  | 'assertion-audience-malformed'
  | 'assertion-lifetime-malformed'
  | 'rule-malformed'
  | 'issuer-key-differs'
  | 'certificate-unreadable'
  | 'certificate-not-authority'
  | 'certificate-expired'
  | 'certificate-refused'
  | 'address-range-malformed'
  | 'crl-file-unusable'
  | 'grant-unknown'
  | 'grant-ambiguous'
  | 'grant-not-live'
  | 'confirmation-missing'
  | 'event-log-rolled-back'
  | 'rollback-none'
  | 'rollback-open'
  | 'clock-implausible'
  | 'keyring-in-variable'
  | 'keyring-busy'
  | 'key-unknown'
  | 'key-mints'
  | 'key-mints-already'
  | 'key-not-everywhere'
  | 'key-in-use'
  | 'key-tokens-alive'
  | 'key-ids-exhausted'
  | 'signing-key-missing'
  | 'signing-key-signs'
  | 'signing-key-signs-already'
  | 'signing-key-retiring'
  | 'signing-key-too-recent';

export interface AdminRefusal {
  readonly reason: AdminRefusalReason;
  /** For people: the client id, field or count that it concerns. Never a secret. */
  readonly about: string;
}

export type AdminOutcome<T> = Outcome<T, AdminRefusal>;

export interface AdminPorts extends Pick<Ports, 'store'> {
  /** The author, for the event log. */
  readonly by: Author;
}

export interface KeyringPorts extends AdminPorts {
  /** Writes the keyring to its place. */
  readonly storeKeys: (keys: readonly StoredKey[]) => void;
}

export function decline(reason: AdminRefusalReason, about: string): Refused<AdminRefusal> {
  return refused({ reason, about });
}

// What all administrative acts share: the author, the refusals and the event. Each act is one file of this folder: it takes
// a draft, returns an outcome, and commits its event with the change.

import type { Author } from '../../core/act.ts';
import { type Outcome, type Refused, refused } from '../../core/outcome.ts';
import type { StorePort } from '../../store/store.ts';
import type { StoredKey } from '../../tokens/keyring.ts';
import type { AdminRefusalReason } from './refusals.ts';

export interface AdminRefusal {
  readonly reason: AdminRefusalReason;
  /** For people: the client id, field or count that it concerns. Never a secret. */
  readonly about: string;
}

export type AdminOutcome<T> = Outcome<T, AdminRefusal>;

/** What an act results in, once it is done. */
export type Acted<T> = Promise<AdminOutcome<T>>;

export interface AdminPorts extends StorePort {
  /** The author, for the event log. */
  readonly by: Author;
  /** The revision that the thing must have: what was decided by an older state is refused. */
  readonly onlyIf?: number | undefined;
  /** Whether it is an owner of the integration, and not an operator. */
  readonly isOwner?: boolean;
}

export interface KeyringPorts extends AdminPorts {
  /** Writes the keyring to its place. */
  readonly storeKeys: (keys: readonly StoredKey[]) => void;
}

export function decline(reason: AdminRefusalReason, about: string): Refused<AdminRefusal> {
  return refused({ reason, about });
}

// The port to where identities live. Operations know directories by this file and side-by-side.ts alone; each kind has its own folder.
import type { Hex } from '../core/hex.ts';
import type { Identity, IdentityId } from '../core/identity.ts';
import type { RecheckTimes } from '../core/rules/directory.ts';
import type { Secret } from '../tokens/secret.ts';

export type Lookup = 'byUserName' | 'byEmail' | 'byUpn';

export interface Directory extends Readonly<Record<Lookup, (name: string) => Promise<readonly Identity[]>>> {
  // Lookups return every match. Whether two matches are a refusal is decided by the caller.
  readonly label: string;
  readonly passwords: PasswordSignIn;
  /** Absent if the identities of the store are the directory. */
  readonly elsewhere?: Elsewhere;
  /** What a new password of this identity must meet; undefined where its password is not changed here. */
  passwordRules(identity: Identity): PasswordRules | undefined;
}

/** What a directory outside of the store adds. Its methods, and lookups in it, throw DirectoryAway if it cannot answer. */
export interface Elsewhere {
  readonly times: RecheckTimes;
  /** As it is now; undefined if no entry with this id can be seen. */
  readonly byId: (id: IdentityId) => Promise<Identity | undefined>;
  /** For operators: what can be seen of it, step by step, and of one name in it. */
  readonly examine: (name?: string) => AsyncIterable<DirectoryStep>;
}

export interface DirectoryStep {
  readonly passed: boolean;
  readonly words: string;
}

/** The person types name and password into our page. */
export interface PasswordSignIn {
  /** Whether a check would have to wait for long, asked before anything is counted. `isKnown`: the person's browser is. */
  isBusy(isKnown: boolean): boolean;
  /** Takes the same time for a wrong password, an unknown name and an ambiguous one. The identity may be disabled. */
  check(userName: string, password: Secret, isKnown: boolean): Promise<SignedIn | undefined>;
  /** The mark of the current password; undefined if exactly one identity with a password is not found. */
  markOf(userName: string): Promise<Hex | undefined>;
}

/** A password was checked and is right. */
export interface SignedIn {
  readonly identity: Identity;
  /** Different for every password that was ever set, and reveals nothing about it. */
  readonly passwordMark: Hex;
  /** Whether that password is still valid. Asked once the session is stored: a reset meanwhile must win. */
  stillHolds(): Promise<boolean>;
  /** False where the password was changed after this check. */
  changePassword(next: Secret): Promise<boolean>;
}

export type PasswordFlaw = 'too-short' | 'too-long';

export interface PasswordRules {
  readonly minLength: number;
  findFlaw(password: Secret): PasswordFlaw | undefined;
}

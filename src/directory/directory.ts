// The port to where identities live. Operations know directories by this file and side-by-side.ts alone; each kind has its own folder.
import type { Hex } from '../core/hex.ts';
import type { Identity, IdentityId } from '../core/identity.ts';
import type { Outcome } from '../core/outcome.ts';
import type { RecheckTimes } from '../core/rules/directory.ts';
import type { EpochSeconds } from '../core/time.ts';
import type { Secret } from '../tokens/secret.ts';

export type Lookup = 'byUserName' | 'byEmail' | 'byUpn';

export interface Directory extends Readonly<Record<Lookup, (name: string) => Promise<readonly Identity[]>>> {
  // Lookups return every match. Whether two matches are a refusal is decided by the caller.
  readonly label: string;
  readonly passwords: PasswordSignIn;
  /** Absent if the identities of the store are the directory. */
  readonly elsewhere?: Elsewhere;
  /** Absent if people sign in with a password. */
  readonly provider?: ProviderSignIn;
}

/** What a directory outside of the store adds. Its methods, and lookups in it, throw DirectoryAway if it cannot answer. */
export interface Elsewhere {
  readonly times: RecheckTimes;
  /** Whether it can be asked at any time, about everybody. */
  readonly isWalked: boolean;
  /** As it is now; undefined if no entry with this id can be seen. */
  readonly again: (row: Identity) => Promise<Identity | undefined>;
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
  /** The same work for a wrong password, an unknown name, an ambiguous one, and an empty password. The identity may be disabled. */
  check(userName: string, password: Secret, isKnown: boolean): Promise<SignedIn | undefined>;
  /** Whose password is checked for this name; undefined if exactly one identity with a password is not found. */
  holderOf(userName: string): Promise<PasswordHolder | undefined>;
}

export interface PasswordHolder {
  readonly id: IdentityId;
  /** Different for every password that was ever set, and reveals nothing about it. */
  readonly passwordMark: Hex;
}

/** The person signs in at an OpenID provider, and returns to our page. The methods throw DirectoryAway if it cannot answer. */
export interface ProviderSignIn {
  readonly name: string;
  /** The address that the browser goes to. */
  readonly begin: (asked: ProviderRequest) => Promise<string>;
  /** Who returns with these parameters. A refusal says why nobody does, for the log. */
  readonly finish: (response: URLSearchParams, asked: ProviderRequest) => Promise<Outcome<AtProvider, string>>;
  /** Where the person signs out there, undefined if nowhere. */
  readonly signOutUrl: (returnTo: string) => Promise<string | undefined>;
}

export interface ProviderRequest {
  readonly redirectUri: string;
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE (RFC 7636). */
  readonly verifier: Secret;
  /** If set, the person must have proved who they are since then, whatever session they have at the provider. */
  readonly provenSince?: EpochSeconds | undefined;
}

export interface AtProvider {
  readonly identity: Identity;
  /** When the person proved there who they are. */
  readonly provenAt: EpochSeconds;
  /** Whether the sign-in is a proof that administration accepts. */
  readonly isStrong: boolean;
}

/** A password was checked and is right. */
export interface SignedIn extends Pick<PasswordHolder, 'passwordMark'> {
  readonly identity: Identity;
  /** Whether that password is still valid. Asked once the session is stored: a reset meanwhile must win. */
  stillHolds(): Promise<boolean>;
  /** False where the password was changed after this check. */
  changePassword(next: Secret): Promise<boolean>;
}

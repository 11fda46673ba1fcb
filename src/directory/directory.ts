// The port to where identities live. Operations know directories by this file alone; each kind has its own folder.
import type { Hex } from '../core/hex.ts';
import type { Identity } from '../core/identity.ts';
import type { Secret } from '../tokens/secret.ts';

export interface Directory {
  // Lookups return every match. Whether two matches are a refusal is decided by the caller.
  byUserName(name: string): Promise<readonly Identity[]>;
  byEmail(address: string): Promise<readonly Identity[]>;
  byUpn(name: string): Promise<readonly Identity[]>;
  /** How people sign in, in the order in which the sign-in page offers it. */
  readonly signInMethods: readonly SignInMethod[];
  /** What a new password of this identity must meet; undefined where its password is not changed here. */
  passwordRules(identity: Identity): PasswordRules | undefined;
}

export type SignInMethod = PasswordSignIn | RedirectSignIn;

/** The person types name and password into our page. */
export interface PasswordSignIn {
  readonly by: 'password';
  /** Whether a check would have to wait for long, asked before anything is counted. `isKnown`: the person's browser is. */
  isBusy(isKnown: boolean): boolean;
  /** Takes the same time for a wrong password, an unknown name and an ambiguous one. The identity may be disabled. */
  check(userName: string, password: Secret, isKnown: boolean): Promise<SignedInByPassword | undefined>;
  /** The mark of the current password; undefined if exactly one identity with a password is not found. */
  passwordMark(userName: string): Promise<Hex | undefined>;
}

/** The browser goes to another site and comes back with its answer. We never see a password. */
export interface RedirectSignIn {
  readonly by: 'redirect';
  /** What the page calls the other site. */
  readonly name: string;
  /** `returnTo`: the address of ours that the other site sends the browser back to. */
  begin(returnTo: string): Promise<Redirect>;
  /** `answer`: the parameters that the browser came back with. Undefined where they do not belong to `kept`. */
  complete(answer: ReadonlyMap<string, string>, kept: Secret): Promise<SignedIn | undefined>;
}

export interface Redirect {
  readonly goTo: string;
  /** Stays in a cookie of this browser until it is back, so that nobody else's answer is accepted. */
  readonly keep: Secret;
}

/** A credential was checked and is right. */
export interface SignedIn {
  readonly identity: Identity;
  /** Whether that credential is still valid. Asked once the session is stored: a reset meanwhile must win. */
  stillHolds(): Promise<boolean>;
  /** Absent where passwords are not changed here. False where the password was changed after this check. */
  changePassword?(next: Secret): Promise<boolean>;
}

export interface SignedInByPassword extends SignedIn {
  /** Different for every password that was ever set, and reveals nothing about it. */
  readonly passwordMark: Hex;
}

export type PasswordFlaw = 'too-short' | 'too-long';

export interface PasswordRules {
  readonly minLength: number;
  findFlaw(password: Secret): PasswordFlaw | undefined;
}

/** Asks each method that takes a password, in order; the first that accepts it counts. */
export async function signInByPassword(
  { signInMethods }: Pick<Directory, 'signInMethods'>,
  userName: string,
  password: Secret,
  isKnown = false,
): Promise<SignedInByPassword | undefined> {
  for (const method of signInMethods) {
    const signedIn = method.by === 'password' ? await method.check(userName, password, isKnown) : undefined;
    if (signedIn) return signedIn;
  }
  return undefined;
}

/** Whether password checks wait for long. */
export function isBusy({ signInMethods }: Pick<Directory, 'signInMethods'>, isKnown: boolean): boolean {
  return signInMethods.some((method) => method.by === 'password' && method.isBusy(isKnown));
}

/** The mark of the current password of this name. */
export async function passwordMarkOf(
  { signInMethods }: Pick<Directory, 'signInMethods'>,
  userName: string,
): Promise<Hex | undefined> {
  for (const method of signInMethods) {
    const mark = method.by === 'password' ? await method.passwordMark(userName) : undefined;
    if (mark) return mark;
  }
  return undefined;
}

import type { EpochSeconds } from './time.ts';

/** `<provider label>:<id>`, the id a braced GUID or a hex string (contract 2.1). */
export type IdentityId = string & { readonly is: 'identity id' };

export interface Identity {
  readonly id: IdentityId;
  readonly enabled: boolean;
  /** Contract 5.4: whether the mapped identity may use the web API. */
  readonly mayUseApi: boolean;
  readonly groups: readonly string[];
  /** The names that its directory has for it; each may be absent. */
  readonly userName?: string;
  readonly email?: string;
  readonly upn?: string;
  /** Of a directory elsewhere: when it last confirmed this row. */
  readonly seenAt?: EpochSeconds;
  /** When that directory was found to have ended the account. Absent if an operator disabled the identity. */
  readonly endedAt?: EpochSeconds;
  /** What its directory has pushed about it (SCIM). It counts for more than what a sign-in says. */
  readonly pushed?: PushedUser;
}

export interface PushedUser {
  readonly userName: string;
  readonly externalId?: string;
  readonly displayName?: string;
  readonly active: boolean;
  readonly emails: readonly PushedEmail[];
  /** Deleted there. The row stays, so that a sign-in does not begin it anew. */
  readonly isGone?: true;
}

export interface PushedEmail {
  readonly value: string;
  readonly type?: string;
  readonly primary?: boolean;
}

/** A group that a directory has pushed. Its members have its name in their own rows. */
export interface PushedGroup {
  /** `LABEL/hex`. */
  readonly id: string;
  readonly directory: string;
  readonly displayName: string;
  readonly externalId?: string;
  /** Deleted there. */
  readonly isGone?: true;
}

export interface KnownUser extends Identity {
  readonly pushed: PushedUser;
}

/** Whether its directory pushes it, and has not deleted it. */
export function isKnown(row: Identity | undefined): row is KnownUser {
  return row?.pushed !== undefined && !row.pushed.isGone;
}

const GUID = '\\{[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\\}';
export const IDENTITY_ID = new RegExp(`^[A-Za-z][A-Za-z0-9_.+-]{0,63}:(?:${GUID}|(?:[0-9a-f]{2}){1,64})$`);

export function parseIdentityId(text: string): IdentityId | undefined {
  return IDENTITY_ID.test(text) ? (text as IdentityId) : undefined;
}

export const LOCAL = 'local';

export function localIdentityId(guid: string): IdentityId {
  return `${LOCAL}:{${guid}}` as IdentityId;
}

/** The brace distinguishes local ids from ids that an issuer labelled `local` would derive. */
export function isLocal({ id }: Pick<Identity, 'id'>): boolean {
  return id.startsWith(`${LOCAL}:{`);
}

/** The label of integrations that are identities themselves. */
export const INTEGRATION_LABEL = 'integration';

/** With the label of the built-in directory or of integrations, an issuer could derive their identities. */
const OURS = ['local', 'integration'].map((name) =>
  name.replace(/./g, (letter) => `[${letter.toUpperCase()}${letter}]`),
);
export const LABEL = new RegExp(`^(?!(?:${OURS.join('|')})$)[A-Za-z][A-Za-z0-9_.+-]{0,63}$`);

/** The label of an approved issuer or a token issuer. No two of them have the same. */
export function isLabel(text: string): boolean {
  return LABEL.test(text);
}

/** The part before the colon: a directory, or the issuer that an identity is derived from. */
export function labelOf({ id }: Pick<Identity, 'id'>): string {
  return id.slice(0, id.indexOf(':'));
}

/** Whether two names are the same to a directory that ignores case: ASCII only, since a Cyrillic а is not an a. */
export function foldCase(name: string): string {
  return name.normalize('NFC').replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

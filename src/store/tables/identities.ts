import { hash } from 'node:crypto';
import { firstHalf, type Hex } from '../../core/hex.ts';
import { foldCase, type Identity, type IdentityId, labelOf, type PushedGroup } from '../../core/identity.ts';
import type { Passkeys } from '../../core/passkey.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { keyedTable, placesOf, type Table, type TableColumn, type Value, type Where } from '../table.ts';

/** Rows refer to an identity by 16 bytes rather than by its text of 40 and more. */
export function identityKey(id: string): Hex {
  return firstHalf(hash('sha256', id));
}

const COLUMNS = [
  { name: 'key', kind: 'hex', fixed: true, unread: true, of: ({ id }) => identityKey(id) },
  { name: 'id', kind: 'text', fixed: true, unique: true, of: ({ id }) => id },
  { name: 'enabled', kind: 'small', of: ({ enabled }) => Number(enabled) },
  { name: 'may_use_api', kind: 'small', of: ({ mayUseApi }) => Number(mayUseApi) },
  {
    name: 'groups',
    kind: 'json',
    optional: true,
    of: ({ groups }) => (groups.length > 0 ? JSON.stringify(groups) : null),
  },
  { name: 'user_name', kind: 'text', optional: true, of: ({ userName }) => userName ?? null },
  { name: 'email', kind: 'text', optional: true, of: ({ email }) => email ?? null },
  { name: 'upn', kind: 'text', optional: true, of: ({ upn }) => upn ?? null },
  { name: 'directory', kind: 'text', fixed: true, rare: true, unread: true, of: directoryOf },
  { name: 'seen_at', kind: 'integer', rare: true, of: ({ seenAt }) => seenAt ?? null },
  { name: 'ended_at', kind: 'integer', rare: true, of: ({ endedAt }) => endedAt ?? null },
  { name: 'pushed', kind: 'json', rare: true, of: ({ pushed }) => (pushed ? JSON.stringify(pushed) : null) },
] as const satisfies readonly TableColumn<Identity>[];
const AT = placesOf(COLUMNS);

export const identities: Table<Identity> = {
  name: 'identities',
  columns: COLUMNS,
  keyOf: ({ id }) => id,
  encodeKey: identityKey,
  decode: decodeIdentity,
  indexes: ['user_name', 'email', 'upn', 'directory'],
};

// Like grants, without spreads: this too runs for every request with a token.
function decodeIdentity(values: readonly Value[]): Identity {
  const groups = values[AT.groups];
  const identity: { -readonly [Field in keyof Identity]: Identity[Field] } = {
    id: values[AT.id] as IdentityId,
    enabled: values[AT.enabled] === 1,
    mayUseApi: values[AT.may_use_api] === 1,
    groups: typeof groups === 'string' ? JSON.parse(groups) : [],
  };
  const [userName, email, upn] = [values[AT.user_name], values[AT.email], values[AT.upn]];
  if (typeof userName === 'string') identity.userName = userName;
  if (typeof email === 'string') identity.email = email;
  if (typeof upn === 'string') identity.upn = upn;
  const [seenAt, endedAt] = [values[AT.seen_at], values[AT.ended_at]];
  if (typeof seenAt === 'number') identity.seenAt = seenAt as EpochSeconds;
  if (typeof endedAt === 'number') identity.endedAt = endedAt as EpochSeconds;
  const pushed = values[AT.pushed];
  if (typeof pushed === 'string') identity.pushed = JSON.parse(pushed);
  return identity;
}

/** Those that a directory elsewhere was seen to have. */
export function seenIn(label: string): Where {
  return { column: 'directory', value: label };
}

function directoryOf(identity: Identity): Value {
  return identity.seenAt === undefined ? null : labelOf(identity);
}

export function byUserName(name: string): Where {
  return { column: 'user_name', value: name };
}

export function byEmail(address: string): Where {
  return { column: 'email', value: address };
}

export function byUpn(name: string): Where {
  return { column: 'upn', value: name };
}

/** The key of the identity that a row belongs to. */
export function holderOf(holder: Identity | undefined): IdentityId {
  if (!holder) throw new Error('the store has a row whose identity is missing');
  return holder.id;
}

/** Separate from identities, so that the row loaded with every grant holds no secret. */
export interface Password {
  readonly identityId: IdentityId;
  /** The argon2id hash in PHC form. */
  readonly phc: string;
}

export const passwords: Table<Password, Identity> = {
  name: 'passwords',
  columns: [
    { name: 'holder', kind: 'hex', fixed: true, unread: true, of: ({ identityId }) => identityKey(identityId) },
    { name: 'phc', kind: 'text', of: ({ phc }) => phc },
  ],
  keyOf: ({ identityId }) => identityId,
  encodeKey: identityKey,
  decode: ([, phc], holder) => ({ identityId: holderOf(holder), phc: phc as string }),
  companion: { table: identities, by: 'holder' },
};

/** All passkeys of an identity in one row, so that their number is bounded exactly. */
export const passkeys = keyedTable<Passkeys>({
  name: 'passkeys',
  rows: 'changing',
  columns: [
    { name: 'identity', kind: 'text', fixed: true, of: ({ identityId }) => identityId },
    { name: 'keys', kind: 'json', of: ({ keys }) => JSON.stringify(keys) },
  ],
  decode: ([id, keys]) => ({ identityId: id as IdentityId, keys: JSON.parse(keys as string) }),
});

export const pushedGroups = keyedTable<PushedGroup>({
  name: 'pushed_groups',
  columns: [
    { name: 'id', kind: 'text', fixed: true, of: ({ id }) => id },
    { name: 'directory', kind: 'text', optional: true, of: ({ directory, isGone }) => (isGone ? null : directory) },
    {
      name: 'name',
      kind: 'text',
      optional: true,
      of: (row) => (row.isGone ? null : nameOf(row.directory, row.displayName)),
    },
    { name: 'body', kind: 'json', of: (row) => JSON.stringify(row) },
  ],
  decode: ([, , , body]) => JSON.parse(body as string),
  indexes: ['directory', 'name'],
});

export const groupsOf = {
  directory: (label: string): Where => ({ column: 'directory', value: label }),
  /** Names of groups ignore case. */
  name: (label: string, name: string): Where => ({ column: 'name', value: nameOf(label, name) }),
};

function nameOf(label: string, name: string): string {
  return `${label}/${foldCase(name)}`;
}

import { hash } from 'node:crypto';
import { firstHalf, type Hex } from '../../core/hex.ts';
import type { Identity, IdentityId } from '../../core/identity.ts';
import type { Table, Where } from '../table.ts';

/** Rows refer to an identity by 16 bytes rather than by its text of 40 and more. */
export function identityKey(id: string): Hex {
  return firstHalf(hash('sha256', id));
}

export const identities: Table<Identity> = {
  name: 'identities',
  columns: [
    { name: 'key', kind: 'hex', fixed: true, of: ({ id }) => identityKey(id) },
    { name: 'id', kind: 'text', fixed: true, of: ({ id }) => id },
    { name: 'enabled', kind: 'integer', of: ({ enabled }) => Number(enabled) },
    { name: 'may_use_api', kind: 'integer', of: ({ mayUseApi }) => Number(mayUseApi) },
    { name: 'groups', kind: 'json', of: ({ groups }) => (groups.length > 0 ? JSON.stringify(groups) : null) },
    { name: 'user_name', kind: 'text', of: ({ userName }) => userName ?? null },
    { name: 'email', kind: 'text', of: ({ email }) => email ?? null },
    { name: 'upn', kind: 'text', of: ({ upn }) => upn ?? null },
  ],
  keyOf: ({ id }) => id,
  encodeKey: identityKey,
  decode: ([, id, enabled, mayUseApi, groups, userName, email, upn]) => ({
    id: id as IdentityId,
    enabled: enabled === 1,
    mayUseApi: mayUseApi === 1,
    groups: groups === null ? [] : JSON.parse(groups as string),
    ...(userName !== null && { userName: userName as string }),
    ...(email !== null && { email: email as string }),
    ...(upn !== null && { upn: upn as string }),
  }),
  indexes: ['user_name', 'email', 'upn'],
};

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

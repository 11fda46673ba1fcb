import type { Identity, IdentityId } from '../../core/identity.ts';
import type { Table } from '../table.ts';
import { holderOf, identities, identityKey } from './identities.ts';

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

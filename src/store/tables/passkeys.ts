import type { IdentityId } from '../../core/identity.ts';
import type { Passkeys } from '../../core/passkey.ts';
import { keyedTable } from '../table.ts';

/** All passkeys of an identity in one row, so that their number is bounded exactly. */
export const passkeys = keyedTable<Passkeys>({
  name: 'passkeys',
  columns: [
    { name: 'identity', kind: 'text', fixed: true, of: ({ identityId }) => identityId },
    { name: 'keys', kind: 'json', of: ({ keys }) => JSON.stringify(keys) },
  ],
  decode: ([id, keys]) => ({ identityId: id as IdentityId, keys: JSON.parse(keys as string) }),
});

// Users that a directory pushes, if two of its requests arrive at once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PushedUser } from '../../src/core/identity.ts';
import { accept } from '../../src/core/outcome.ts';
import { changeUser, createUser, findUser, type Pushing, removeUser } from '../../src/operations/grant/pushed-users.ts';
import type { Store } from '../../src/store/store.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { onSqlite } from './on-sqlite.ts';

const PUSHING: Pushing = { label: 'corp', issuer: 'https://login.example', id: 'externalId', firstClaims: [] };
const USER: PushedUser = { userName: 'ada@corp.example', externalId: 'ada', active: true, emails: [] };

test('a user who is deleted while it is changed stays deleted', async (t) => {
  const { node } = await onSqlite(t);
  const created = await createUser(USER, PUSHING, node);
  assert.ok(created.ok);
  const { id } = created.value;
  const load = (async (...given: Parameters<Store['load']>) => {
    const loaded = await node.store.load(...given);
    await removeUser(id, node);
    return loaded;
  }) as Store['load'];
  const renamed = (before: PushedUser) => accept({ ...before, displayName: 'Ada' });
  const changed = await changeUser(id, renamed, PUSHING, { store: { ...node.store, load } });
  assert.deepEqual(changed, { ok: false, refusal: 'unknown' });
  assert.equal(await findUser(id, node), undefined);
  assert.equal((await node.store.load(identities, id)).found?.row.enabled, false);
});

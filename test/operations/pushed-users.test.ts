// Users and groups that a directory pushes, if two of its requests arrive at once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PushedUser } from '../../src/core/identity.ts';
import { accept, refused } from '../../src/core/outcome.ts';
import { redeemCode } from '../../src/operations/device/redeem-device.ts';
import {
  changeGroup,
  createGroup,
  findGroup,
  findGroups,
  removeGroup,
} from '../../src/operations/grant/pushed-groups.ts';
import { changeUser, createUser, findUser, type Pushing, removeUser } from '../../src/operations/grant/pushed-users.ts';
import { beginSession, personOf } from '../../src/operations/person/browser-session.ts';
import type { Store } from '../../src/store/store.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { ada, answer, changeIntegration, confirmed, confirmedCode, redeem, WITH_CODE } from '../node.ts';
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

test('who is deleted and created again has neither the codes nor the sessions of before [contract 3]', async (t) => {
  const { node } = await onSqlite(t);
  const created = await createUser(USER, PUSHING, node);
  assert.ok(created.ok);
  const identity = created.value;
  const person = { ...ada, identity };
  await changeIntegration(node, { flows: WITH_CODE });
  const { cookie } = await beginSession(identity, node);
  const [device, code] = [await confirmed(node, person), await confirmedCode(node, { person })];
  await removeUser(identity.id, node);
  assert.equal(await answer(redeem(node, device)), 'code-ended');
  assert.ok((await createUser(USER, PUSHING, node)).ok);
  assert.equal(await answer(redeem(node, device)), 'code-ended');
  assert.equal(await answer(redeemCode(code, node)), 'code-ended');
  assert.equal(await personOf(cookie.reveal(), node), undefined);
  assert.equal(await answer(redeem(node, await confirmed(node, person))), 'accepted');
});

test('a change that somebody else has made impossible meanwhile is refused', async (t) => {
  const { node } = await onSqlite(t);
  const created = await createUser(USER, PUSHING, node);
  assert.ok(created.ok);
  const { id } = created.value;
  const rename = (displayName: string) => (before: PushedUser) =>
    before.displayName === undefined ? accept({ ...before, displayName }) : refused('named' as const);
  const load = (async (...given: Parameters<Store['load']>) => {
    const loaded = await node.store.load(...given);
    await changeUser(id, rename('Ada'), PUSHING, node);
    return loaded;
  }) as Store['load'];
  const changed = await changeUser(id, rename('Eve'), PUSHING, { store: { ...node.store, load } });
  assert.deepEqual(changed, { ok: false, refusal: 'named' });
  assert.equal((await findUser(id, node))?.pushed.displayName, 'Ada');
});

test('a group that is deleted while members are added stays deleted, and nobody has its name', async (t) => {
  const { node } = await onSqlite(t);
  const [ada, bob] = [
    await createUser(USER, PUSHING, node),
    await createUser({ ...USER, userName: 'bob', externalId: 'bob' }, PUSHING, node),
  ];
  assert.ok(ada.ok && bob.ok);
  const groupsOf = async (id: string) => (await node.store.load(identities, id)).found?.row.groups;
  for (const moment of ['before', 'after'] as const) {
    const created = await createGroup('corp', { displayName: 'ops', members: [ada.value.id] }, node);
    assert.ok(created.ok);
    const group = created.value;
    let isRemoved = false;
    const change = (async (...given: Parameters<Store['change']>) => {
      const isMember = given[0] === (identities as unknown);
      if (moment === 'after' && isMember) await node.store.change(...given);
      if (!isRemoved && isMember) {
        isRemoved = true;
        await removeGroup(group, node);
      }
      return node.store.change(...given);
    }) as Store['change'];
    const added = await changeGroup(
      group,
      { displayName: 'ops', add: [bob.value.id] },
      { store: { ...node.store, change } },
    );
    assert.deepEqual(added, { ok: false, refusal: 'unknown' }, moment);
    assert.equal(await findGroup(group.id, node), undefined, moment);
    assert.deepEqual([await groupsOf(ada.value.id), await groupsOf(bob.value.id)], [[], []], moment);
  }
});

test('a group that is renamed while it is deleted leaves nobody with its new name', async (t) => {
  const { node } = await onSqlite(t);
  const ada = await createUser(USER, PUSHING, node);
  assert.ok(ada.ok);
  const created = await createGroup('corp', { displayName: 'ops', members: [ada.value.id] }, node);
  assert.ok(created.ok);
  const renamed = await changeGroup(created.value, { displayName: 'admins' }, node);
  assert.ok(renamed.ok);
  await removeGroup(created.value, node); // as it was loaded before it was renamed
  assert.deepEqual((await findUser(ada.value.id, node))?.groups, []);
  assert.equal(await findGroup(created.value.id, node), undefined);
});

test('a group that is deleted before all its members are in it leaves nobody with its name', async (t) => {
  const { node } = await onSqlite(t);
  const ada = await createUser(USER, PUSHING, node);
  assert.ok(ada.ok);
  const change = (async (...given: Parameters<Store['change']>) => {
    const [group] = await findGroups('displayName', 'ops', 'corp', node);
    if (group && given[0] === (identities as unknown)) await removeGroup(group, node);
    return node.store.change(...given);
  }) as Store['change'];
  const ports = { ...node, store: { ...node.store, change } };
  const created = await createGroup('corp', { displayName: 'ops', members: [ada.value.id] }, ports);
  assert.deepEqual(created, { ok: false, refusal: 'unknown' });
  assert.deepEqual((await findUser(ada.value.id, node))?.groups, []);
});

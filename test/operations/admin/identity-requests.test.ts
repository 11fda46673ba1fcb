// Identities as requests make, replace, list and remove them, by user name or id.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import type { Identity } from '../../../src/core/identity.ts';
import { localDirectory } from '../../../src/directory/local/local-directory.ts';
import { listPasskeys, removePasskey } from '../../../src/operations/admin/identities.ts';
import { identities, passkeys } from '../../../src/store/tables/identities.ts';
import { Secret } from '../../../src/tokens/secret.ts';
import { act } from '../../administer.ts';
import { put } from '../../node.ts';
import { ADA, anIdentity, aPasskey, hexOf, NOW } from '../../samples.ts';
import { administration } from './admin-samples.ts';

const [TWIN, UNKNOWN] = [`corp:${hexOf(16, 1)}`, `corp:${hexOf(16, 3)}`];
const PASSWORD = new Secret('correct horse battery');

suite('identities, as requests name them', () => {
  async function requests(t: TestContext) {
    const admin = await administration(t);
    for (const id of [TWIN, 'corp:2'])
      await put(admin.store, identities, anIdentity({ id: id as never, userName: 'twin' }));
    const run = async (name: Parameters<typeof act>[0], given: object) => {
      const done = await act(name, given, admin);
      return done.ok ? (done.value as { value: Identity; revision: number; isNew?: boolean }) : done.refusal.reason;
    };
    const write = async (id: string, body: object, onlyIf?: unknown) => {
      const done = await run('identity-put', { id, body: { userName: id, ...body }, onlyIf });
      return typeof done === 'string' ? done : { ...done.value, id: undefined, isNew: done.isNew };
    };
    return { admin, run, write };
  }

  test('are made or replaced, as the request expects', async (t) => {
    const { admin, run, write } = await requests(t);
    const [none, ada] = [
      { id: undefined, enabled: true, mayUseApi: true, groups: [], isNew: undefined },
      { userName: 'ada' },
    ];
    assert.equal(await write('ada', {}, 'present'), 'changed-meanwhile');
    assert.equal(await write('ada', {}, 5), 'changed-meanwhile');
    assert.equal(await write('a da', {}), 'user-name-malformed');
    assert.equal(await write('twin', {}), 'identity-ambiguous');
    const email = 'ada@example.com';
    assert.deepEqual(await write('ada', { email }, 'absent'), { ...none, ...ada, email, isNew: true });
    assert.equal(await write('ada', {}, 'absent'), 'user-name-taken');
    assert.deepEqual(await write('ada', { groups: ['ops'] }), { ...none, ...ada, groups: ['ops'] }, 'as a whole');
    assert.equal(await write('ada', { groups: ['o ps'] }), 'text-malformed');
    assert.equal(await write('ada', { password: 'correct horse battery' }), 'password-apart');
    assert.equal(await write(TWIN, { userName: 'bo' }), 'identity-not-local');
    assert.equal(await write(UNKNOWN, { userName: 'cy' }), 'identity-unknown', 'nobody is made with a given id');
    const shown = await run('identity-show', { id: 'ada' });
    assert.deepEqual(await write('ada', {}, typeof shown === 'string' || shown.revision), { ...none, ...ada });
    assert.deepEqual(await write('ada', { userName: 'eve' }, 'present'), { ...none, userName: 'eve' });
    assert.equal(await run('identity-show', { id: 'ada' }), 'identity-unknown');
    for (const userName of ['dan', 'dan']) {
      const done = await run('identity-put', { id: 'dan', body: {} });
      assert.equal(typeof done === 'string' ? done : done.value.userName, userName);
    }
    await write('bob', { password: PASSWORD.reveal() });
    assert.ok(await localDirectory(admin.store).passwords.check('bob', PASSWORD, false));
  });

  test('are listed in pages, shown, enabled, disabled and removed', async (t) => {
    const { admin, run, write } = await requests(t);
    for (const name of ['ada', 'bob', 'cyd']) await write(name, {});
    const names = (await admin.store.page(identities, { limit: 9 })).map(({ userName }) => userName);
    const stateOf = async (name: Parameters<typeof act>[0], query = {}) => {
      const done = await run(name, { id: 'ada', query });
      return typeof done === 'string' ? done : done.value.enabled;
    };
    assert.equal(await stateOf('identity-disable'), false);
    assert.equal(await stateOf('identity-enable'), true);
    const unconfirmed = await act('identity-remove', { id: 'ada', query: {} }, admin);
    assert.deepEqual(!unconfirmed.ok && unconfirmed.refusal, { reason: 'removal-unconfirmed', about: 'ada' });
    const removed = await run('identity-remove', { id: 'ada', query: { confirmed: true } });
    assert.deepEqual(Object.values(typeof removed === 'string' ? {} : removed.value).slice(1), [0]);
    const pages: unknown[] = [];
    for (let cursor: string | undefined, n = 0; n === 0 || cursor; n++) {
      const done = await run('identity-list', { query: { limit: 2, ...(cursor && { cursor }) } });
      const { items, next } = (typeof done === 'string' ? {} : done.value) as { items?: Identity[]; next?: string };
      pages.push(items?.map(({ userName }) => userName));
      cursor = next;
    }
    assert.deepEqual([pages.length, pages.flat()], [3, names.filter((name) => name !== 'ada')]);
  });

  test('do not show what a directory has pushed', async (t) => {
    const { admin, run } = await requests(t);
    const pushed = { userName: 'eve', active: true, emails: [] };
    await put(admin.store, identities, anIdentity({ pushed } as never));
    const shown = await run('identity-show', { id: 'ada' });
    assert.deepEqual(typeof shown === 'string' || shown.value, anIdentity());
  });

  test('have passkeys, which are removed by name, by id, or all', async (t) => {
    const admin = await administration(t);
    await put(admin.store, identities, anIdentity());
    const keys = [aPasskey('aa'), aPasskey('bb', { name: 'key', usedAt: NOW }), aPasskey('cc', { name: 'other' })];
    await put(admin.store, passkeys, { identityId: ADA, keys });
    const at = '2027-01-15T08:00:00Z';
    const [aa, bb, cc] = [
      { id: 'aa', name: 'phone', createdAt: at },
      { id: 'bb', name: 'key', createdAt: at, usedAt: at },
      { id: 'cc', name: 'other', createdAt: at },
    ];
    const outcomeOf = async (work: ReturnType<typeof removePasskey>) => {
      const done = await work;
      return done.ok ? done.value : done.refusal;
    };
    const listed = await listPasskeys('ada', admin);
    assert.deepEqual(listed.ok && listed.value, [aa, bb, cc]);
    assert.equal((await listPasskeys('eve', admin)).ok, false);
    const remove = (choice: Parameters<typeof removePasskey>[1]) => outcomeOf(removePasskey('ada', choice, admin));
    assert.deepEqual(await remove({}), { reason: 'passkey-unknown', about: 'at all' });
    assert.deepEqual(await remove({ passkey: 'dd' }), { reason: 'passkey-unknown', about: 'dd' });
    assert.deepEqual(await remove({ passkey: 'key' }), [bb]);
    assert.deepEqual(await remove({ passkey: 'cc' }), [cc]);
    assert.deepEqual(await remove({ all: true }), [aa]);
  });
});

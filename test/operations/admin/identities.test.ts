import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type Identity, type IdentityId, parseIdentityId } from '../../../src/core/identity.ts';
import { attemptsAs } from '../../../src/core/rules/sign-in.ts';
import { localDirectory } from '../../../src/directory/local/local-directory.ts';
import { findIdentity, findIdentityByDigits } from '../../../src/operations/admin/find-identity.ts';
import {
  addIdentity,
  changeIdentity,
  enableIdentity,
  type IdentityDraft,
  inviteToPasskey,
  removeIdentity,
  setPassword,
} from '../../../src/operations/admin/identities.ts';
import { ending, perform } from '../../../src/operations/admin/perform.ts';
import { nameMark } from '../../../src/operations/person/sign-in.ts';
import { attempts } from '../../../src/store/tables/attempts.ts';
import { byUserName, identities } from '../../../src/store/tables/identities.ts';
import { Secret } from '../../../src/tokens/secret.ts';
import { put } from '../../node.ts';
import { anIdentity, NOW } from '../../samples.ts';
import { administration } from './admin-samples.ts';

const PASSWORD = new Secret('correct horse battery');

suite('identities', () => {
  test('a new identity can sign in, and its id has the documented form', async (t) => {
    const admin = await administration(t);
    const added = await addIdentity({ userName: 'ada', password: PASSWORD }, admin);
    assert.ok(added.ok);
    assert.ok(parseIdentityId(added.value.id));
    assert.match(added.value.id, /^local:\{[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\}$/);
    const directory = localDirectory(admin.store);
    assert.deepEqual((await directory.passwords.check('ada', PASSWORD, false))?.identity, added.value);
  });

  test('of several that are added with one name at the same moment, one at most remains', async (t) => {
    const admin = await administration(t);
    const added = await Promise.all(Array.from({ length: 3 }, () => addIdentity({ userName: 'ada' }, admin)));
    assert.ok(added.filter(({ ok }) => ok).length <= 1);
    for (const outcome of added) if (!outcome.ok) assert.equal(outcome.refusal.reason, 'user-name-taken');
    assert.ok((await admin.store.find(identities, byUserName('ada'))).length <= 1);
    const again = await addIdentity({ userName: 'ada' }, admin);
    assert.equal(again.ok, !added.some(({ ok }) => ok), 'the name is free if nobody has it');
  });

  test('of several that get one name at the same moment, one at most keeps it, and the others have theirs', async (t) => {
    const admin = await administration(t);
    for (const userName of ['ada', 'bob', 'cyd']) await addIdentity({ userName }, admin);
    const names = ['ada', 'bob', 'cyd'];
    const changes = await Promise.all(names.map((name) => changeIdentity(name, { userName: 'eve' }, admin)));
    assert.ok(changes.filter(({ ok }) => ok).length <= 1);
    assert.ok((await admin.store.find(identities, byUserName('eve'))).length <= 1);
    for (const [at, name] of names.entries())
      assert.equal((await findIdentity(name, admin)).ok, !changes[at]?.ok, name);
  });

  test('an identity is found by the first digits of its id, if no other begins with them', async (t) => {
    const admin = await administration(t);
    const ids = ['0a1b2c3d-0000-4000-8000-000000000001', '0a1b2c3d-0000-4000-8000-000000000002'];
    for (const [index, id] of ids.entries())
      await put(
        admin.store,
        identities,
        anIdentity({ id: `local:{${id}}` as IdentityId, userName: `person-${index}` }),
      );
    await put(
      admin.store,
      identities,
      anIdentity({ id: `CORP:${'0a1bffff'.repeat(4)}` as IdentityId, userName: 'cafe' }),
    );
    const found = async (text: string) => {
      const outcome = await findIdentityByDigits(text, admin);
      return outcome.ok ? outcome.value.userName : outcome.refusal.reason;
    };
    assert.equal(await found('0a1b2c3d-0000-4000-8000-000000000002'), 'person-1');
    assert.equal(await found('local:{0a1b2c3d-0000-4000-8000-000000000001'), 'person-0');
    assert.equal(await found('0a1b2c'), 'identity-ambiguous');
    assert.equal(await found('0a1bf'), 'cafe');
    assert.equal(await found('CORP:0a1b'), 'cafe');
    assert.equal(await found('cafe'), 'cafe', 'a user name comes first');
    assert.deepEqual([await found('0a1'), await found('ffff')], ['identity-unknown', 'identity-unknown']);
  });

  test('an e-mail address matches that of a certificate, ignoring the case of the domain', async (t) => {
    const admin = await administration(t);
    await addIdentity({ userName: 'ada', email: 'Ada@Example.COM', upn: 'ada@Corp.Example' }, admin);
    const directory = localDirectory(admin.store);
    assert.equal((await directory.byEmail('Ada@example.com')).length, 1);
    assert.equal((await directory.byUpn('ada@corp.example')).length, 1);
    assert.equal((await directory.byEmail('ada@example.com')).length, 0, 'the local part keeps its case');
  });

  const second: [why: string, draft: IdentityDraft, reason: string | true][] = [
    ['the same user name', { userName: 'ada' }, 'user-name-taken'],
    ['a user name of another case is another', { userName: 'Ada' }, true],
    ['the same e-mail', { userName: 'b', email: 'ada@EXAMPLE.com' }, 'address-shared'],
    ['the same principal name', { userName: 'b', upn: 'ada@corp.example' }, 'address-shared'],
    ['the same e-mail, meant so', { userName: 'b', email: 'ada@example.com', mayShare: true }, true],
    ['a user name with a colon', { userName: 'local:b' }, 'user-name-malformed'],
    ['a user name with a newline', { userName: 'b\n' }, 'user-name-malformed'],
    ['a user name that an issuer could derive', { userName: 'corp/b' }, 'user-name-malformed'],
    ['an address without a domain', { userName: 'b', email: 'b' }, 'address-malformed'],
    ['a short password', { userName: 'b', password: new Secret('short') }, 'password-too-short'],
  ];
  for (const [why, draft, reason] of second) {
    test(`a second identity: ${why}`, async (t) => {
      const admin = await administration(t);
      await addIdentity({ userName: 'ada', email: 'ada@example.com', upn: 'ada@corp.example' }, admin);
      const outcome = await addIdentity(draft, admin);
      assert.equal(outcome.ok || outcome.refusal.reason, reason);
    });
  }

  test('an address that is shared on purpose needs that said once', async (t) => {
    const admin = await administration(t);
    const email = 'ada@example.com';
    await addIdentity({ userName: 'ada', email }, admin);
    await addIdentity({ userName: 'bob', email, upn: 'bob@corp.example', mayShare: true }, admin);
    for (const name of ['ada', 'bob'])
      for (const typed of [email, 'ada@EXAMPLE.com'])
        assert.ok((await changeIdentity(name, { email: typed, groups: ['ops'] }, admin)).ok, `${name} ${typed}`);
    await addIdentity({ userName: 'cyd' }, admin);
    for (const address of [{ email }, { upn: 'bob@corp.example' }]) {
      const shared = await changeIdentity('cyd', address, admin);
      assert.equal(shared.ok || shared.refusal.reason, 'address-shared');
    }
    assert.ok((await changeIdentity('bob', { upn: 'bob@CORP.example' }, admin)).ok);
  });

  test('whoever was removed is not brought back by their id', async (t) => {
    const admin = await administration(t);
    const added = await addIdentity({ userName: 'ada', password: PASSWORD }, admin);
    assert.ok(added.ok);
    const { id } = added.value;
    assert.ok((await removeIdentity('ada', { isConfirmed: true }, admin)).ok);
    const acts = {
      enable: () => enableIdentity(id, true, admin),
      change: () => changeIdentity(id, { userName: 'ada' }, admin),
      password: () => setPassword(id, PASSWORD, admin),
      invite: () => inviteToPasskey(id, admin),
      remove: () => removeIdentity(id, { isConfirmed: true }, admin),
    };
    for (const [name, act] of Object.entries(acts)) {
      const done = await act();
      assert.equal(done.ok || done.refusal.reason, 'identity-unknown', name);
    }
    assert.equal((await findIdentity(id, admin)).ok, true, 'its grants are found by it');
  });

  test('whoever is removed while they are changed or enabled stays removed', async (t) => {
    const admin = await administration(t);
    for (const act of [
      (id: string, ports: typeof admin) => enableIdentity(id, true, ports),
      (id: string, ports: typeof admin) => changeIdentity(id, { userName: 'ada' }, ports),
    ]) {
      const added = await addIdentity({ userName: 'ada' }, admin);
      assert.ok(added.ok);
      const { id } = added.value;
      const load = (async (...given: Parameters<typeof admin.store.load>) => {
        const loaded = await admin.store.load(...given);
        // At another node: acts of this one wait for each other.
        if (given[1] === id)
          await perform('identity', id, admin, (row, at) =>
            ending('identity', row as Identity, { did: 'removed', userName: 'ada' }, at),
          );
        return loaded;
      }) as typeof admin.store.load;
      const done = await act(id, { ...admin, store: { ...admin.store, load } });
      assert.equal(done.ok || done.refusal.reason, 'identity-unknown');
      const { found } = await admin.store.load(identities, id);
      assert.deepEqual([found?.row.enabled, found?.row.userName], [false, undefined]);
    }
  });

  test('a new password replaces the old one', async (t) => {
    const admin = await administration(t);
    await addIdentity({ userName: 'ada', password: PASSWORD }, admin);
    const next = new Secret('another long password');
    assert.ok((await setPassword('ada', next, admin)).ok);
    const directory = localDirectory(admin.store);
    assert.equal(await directory.passwords.check('ada', PASSWORD, false), undefined);
    assert.ok(await directory.passwords.check('ada', next, false));
    const about = attemptsAs(nameMark('ada'));
    await put(admin.store, attempts, { about, count: 9, endsAt: NOW });
    assert.ok((await setPassword('ada', PASSWORD, admin)).ok);
    assert.equal((await admin.store.load(attempts, about)).found?.row.count, 0, 'failures of others are forgotten');
  });

  test('an identity without a password gets one', async (t) => {
    const admin = await administration(t);
    await addIdentity({ userName: 'ada' }, admin);
    assert.ok((await setPassword('ada', PASSWORD, admin)).ok);
    assert.ok(await localDirectory(admin.store).passwords.check('ada', PASSWORD, false));
  });

  test('an identity is disabled by name or id, with an event', async (t) => {
    const admin = await administration(t);
    const added = await addIdentity({ userName: 'ada' }, admin);
    assert.ok(added.ok);
    const disabled = await enableIdentity('ada', false, admin);
    assert.equal(disabled.ok && disabled.value.enabled, false);
    assert.ok((await enableIdentity(added.value.id, true, admin)).ok);
    assert.deepEqual(await admin.did(), ['identity added', 'identity disabled', 'identity enabled']);
  });

  test('no event holds a password or its hash', async (t) => {
    const admin = await administration(t);
    await addIdentity({ userName: 'ada', password: PASSWORD }, admin);
    await setPassword('ada', PASSWORD, admin);
    const log = JSON.stringify(await admin.store.events({ after: 0, limit: 10 }));
    assert.ok(!log.includes('correct horse') && !log.includes('argon2'));
  });
});

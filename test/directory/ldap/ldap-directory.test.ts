import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { DirectoryAway } from '../../../src/core/faults.ts';
import { type LdapSettings, ldapDirectory } from '../../../src/directory/ldap/ldap-directory.ts';
import { firstValueOf } from '../../../src/directory/ldap/ldap-entry.ts';
import { Secret } from '../../../src/tokens/secret.ts';
import { makeAuthority } from '../../authority.ts';
import { eventually } from '../../eventually.ts';
import { TestClock } from '../../node.ts';
import { addGroup, addPerson, dnOf, GROUPS, PEOPLE, type Slapd, startSlapd } from './slapd.ts';

let slapd: Slapd;
const clock = new TestClock();

/** Where a referral points to. */
const elsewhere = createServer(() => {
  followed += 1;
});
let followed = 0;

before(async () => {
  slapd = await startSlapd();
  await once(elsewhere.listen(0, '127.0.0.1'), 'listening');
  await addPerson(slapd, 'ada', { mail: ['ada@Example.COM', 'ada.l@example.com'], employeeType: 'ada@corp.example' });
  await addPerson(slapd, 'bob');
  await addPerson(slapd, 'zoë', { uid: 'zoë' });
  await addPerson(slapd, 'van dyke');
  await addPerson(slapd, 'odd', { uid: 'a*b(c)\\d' });
  await addPerson(slapd, 'twin 1', { uid: 'twin', mail: 'twin@example.com' });
  await addPerson(slapd, 'twin 2', { uid: 'twin', mail: 'twin@example.com' });
  await slapd.add(`ou=elsewhere,${PEOPLE}`, {
    objectClass: ['referral', 'extensibleObject'],
    ref: `ldap://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`,
  });
  await addGroup(slapd, 'ops', dnOf('ada'), dnOf('bob'));
  await addGroup(slapd, 'Finance\\, EU', dnOf('ada'));
});

after(async () => {
  elsewhere.close();
  await slapd.stop();
});

function directory(difference: Partial<LdapSettings> = {}) {
  return ldapDirectory({ ...slapd.settings, ...difference }, clock.now);
}

const PASSWORD = new Secret('the password of ada');

suite('a lookup', () => {
  test('finds by user name, e-mail address and user principal name, over LDAPS and StartTLS', async () => {
    for (const servers of [[slapd.secureUrl], [slapd.plainUrl]]) {
      const corp = directory({ servers });
      const [ada, ...others] = await corp.byUserName('ada');
      assert.deepEqual(others, []);
      assert.match(ada?.id ?? '', /^corp:\{[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\}$/);
      const { id: _, ...rest } = ada ?? {};
      const names = { userName: 'ada', email: 'ada@example.com', upn: 'ada@corp.example' };
      assert.deepEqual(rest, { enabled: true, mayUseApi: true, groups: ['corp/Finance, EU', 'corp/ops'], ...names });
      const byOthers = [
        await corp.byEmail('ada.l@example.com'),
        await corp.byUpn('ada@corp.example'),
        await corp.byUserName('ADA'),
      ];
      assert.deepEqual(byOthers, [[ada], [ada], [ada]]);
      assert.deepEqual(ada && (await corp.elsewhere?.again(ada)), ada);
    }
  });

  test('takes every character as itself: no name is a pattern or a filter', async () => {
    const corp = directory();
    const idOf = async (name: string) => (await corp.byUserName(name)).map(({ userName }) => userName);
    assert.deepEqual(await idOf('a*b(c)\\d'), ['a*b(c)\\d']);
    assert.deepEqual(await idOf('zoë'), ['zoë']);
    assert.deepEqual(await idOf('Van Dyke'), ['van dyke']);
    assert.deepEqual(await idOf('van  dyke'), [], 'the server ignores the second space');
    assert.deepEqual(await idOf('zoe\u0308'), ['zoë'], 'the same letters in another form');
    const hostile = [
      '*',
      'a*',
      'ad?',
      '*)(uid=*',
      'ada)(objectClass=*',
      'ada\\2a',
      '\\61da',
      'ada\0',
      '\0',
      '',
      ' ada',
      'ad',
      'аda',
    ];
    for (const name of [...hostile, 'a'.repeat(100_000), '\ud800', 'zoe', '(|(uid=ada))'])
      for (const by of ['byUserName', 'byEmail', 'byUpn'] as const)
        assert.deepEqual(await corp[by](name), [], `${by} ${JSON.stringify(name.slice(0, 20))}`);
  });

  test('returns both entries with one name, and follows no referral', async () => {
    assert.equal((await directory().byUserName('twin')).length, 2);
    assert.equal((await directory().byEmail('twin@example.com')).length, 2);
    assert.deepEqual(await directory({ filter: '(objectClass=*)' }).byUserName('elsewhere'), []);
    assert.equal(followed, 0);
  });

  test('members of a group that the settings name are operators here, and of one that is called operators are not', async () => {
    const [ada] = await directory({ operators: ['ops'], viewers: ['operators'] }).byUserName('ada');
    assert.deepEqual(ada?.groups, ['corp/Finance, EU', 'corp/ops', 'operators']);
    await addGroup(slapd, 'operators', dnOf('bob'));
    const [bob] = await directory({ operators: ['Finance, EU'], viewers: ['operators'] }).byUserName('bob');
    assert.deepEqual(bob?.groups, ['corp/operators', 'corp/ops', 'viewers']);
    await slapd.remove(`cn=operators,${GROUPS}`);
  });

  test('knows groups by memberOf below the base', async () => {
    const groups = { ...slapd.settings.groups, from: 'member-of', base: GROUPS } as LdapSettings['groups'];
    const groupsAt = async (base: string) =>
      (await directory({ groups: { ...groups, base } as LdapSettings['groups'] }).byUserName('ada'))[0]?.groups;
    assert.deepEqual(await groupsAt(GROUPS.toUpperCase()), ['corp/Finance, EU', 'corp/ops']);
    assert.deepEqual(await groupsAt(PEOPLE), []);
    assert.equal(firstValueOf('CN=K\\C3\\B6ln\\, Ops\\+1,OU=x'), 'Köln, Ops+1');
    assert.equal(firstValueOf('cn=#0403,ou=x'), undefined);
  });
});

suite('sign-in', () => {
  const signIn = async (name: string, password: Secret, difference?: Partial<LdapSettings>) =>
    (await directory(difference).passwords.check(name, password, false))?.identity.userName;

  test('needs the right password, and never takes an empty one', async () => {
    assert.equal(await signIn('ada', PASSWORD), 'ada');
    assert.equal(await signIn('ada', PASSWORD, { servers: [slapd.plainUrl] }), 'ada');
    for (const wrong of ['', 'wrong', 'the password of bob', `${PASSWORD.reveal()}\0`])
      assert.equal(await signIn('ada', new Secret(wrong)), undefined, JSON.stringify(wrong));
    for (const nobody of ['nobody', '*', 'twin', '']) assert.equal(await signIn(nobody, PASSWORD), undefined, nobody);
    assert.equal(await signIn('twin', new Secret('the password of twin 1')), undefined, 'two entries');
  });

  test('is closed to locked accounts, whose identities stay, and to disabled ones', async () => {
    const dn = dnOf('bob');
    const password = new Secret('the password of bob');
    const state = async () => (await directory().byUserName('bob'))[0]?.enabled;
    assert.equal(await signIn('bob', password), 'bob');
    await slapd.set(dn, 'pwdAccountLockedTime', '20260101000000Z');
    assert.deepEqual([await signIn('bob', password), await state()], [undefined, true]);
    await slapd.set(dn, 'pwdAccountLockedTime', '000001010000Z');
    assert.deepEqual([await signIn('bob', password), await state()], [undefined, false]);
    await slapd.unset(dn, 'pwdAccountLockedTime');
    assert.deepEqual([await signIn('bob', password), await state()], ['bob', true]);
  });

  test('is open again once a lockout is over, to the first right password', async () => {
    const policy = 'cn=policy,dc=example,dc=com';
    await slapd.set(policy, 'pwdLockout', 'TRUE');
    await slapd.set(policy, 'pwdLockoutDuration', '60');
    await slapd.set(dnOf('bob'), 'pwdAccountLockedTime', '20260101000000Z');
    assert.equal(await signIn('bob', new Secret('the password of bob')), 'bob');
    for (const attribute of ['pwdLockout', 'pwdLockoutDuration']) await slapd.unset(policy, attribute);
  });

  test('gives another mark after the password was changed', async () => {
    const { passwords } = directory();
    const signedIn = await passwords.check('zoë', new Secret('the password of zoë'), false);
    assert.equal((await passwords.holderOf('zoë'))?.passwordMark, signedIn?.passwordMark);
    assert.equal(await signedIn?.stillHolds(), true);
    // The server notes the time in seconds.
    await eventually('the mark differs', async () => {
      await slapd.set(dnOf('zoë'), 'userPassword', 'another one');
      return (await signedIn?.stillHolds()) === false;
    });
    assert.equal(await passwords.holderOf('nobody'), undefined);
  });
});

suite('a server', () => {
  const away = (difference: Partial<LdapSettings>, why: RegExp) =>
    assert.rejects(directory(difference).byUserName('ada'), (fault) => {
      assert.ok(fault instanceof DirectoryAway);
      assert.match(fault.message, why);
      assert.doesNotMatch(fault.message, /the password of/);
      return true;
    });

  test('is used only with a certificate of its authority for its name', async () => {
    const stranger = join(slapd.folder, 'stranger.pem');
    writeFileSync(stranger, makeAuthority().pem);
    const atAddress = [slapd.secureUrl, slapd.plainUrl].map((url) => url.replace('localhost', '127.0.0.1'));
    for (const url of [slapd.secureUrl, slapd.plainUrl]) {
      await away({ servers: [url], authorities: stranger }, /certificate/i);
      await away({ servers: [url], authorities: undefined }, /certificate/i);
    }
    for (const url of atAddress) await away({ servers: [url] }, /does not match certificate/i);
  });

  test('that cannot be used is one of several, tried in turn', async () => {
    const dead = 'ldaps://localhost:1';
    const corp = directory({ servers: [dead, slapd.secureUrl] });
    assert.equal((await corp.byUserName('ada')).length, 1);
    await away({ servers: [dead] }, /ldaps:\/\/localhost:1: .*ECONNREFUSED/);
    const wrong = join(slapd.folder, 'wrong');
    writeFileSync(wrong, 'wrong');
    await away({ passwordFile: wrong }, /0x31/);
    await away({ base: 'ou=nowhere,dc=example,dc=com' }, /0x20/);
  });

  test('that is silent, or closes in the middle, is away after the timeout', async (t) => {
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => void sockets.add(socket)).listen(0, '127.0.0.1');
    const closing = createServer((socket) => socket.once('data', () => socket.destroy())).listen(0, '127.0.0.1');
    await Promise.all([once(silent, 'listening'), once(closing, 'listening')]);
    t.after(() => {
      for (const socket of sockets) socket.destroy();
      silent.close();
      closing.close();
    });
    for (const server of [silent, closing])
      for (const scheme of ['ldaps', 'ldap']) {
        const { port } = server.address() as { port: number };
        await away({ servers: [`${scheme}://127.0.0.1:${port}`], timeoutMs: 300 }, /127\.0\.0\.1/);
      }
  });

  test('that stops answering is away until it answers again', async () => {
    const corp = directory({ timeoutMs: 400 });
    assert.equal((await corp.byUserName('ada')).length, 1);
    await slapd.pause();
    try {
      await assert.rejects(corp.byUserName('ada'), DirectoryAway);
      const begun = performance.now();
      for (let asked = 0; asked < 20; asked++) await assert.rejects(corp.byUserName('ada'), DirectoryAway);
      assert.ok(performance.now() - begun < 4_000, 'nobody waits for it again at once: that would take 20 × 400 ms');
    } finally {
      slapd.resume();
    }
    await eventually('it is found again', () =>
      corp.byUserName('ada').then(
        ({ length }) => length === 1,
        () => false,
      ),
    );
  });

  test('that restarts is found again', async () => {
    for (const servers of [[slapd.secureUrl], [slapd.plainUrl]]) {
      const corp = directory({ servers });
      assert.equal((await corp.byUserName('ada')).length, 1);
      await slapd.stop();
      await slapd.start();
      assert.equal((await corp.byUserName('ada')).length, 1);
    }
  });
});

test('an operator sees step by step what is wrong', async () => {
  const steps = async (difference: Partial<LdapSettings>, name?: string) =>
    (await Array.fromAsync(directory(difference).elsewhere?.examine(name) ?? [])).map(
      ({ passed, words }) => `${passed ? 'ok' : 'FAIL'} ${words}`,
    );
  const seen = await steps({ servers: ['ldaps://localhost:1', slapd.secureUrl] }, 'ada');
  assert.match(seen[0] ?? '', /^FAIL ldaps:\/\/localhost:1: .*ECONNREFUSED/);
  assert.match(seen[1] ?? '', /^ok ldaps:.* the bind as cn=tessera,dc=example,dc=com work/);
  assert.match(seen[2] ?? '', /^ok ou=people/);
  assert.match(seen[3] ?? '', /^ok uid: cn\\?=ada.* is corp:\{.*enabled, groups: corp\/Finance, EU, corp\/ops$/);
  assert.equal(seen.length, 4);
  assert.match((await steps({}, 'twin')).at(-1) ?? '', /^FAIL 2 entries have the name twin/);
  assert.match((await steps({}, 'nobody')).at(-1) ?? '', /^FAIL no entry has the name nobody/);
  assert.match((await steps({ filter: '(uid=nobody)' })).at(-1) ?? '', /^FAIL .*no entry can be seen/);
});

// Signing in where the local directory and LDAP servers stand side by side. The work is counted, since it is what takes the time.
import assert from 'node:assert/strict';
import { after, before, mock, suite, test } from 'node:test';
import { Client } from 'ldapts';
import { DirectoryAway } from '../../src/core/faults.ts';
import { localIdentityId } from '../../src/core/identity.ts';
import { ldapDirectory } from '../../src/directory/ldap/ldap-directory.ts';
import { localDirectory } from '../../src/directory/local/local-directory.ts';
import { hashPassword, isPassword } from '../../src/directory/local/passwords.ts';
import { sideBySide } from '../../src/directory/side-by-side.ts';
import { signIn } from '../../src/operations/person/sign-in.ts';
import { identities, passwords } from '../../src/store/tables/identities.ts';
import { Secret } from '../../src/tokens/secret.ts';
import { answer, CURL, type Node, put, type TestClock } from '../node.ts';
import { onSqlite } from '../operations/on-sqlite.ts';
import { ADA, anIdentity } from '../samples.ts';
import { addPerson, dnOf, GROUPS, PEOPLE, type Slapd, startSlapd } from './ldap/slapd.ts';

const PASSWORD = new Secret('correct horse');
const WRONG = new Secret('battery staple');
const SERVICE = 'the password of the service';

// They go on with the real ones, and keep what they were given.
const binds = mock.method(Client.prototype, 'bind');
const searches = mock.method(Client.prototype, 'search');

/** Entry and password of each bind that is not by the service. */
const bound = () =>
  binds.mock.calls.map(({ arguments: given }) => given.map(String)).filter(([, password]) => password !== SERVICE);

let slapd: Slapd;
let hashes = 0;
let node: Node;
let clock: TestClock;

const closing: (() => unknown)[] = [];
before(async () => {
  slapd = await startSlapd();
  for (const name of ['carol', 'both']) await addPerson(slapd, name);
  await addPerson(slapd, 'twin');
  await addPerson(slapd, 'twin again', { uid: 'twin' });
  await addPerson(slapd, 'dora');
  await slapd.set(dnOf('dora'), 'pwdAccountLockedTime', '000001010000Z');
  ({ node, clock } = await onSqlite({ after: (close: () => unknown) => closing.push(close) } as never));
  for (const [userName, more] of Object.entries({ both: {}, off: { enabled: false }, passkeys: {} })) {
    const id = localIdentityId(
      `0a1b2c3d-0000-4000-8000-0000000000${Buffer.from(userName).toString('hex').slice(0, 2)}`,
    );
    await put(node.store, identities, anIdentity({ id, userName, ...more }));
    if (userName !== 'passkeys')
      await put(node.store, passwords, { identityId: id, phc: await hashPassword(PASSWORD) });
  }
  await put(node.store, passwords, { identityId: ADA, phc: await hashPassword(PASSWORD) });
});
after(async () => {
  for (const calls of [binds, searches]) calls.mock.restore();
  await slapd.stop();
  for (const close of closing) await close();
});

/** Whose password: what is typed, and why nobody is signed in. */
const FAILING: Readonly<Record<string, readonly [userName: string, password: Secret]>> = {
  'a local name with a wrong password': ['ada', WRONG],
  'a local name with an empty password': ['ada', new Secret('')],
  'a local name that is disabled, with the right password': ['off', PASSWORD],
  'a local name that has passkeys only': ['passkeys', PASSWORD],
  'a local name that the other directory has, too': ['both', WRONG],
  'a local name with the password of its namesake': ['both', new Secret('the password of both')],
  'a name of the other directory with a wrong password': ['carol', WRONG],
  'a name of the other directory with an empty password': ['carol', new Secret('')],
  'a name that the other directory has twice': ['twin', new Secret('the password of twin')],
  'an account of the other directory that has ended': ['dora', WRONG],
  'a name that nobody has': ['nobody', WRONG],
  'a name that nobody has, with an empty password': ['nobody', new Secret('')],
};

function scene(servers = 1): Node {
  hashes = 0;
  for (const calls of [binds, searches]) calls.mock.resetCalls();
  const local = localDirectory(node.store, (password, phc) => {
    hashes += 1;
    return isPassword(password, phc);
  });
  // The second one has other people, the third one the same as the first.
  const others = [PEOPLE, GROUPS, PEOPLE]
    .slice(0, servers)
    .map((base, n) =>
      ldapDirectory({ ...slapd.settings, base, label: `corp${n}`, timeoutMs: 2_000 }, () => clock.now()),
    );
  return { ...node, directories: sideBySide(local, others) };
}

const attempt = (at: Node, userName: string, password: Secret) => {
  clock.move(1_000); // neither delays nor limits
  return answer(signIn({ userName, password, presenter: CURL }, at));
};

suite('a failed sign-in beside LDAP', () => {
  for (const servers of [1, 2, 3])
    for (const [what, [userName, password]] of Object.entries(FAILING))
      test(`costs the same for ${what}, with ${servers} of them [threats: Proxy, HTTP, TLS, secrets]`, async () => {
        const at = scene(servers);
        assert.equal(await attempt(at, userName, password), 'sign-in-failed');
        const asked = { hashes, searches: searches.mock.callCount(), binds: bound().length };
        // To find the only one of several that has the name, all are asked.
        assert.deepEqual(asked, { hashes: 1, searches: servers === 1 ? 1 : servers + 1, binds: 1 });
      });

  test('sends no password of a local name, and none of a name that nobody has, to another directory', async () => {
    const at = scene();
    for (const name of ['ada', 'off', 'both', 'passkeys', 'adaa', 'nobody'])
      for (const password of [PASSWORD, WRONG]) await attempt(at, name, password);
    const sent = new Set(bound().flat());
    assert.ok(sent.size > 0);
    for (const text of [PASSWORD.reveal(), WRONG.reveal(), dnOf('both')]) assert.ok(!sent.has(text), text);
    await attempt(at, 'carol', WRONG);
    assert.deepEqual(bound().at(-1), [dnOf('carol'), WRONG.reveal()]);
  });

  test('is answered alike while the other directory is away, and counts where it was checked; who is local signs in all the same', async () => {
    const at = scene();
    await slapd.stop();
    try {
      assert.equal(await attempt(at, 'ada', PASSWORD), 'accepted');
      for (const name of ['ada', 'off', 'passkeys', 'carol', 'nobody'])
        await assert.rejects(attempt(at, name, WRONG), DirectoryAway, name);
      // What was checked counts: nobody guesses without a limit meanwhile.
      clock.move(1_000);
      const guess = () => answer(signIn({ userName: 'ada', password: WRONG, presenter: CURL }, at)).catch(() => 'away');
      const answers: string[] = [];
      for (let n = 0; n < 12; n++) {
        answers.push(String(await guess()));
        clock.move(30);
      }
      assert.deepEqual(answers.slice(-2), ['sign-in-attempts-exhausted', 'sign-in-attempts-exhausted']);
    } finally {
      await slapd.start();
    }
  });
});

test('people of both directories sign in, each with the password of their own', async () => {
  const at = scene(1);
  assert.equal(await attempt(at, 'ada', PASSWORD), 'accepted');
  assert.equal(await attempt(at, 'both', PASSWORD), 'accepted');
  assert.equal(await attempt(at, 'carol', new Secret('the password of carol')), 'accepted');
});

// Rechecks of a directory that hangs, that cannot be read as a whole, or that has lost many at once.
import assert from 'node:assert/strict';
import { after, before, suite, type TestContext, test } from 'node:test';
import { DirectoryAway } from '../../../src/core/faults.ts';
import { accept } from '../../../src/core/outcome.ts';
import { epochSeconds, seconds } from '../../../src/core/time.ts';
import type { Elsewhere } from '../../../src/directory/directory.ts';
import { type LdapSettings, ldapDirectory } from '../../../src/directory/ldap/ldap-directory.ts';
import { localDirectory } from '../../../src/directory/local/local-directory.ts';
import { sideBySide } from '../../../src/directory/side-by-side.ts';
import { authorizeCertificate } from '../../../src/operations/grant/authorize-certificate.ts';
import { personOf } from '../../../src/operations/person/browser-session.ts';
import { signIn } from '../../../src/operations/person/sign-in.ts';
import { acceptEndings, walk, walkDirectories } from '../../../src/operations/upkeep/walk-directories.ts';
import { Secret } from '../../../src/tokens/secret.ts';
import { accepted, answer, CURL, check, ISSUER, MARK, type Node, refresh, THUMBPRINT } from '../../node.ts';
import { onSqlite } from '../../operations/on-sqlite.ts';
import { CLIENT, NOW, OPERATOR } from '../../samples.ts';
import { addPerson, dnOf, type Slapd, startSlapd } from './slapd.ts';

let slapd: Slapd;
/** Looked at as Active Directory, the entries lack nearly everything. */
const ONLY_UID = { userName: 'uid' };

before(async () => {
  slapd = await startSlapd();
  for (const name of ['carol', 'dave', 'eve', 'finn']) await addPerson(slapd, name);
});
after(() => slapd.stop());

async function scene(t: TestContext, ...differences: readonly Partial<LdapSettings>[]) {
  const { node: plain, clock } = await onSqlite(t);
  const settings = differences.length > 0 ? differences : [{}];
  const corps = settings.map((difference) => ldapDirectory({ ...slapd.settings, ...difference }, clock.now));
  const directories = sideBySide(localDirectory(plain.store), corps);
  const node: Node = { ...plain, directories };
  const [corp] = directories.elsewhere;
  assert.ok(corp);
  return { node, clock, corp };
}

async function granted(node: Node, name: string) {
  const certificate = { name: { source: 'common-name', name }, mark: MARK, thumbprint: THUMBPRINT } as const;
  const issuer = { ...ISSUER, directories: ['corp'] };
  const outcome = accept({ issuer, ...certificate, until: epochSeconds(NOW) });
  const presented = { by: 'handshake', chain: [new Uint8Array(1)], hasIgnoredHeader: false } as const;
  const request = { clientId: CLIENT, scope: 'orders:read', presenter: CURL, presented, requestId: 'r' };
  return accepted(await authorizeCertificate(request, { ...node, judge: async () => ({ outcome, steps: [] }) }));
}

const attempt = (node: Node, userName: string, password = `the password of ${userName}`) =>
  signIn({ userName, password: new Secret(password), presenter: CURL }, node);

async function states(node: Node) {
  const events = await node.store.newestEvents({ count: 50, acts: true });
  return events.flatMap(({ type, detail }) =>
    type === 'administered' && detail.kind === 'directory' ? [detail.did] : [],
  );
}

suite('a directory that hangs', () => {
  test('delays nobody whose row may still be used by more than a moment', async (t) => {
    const { node, clock } = await scene(t);
    const pair = await granted(node, 'carol');
    clock.move(seconds(300));
    await slapd.pause();
    t.after(() => slapd.resume());
    const begun = performance.now();
    // More than the directory has room for at once.
    const answers = await Promise.all(Array.from({ length: 300 }, () => answer(check(node, pair))));
    assert.deepEqual(new Set(answers), new Set(['accepted']));
    assert.equal(await answer(refresh(node, pair)), 'accepted');
    assert.ok(performance.now() - begun < 4_000, 'its timeout is five seconds');
  });

  test('is in the event log once, however often it is walked', async (t) => {
    const { node, clock } = await scene(t, { timeoutMs: 300 });
    await granted(node, 'carol');
    await slapd.pause();
    t.after(() => slapd.resume());
    const news = { walked: () => assert.fail('it answers'), away: () => undefined };
    for (let round = 0; round < 3; round++) {
      clock.move(seconds(150));
      await walkDirectories(node, news);
    }
    assert.deepEqual(await states(node), ['away']);
  });
});

suite('a walk', () => {
  test('goes past entries that cannot be read, and ends those that are gone', async (t) => {
    const { node, corp } = await scene(t, { kind: 'ldap' });
    const [dave, eve] = [await granted(node, 'dave'), await granted(node, 'eve')];
    await slapd.remove(dnOf('eve'));
    const asOther = ldapDirectory(
      { ...slapd.settings, kind: 'active-directory', attributes: ONLY_UID },
      node.clock.now,
    );
    const again: Elsewhere['again'] = async (row) =>
      row.id === dave.identityId ? (await asOther.byUserName('dave'))[0] : corp.elsewhere.again(row);
    const steps = await Array.fromAsync(asOther.elsewhere?.examine('dave') ?? []);
    assert.match(steps.at(-1)?.words ?? '', /dave.* has no readable objectGUID: the service account needs it/);
    const unreadable = { ...corp, elsewhere: { ...corp.elsewhere, again } };
    const done = await walk(unreadable, node);
    assert.deepEqual([done.living, done.ended, done.unreadable.length], [2, 1, 1]);
    assert.match(done.unreadable[0] ?? '', /objectGUID/);
    assert.equal(await answer(check(node, dave)), 'accepted');
    assert.equal(await answer(check(node, eve)), 'grant-revoked');
  });

  test('looks up 75 people a second at most, as long as there is time', async (t) => {
    const { node, corp } = await scene(t);
    const names = Array.from({ length: 25 }, (_, number) => `walked ${number}`);
    for (const name of names) await addPerson(slapd, name);
    for (const name of names) await granted(node, name);
    const lasted = async (recheckAfter: number) => {
      const times = { ...corp.elsewhere.times, recheckAfter: seconds(recheckAfter) };
      const again: Elsewhere['again'] = async (row) => row;
      const begun = performance.now();
      await walk({ ...corp, elsewhere: { ...corp.elsewhere, times, again } }, node, { isPaced: true });
      return performance.now() - begun;
    };
    const paced = await lasted(300);
    assert.ok(paced >= 200, `${paced} ms`);
    assert.ok((await lasted(0)) < paced);
  });

  test('that would end many is an alarm, until an operator accepts it', async (t) => {
    const { node, corp, clock } = await scene(t);
    const names = Array.from({ length: 12 }, (_, number) => `leaver ${number}`);
    for (const name of names) await addPerson(slapd, name);
    const pairs = [];
    for (const name of names) pairs.push(await granted(node, name));
    for (const name of names) await slapd.remove(dnOf(name));
    clock.move(seconds(300));
    const walks: boolean[] = [];
    await walkDirectories(node, { walked: ({ isAlarm }) => void walks.push(isAlarm), away: assert.fail });
    assert.deepEqual([walks, await states(node)], [[true], ['alarm']]);
    assert.equal(await answer(check(node, pairs[0] as never)), 'accepted');
    assert.equal((await acceptEndings(corp, { ...node, by: OPERATOR })).ended, 12);
    for (const pair of pairs) assert.equal(await answer(check(node, pair)), 'grant-revoked');
    assert.deepEqual(await states(node), ['alarm', 'endings-accepted']);
  });
});

suite('sign-in', () => {
  test('ends with the account: a session is looked at again too', async (t) => {
    const { node, clock } = await scene(t);
    const { cookie } = accepted(await attempt(node, 'finn'));
    assert.equal((await personOf(cookie.reveal(), node))?.identity.userName, 'finn');
    await slapd.set(dnOf('finn'), 'pwdAccountLockedTime', '000001010000Z');
    clock.move(seconds(300));
    assert.equal(await personOf(cookie.reveal(), node), undefined);
  });

  test('at one directory needs no answer of another', async (t) => {
    const { node } = await scene(t, { label: 'away', servers: ['ldaps://localhost:1'] }, {});
    assert.match(accepted(await attempt(node, 'carol')).person.identity.id, /^corp:/);
    assert.equal(await answer(attempt(node, 'carol', 'wrong')), 'sign-in-failed');
    await assert.rejects(attempt(node, 'nobody'), DirectoryAway);
  });

  test('beyond our limit does not reach the directory', async (t) => {
    const { node, clock } = await scene(t);
    for (let tried = 0; tried < 10; tried++) {
      assert.equal(await answer(attempt(node, 'dave', 'wrong')), 'sign-in-failed');
      clock.move(seconds(60));
    }
    await slapd.stop();
    t.after(() => slapd.start());
    assert.equal(await answer(attempt(node, 'dave')), 'sign-in-attempts-exhausted');
  });
});

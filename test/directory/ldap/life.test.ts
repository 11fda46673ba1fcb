// What becomes of people and their grants when their entry changes, ends, or cannot be seen.
import assert from 'node:assert/strict';
import { after, before, suite, type TestContext, test } from 'node:test';
import { DirectoryAway } from '../../../src/core/faults.ts';
import { accept } from '../../../src/core/outcome.ts';
import type { Person } from '../../../src/core/person.ts';
import { epochSeconds, seconds } from '../../../src/core/time.ts';
import { ldapDirectory } from '../../../src/directory/ldap/ldap-directory.ts';
import { localDirectory } from '../../../src/directory/local/local-directory.ts';
import { hashPassword } from '../../../src/directory/local/passwords.ts';
import { sideBySide } from '../../../src/directory/side-by-side.ts';
import { enableIdentity } from '../../../src/operations/admin/identities.ts';
import { authorizeCertificate } from '../../../src/operations/grant/authorize-certificate.ts';
import { signIn } from '../../../src/operations/person/sign-in.ts';
import { type Walk, walk, walkDirectories } from '../../../src/operations/upkeep/walk-directories.ts';
import { grants } from '../../../src/store/tables/grants.ts';
import { identities, passwords } from '../../../src/store/tables/identities.ts';
import { Secret } from '../../../src/tokens/secret.ts';
import {
  accepted,
  answer,
  BOB,
  CURL,
  changeIntegration,
  check,
  ISSUER,
  MARK,
  type Node,
  put,
  refresh,
  THUMBPRINT,
} from '../../node.ts';
import { onSqlite } from '../../operations/on-sqlite.ts';
import { ADA, anIdentity, CLIENT, NOW, OPERATOR } from '../../samples.ts';
import { addGroup, addPerson, dnOf, GROUPS, PEOPLE, type Slapd, startSlapd } from './slapd.ts';

let slapd: Slapd;

before(async () => {
  slapd = await startSlapd();
  for (const name of ['ada', 'carol', 'dave', 'eve', 'finn', 'gus', 'hal']) await addPerson(slapd, name);
});

after(() => slapd.stop());

async function scene(t: TestContext) {
  const { node: plain, clock } = await onSqlite(t);
  const corp = ldapDirectory({ ...slapd.settings, timeoutMs: 1_000 }, clock.now);
  const directories = sideBySide(localDirectory(plain.store), [corp]);
  const node: Node = { ...plain, directories };
  const [walked] = directories.elsewhere;
  assert.ok(walked);
  return { node, clock, walk: () => walk(walked, node) };
}

/** A request with a certificate for this common name. */
function authorize(node: Node, name: string, directories: readonly string[] = ['corp']) {
  const certificate = { name: { source: 'common-name', name }, mark: MARK, thumbprint: THUMBPRINT } as const;
  const outcome = accept({ issuer: { ...ISSUER, directories }, ...certificate, until: epochSeconds(NOW) });
  const judge = async () => ({ outcome, steps: [] });
  const presented = { by: 'handshake', chain: [new Uint8Array(1)], hasIgnoredHeader: false } as const;
  const request = { clientId: CLIENT, scope: 'orders:read', presenter: CURL, presented, requestId: 'r' };
  return authorizeCertificate(request, { ...node, judge });
}

const granted = async (node: Node, name: string) => accepted(await authorize(node, name));
const rowOf = async (node: Node, id: string) => (await node.store.load(identities, id)).found?.row;
const endings = async (node: Node) =>
  (await node.store.page(grants, { limit: 100 })).map(({ revoked }) => revoked?.reason);
const acts = async (node: Node) =>
  (await node.store.newestEvents({ count: 20, acts: true })).flatMap((event) =>
    event.type === 'administered'
      ? [`${event.detail.did} by ${'why' in event.detail.by ? event.detail.by.why : ''}`]
      : [event.type],
  );

suite('a name in a certificate', () => {
  test('is looked up in the directories that its issuer names; two matches are refused', async (t) => {
    const { node } = await scene(t);
    const { identityId } = await granted(node, 'carol');
    assert.match(identityId, /^corp:\{/);
    assert.equal((await rowOf(node, identityId))?.userName, 'carol');
    assert.deepEqual(await acts(node), ['derived by directory']);
    assert.equal(accepted(await authorize(node, 'ada', ['local'])).identityId, ADA);
    assert.equal(await answer(authorize(node, 'ada', ['local', 'corp'])), 'certificate-identity-ambiguous');
    assert.equal(await answer(authorize(node, 'carol', ['local'])), 'certificate-identity-unknown');
    assert.equal(await answer(authorize(node, 'car*')), 'certificate-identity-unknown');
    await assert.rejects(authorize(node, 'carol', ['other']), DirectoryAway);
  });
});

suite('sign-in', () => {
  const attempt = (node: Node, userName: string, password: string) =>
    signIn({ userName, password: new Secret(password), presenter: CURL }, node);

  test('is for people of the directory; local accounts need no directory', async (t) => {
    const { node } = await scene(t);
    await put(node.store, passwords, { identityId: ADA, phc: await hashPassword(new Secret('the local password')) });
    const { person } = accepted(await attempt(node, 'carol', 'the password of carol'));
    assert.match(person.identity.id, /^corp:/);
    assert.equal(await answer(attempt(node, 'ada', 'the password of ada')), 'sign-in-failed', 'the local name wins');
    await slapd.stop();
    t.after(() => slapd.start());
    assert.equal(accepted(await attempt(node, 'ada', 'the local password')).person.identity.id, ADA);
    await assert.rejects(attempt(node, 'carol', 'the password of carol'), DirectoryAway);
  });

  test('a session counts guesses apart for the identity it belongs to, not for another of the same name [threats: Edges]', async (t) => {
    const { node } = await scene(t);
    const guess = (person: Person | undefined, password = 'wrong') =>
      answer(signIn({ userName: 'carol', password: new Secret(password), presenter: CURL, person }, node));
    const ofCorp = accepted(await attempt(node, 'carol', 'the password of carol')).person;
    const own: string[] = [];
    for (let n = 0; n < 4; n++) own.push(await guess(ofCorp));
    assert.deepEqual(own, Array(4).fill('sign-in-failed'), 'without delays, where the name is hers');
    const local = anIdentity({ id: BOB, userName: 'carol' });
    await put(node.store, identities, local);
    await put(node.store, passwords, { identityId: BOB, phc: await hashPassword(new Secret('of the local carol')) });
    const owner = accepted(await attempt(node, 'carol', 'of the local carol')).person;
    const guesses: string[] = [];
    for (let n = 0; n < 4; n++) guesses.push(await guess({ ...ofCorp, session: `another session, number ${n}` }));
    assert.deepEqual(guesses, ['sign-in-failed', 'sign-in-failed', 'sign-in-failed', 'sign-in-too-soon']);
    assert.equal(await guess(ofCorp, 'of the local carol'), 'sign-in-too-soon', 'nor with the right one');
    assert.equal(await guess(undefined), 'sign-in-too-soon');
    assert.equal(await guess(owner, 'of the local carol'), 'accepted');
    await slapd.stop();
    t.after(() => slapd.start());
    assert.equal(await guess(owner, 'of the local carol'), 'accepted', 'the name is local');
  });

  test('counts wrong passwords here first, however the name is spelt', async (t) => {
    const { node, clock } = await scene(t);
    const spellings = ['dave', 'Dave', 'DAVE', 'dAve', 'daVe', 'davE'];
    const answers: string[] = [];
    for (const name of [...spellings, ...spellings]) {
      answers.push(await answer(attempt(node, name, 'wrong')));
      clock.move(30);
    }
    assert.ok(answers.includes('sign-in-attempts-exhausted'), answers.join(' '));
  });
});

suite('an account', () => {
  test('that is disabled loses its grants within recheckAfter, and gets none of them back', async (t) => {
    const { node, clock } = await scene(t);
    const first = await granted(node, 'eve');
    await slapd.set(dnOf('eve'), 'pwdAccountLockedTime', '000001010000Z');
    clock.move(299);
    const second = accepted(await refresh(node, first));
    clock.move(2);
    assert.equal(await answer(check(node, second)), 'grant-revoked');
    assert.equal(await answer(refresh(node, second)), 'grant-revoked');
    assert.equal(await answer(authorize(node, 'eve')), 'identity-disabled');
    assert.deepEqual(await endings(node), ['account-ended']);
    assert.deepEqual(await acts(node), ['derived by directory', 'disabled by directory', 'revoked']);
    await slapd.unset(dnOf('eve'), 'pwdAccountLockedTime');
    const third = await granted(node, 'eve');
    assert.equal(await answer(check(node, third)), 'accepted');
    assert.equal(await answer(check(node, second)), 'grant-revoked');
  });

  test('keeps its id and its grants under another name and in another place, with the groups it has now', async (t) => {
    const { node, clock } = await scene(t);
    await addGroup(slapd, 'readers', dnOf('finn'), dnOf('hal'));
    await changeIntegration(node, { access: { to: 'named', identities: [], groups: ['corp/readers'] } });
    const first = await granted(node, 'finn');
    await slapd.set(dnOf('finn'), 'uid', 'finnegan');
    await slapd.rename(dnOf('finn'), `cn=moved,${PEOPLE}`);
    await slapd.set(`cn=readers,${GROUPS}`, 'member', `cn=moved,${PEOPLE}`);
    clock.move(300);
    const second = accepted(await refresh(node, first));
    assert.equal((await rowOf(node, first.identityId))?.userName, 'finnegan');
    await slapd.set(`cn=readers,${GROUPS}`, 'member', dnOf('hal'));
    clock.move(300);
    assert.equal(await answer(refresh(node, second)), 'identity-without-integration-access');
    assert.deepEqual(await endings(node), [undefined], 'a group can be given back');
  });

  test('that an operator disabled stays disabled', async (t) => {
    const { node, clock, walk } = await scene(t);
    const pair = await granted(node, 'hal');
    accepted(await enableIdentity(pair.identityId, false, { ...node, by: OPERATOR }));
    clock.move(300);
    await walk();
    assert.equal(await answer(check(node, pair)), 'identity-disabled');
    assert.equal(await answer(authorize(node, 'hal')), 'identity-disabled');
    assert.equal((await rowOf(node, pair.identityId))?.endedAt, undefined);
  });

  test('that is deleted ends with the next walk, not with a request that cannot see it', async (t) => {
    const { node, clock, walk } = await scene(t);
    const first = await granted(node, 'gus');
    await slapd.remove(dnOf('gus'));
    clock.move(300);
    const second = accepted(await refresh(node, first));
    assert.deepEqual(await walk(), { label: 'corp', living: 1, ended: 1, isAlarm: false, unreadable: [] });
    assert.equal(await answer(refresh(node, second)), 'grant-revoked');
    assert.deepEqual(await walk(), { label: 'corp', living: 0, ended: 0, isAlarm: false, unreadable: [] });
  });
});

suite('a directory', () => {
  test('that is away changes nothing for grants until trustFor is over', async (t) => {
    const { node, clock, walk } = await scene(t);
    const first = await granted(node, 'carol');
    await slapd.stop();
    let isStopped = true;
    t.after(() => isStopped && slapd.start());
    clock.move(86_399);
    await assert.rejects(walk(), DirectoryAway);
    const second = accepted(await refresh(node, first));
    assert.equal(await answer(check(node, second)), 'accepted');
    assert.equal(await answer(authorize(node, 'carol')), 'accepted');
    clock.move(1);
    await assert.rejects(refresh(node, second), DirectoryAway);
    await assert.rejects(check(node, second), DirectoryAway);
    await assert.rejects(authorize(node, 'carol'), DirectoryAway);
    await slapd.start();
    isStopped = false;
    const { node: later } = { node: { ...node, directories: (await scene(t)).node.directories } };
    assert.equal(await answer(refresh(later, second)), 'accepted');
  });

  test('that seems to have lost nearly everybody ends nobody', async (t) => {
    const { node, clock, walk: walkNow } = await scene(t);
    const names = Array.from({ length: 11 }, (_, number) => `staff ${number}`);
    for (const name of names) await addPerson(slapd, name);
    const pairs = await Promise.all([...names, 'carol'].map((name) => granted(node, name)));
    for (const name of names) await slapd.set(dnOf(name), 'objectClass', 'inetOrgPerson', 'adThing');
    for (const name of names.slice(0, 9)) await slapd.remove(dnOf(name));
    clock.move(300);
    const alarmed = { ...slapd.settings, filter: '(&(objectClass=inetOrgPerson)(!(objectClass=adThing)))' };
    const blind = sideBySide(localDirectory(node.store), [ldapDirectory(alarmed, clock.now)]).elsewhere[0];
    assert.ok(blind);
    assert.deepEqual(await walk(blind, node), { label: 'corp', living: 12, ended: 11, isAlarm: true, unreadable: [] });
    assert.deepEqual(new Set(await endings(node)), new Set([undefined]));
    assert.deepEqual(await walkNow(), { label: 'corp', living: 12, ended: 9, isAlarm: false, unreadable: [] });
    assert.equal((await endings(node)).filter(Boolean).length, 9);
    assert.equal(await answer(check(node, pairs.at(-1) as never)), 'accepted');
  });

  test('is walked by one node at a time', async (t) => {
    const { node, clock } = await scene(t);
    await granted(node, 'carol');
    const walks: Walk[] = [];
    const news = { walked: (one: Walk) => void walks.push(one), away: (_: string, why: string) => assert.fail(why) };
    await Promise.all([1, 2, 3].map(() => walkDirectories(node, news)));
    assert.equal(walks.length, 1);
    clock.move(seconds(150));
    await walkDirectories(node, news);
    assert.equal(walks.length, 2);
  });
});

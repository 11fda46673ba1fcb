import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { type TestContext, test } from 'node:test';
import { Overloaded } from '../../../src/core/faults.ts';
import { type IdentityId, localIdentityId } from '../../../src/core/identity.ts';
import type { ApprovedIssuer } from '../../../src/core/issuer.ts';
import type { Directory, PasswordSignIn, SignedIn } from '../../../src/directory/directory.ts';
import { localDirectory } from '../../../src/directory/local/local-directory.ts';
import { hashPassword, isPassword, NOBODYS_HASH } from '../../../src/directory/local/passwords.ts';
import { sideBySide } from '../../../src/directory/side-by-side.ts';
import { mapCaller } from '../../../src/operations/grant/identify-caller.ts';
import { changePassword, signIn } from '../../../src/operations/person/sign-in.ts';
import { attempts } from '../../../src/store/tables/attempts.ts';
import { identities, passwords } from '../../../src/store/tables/identities.ts';
import { sessions } from '../../../src/store/tables/sessions.ts';
import { Secret } from '../../../src/tokens/secret.ts';
import {
  accepted,
  answer,
  BOB,
  CURL,
  changeAda,
  ISSUER,
  type Node,
  put,
  type TestClock,
  THUMBPRINT,
} from '../../node.ts';
import { onSqlite } from '../../operations/on-sqlite.ts';
import { ADA, anIdentity, hexOf, NOW, PASSWORD_PROOF } from '../../samples.ts';

const PASSWORD = new Secret('correct horse');
const WRONG = new Secret('battery staple');
const MARK_OF_PASSWORD = hexOf(16, 9);
const MARK = { certificate: hexOf(16), issuerKey: hexOf(16), key: hexOf(32) };

interface Local {
  readonly node: Node;
  readonly clock: TestClock;
  readonly directory: Directory;
  /** The hashes that passwords were verified against, one for each time argon2 ran. */
  readonly verified: string[];
}

/** Ada has a password; Bob has none. */
async function local(t: TestContext): Promise<Local> {
  const { node, clock } = await onSqlite(t);
  await put(node.store, passwords, { identityId: ADA, phc: await hashPassword(PASSWORD) });
  const verified: string[] = [];
  const directory = localDirectory(node.store, (password, phc) => {
    verified.push(phc);
    return isPassword(password, phc);
  });
  return { node: { ...node, directories: sideBySide(directory) }, clock, directory, verified };
}

async function untilBusy(isFull: () => boolean): Promise<void> {
  while (!isFull()) await new Promise(setImmediate);
}

/** The same node, whose directory checks passwords otherwise. */
function checkingBy(node: Node, check: PasswordSignIn['check']): Node {
  const passwords = { isBusy: () => false, check, holderOf: async () => ({ id: ADA, passwordMark: MARK_OF_PASSWORD }) };
  return { ...node, directories: { ...node.directories, passwords } };
}

test('passwords are hashed with argon2id (19 MiB, two passes), each with its own salt', async () => {
  const [one, other] = [await hashPassword(PASSWORD), await hashPassword(PASSWORD)];
  assert.match(one, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.notEqual(one, other);
});

test('the right password signs in, a wrong one does not', async (t) => {
  const { directory } = await local(t);
  assert.equal((await directory.passwords.check('ada', PASSWORD, false))?.identity.id, ADA);
  assert.equal(await directory.passwords.check('ada', WRONG, false), undefined);
  assert.equal(await directory.passwords.check('ADA', PASSWORD, false), undefined, 'exact characters');
});

test('wrong password, unknown name, no password, ambiguous name and disabled identity get the same answer after the same work', async (t) => {
  const { node, verified } = await local(t);
  for (const n of [1, 2]) await put(node.store, identities, anIdentity({ id: twin(n), userName: 'twin' }));
  await changeAda(node, { enabled: false });
  for (const [userName, password] of [
    ['ada', PASSWORD],
    ['ada', WRONG],
    ['nobody', WRONG],
    ['bob', WRONG],
    ['twin', WRONG],
    ['', WRONG],
  ] as const) {
    verified.length = 0;
    assert.equal(await answer(signIn({ userName, password, presenter: CURL }, node)), 'sign-in-failed', userName);
    assert.equal(verified.length, 1, `${userName}: argon2 runs once`);
    assert.match(verified[0] ?? '', /m=19456,t=2,p=1/, `${userName}: at the same cost`);
  }
});

test('checking an unknown name costs as much as checking a password', async () => {
  const costAndLengths = (phc: string) => phc.split('$').map((part, index) => (index < 4 ? part : part.length));
  assert.deepEqual(costAndLengths(NOBODYS_HASH), costAndLengths(await hashPassword(PASSWORD)));
  assert.equal(await isPassword(PASSWORD, NOBODYS_HASH), false);
});

test('the dummy password of unknown names signs nobody in', async (t) => {
  const { directory } = await local(t);
  for (const name of ['nobody', 'bob', ''])
    assert.equal(await directory.passwords.check(name, new Secret('nobody'), false), undefined);
});

const twin = (n: number) => localIdentityId(`00000000-0000-4000-8000-00000000000${n}`) as IdentityId;

test('a user name, e-mail or UPN that matches two identities is refused (CVE-2022-26923)', async (t) => {
  const { node, directory } = await local(t);
  const names = { userName: 'twin', email: 'twin@example.org', upn: 'twin@corp.example' };
  await put(node.store, identities, anIdentity({ id: twin(1), ...names }));
  const sources = [
    ['common-name', 'twin'],
    ['email-san', names.email],
    ['upn-san', names.upn],
  ] as const;
  const identify = () =>
    sources.map(([source, name]) =>
      answer(
        mapCaller({ issuer: ISSUER, name: { source, name }, mark: MARK, thumbprint: THUMBPRINT, until: NOW }, node),
      ),
    );
  assert.deepEqual(await Promise.all(identify()), ['accepted', 'accepted', 'accepted']);
  await put(node.store, identities, anIdentity({ id: twin(2), ...names }));
  assert.deepEqual(await Promise.all(identify()), Array(3).fill('certificate-identity-ambiguous'));
  await put(node.store, passwords, { identityId: twin(1), phc: await hashPassword(PASSWORD) });
  assert.equal(await directory.passwords.check('twin', PASSWORD, false), undefined);
});

test('local lookups never match derived identities or those of other directories', async (t) => {
  const { node, directory } = await local(t);
  for (const label of ['corp', 'local']) {
    const issuer: ApprovedIssuer = { ...ISSUER, label, identities: 'derived' };
    const caller = {
      issuer,
      name: { source: 'common-name', name: 'ada' },
      mark: MARK,
      thumbprint: THUMBPRINT,
      until: NOW,
    } as const;
    const derived = accepted(await mapCaller(caller, node)).identity;
    assert.notEqual(derived.id, ADA);
    assert.deepEqual(await directory.byUserName(derived.userName ?? ''), [], `an issuer named ${label}`);
  }
  await put(node.store, identities, anIdentity({ id: 'AD+corp:00ff' as IdentityId, userName: 'bob' }));
  assert.deepEqual(
    (await directory.byUserName('bob')).map(({ id }) => id),
    [BOB],
  );
});

test('a derived identity stays disabled once an operator disabled it', async (t) => {
  const { node } = await local(t);
  const caller = {
    issuer: { ...ISSUER, identities: 'derived' },
    name: { source: 'common-name', name: 'eve' },
    mark: MARK,
    thumbprint: THUMBPRINT,
    until: NOW,
  } as const;
  const { identity } = accepted(await mapCaller(caller, node));
  await put(node.store, identities, { ...identity, enabled: false });
  assert.equal(accepted(await mapCaller(caller, node)).identity.enabled, false);
});

const RIGHT: SignedIn = {
  identity: anIdentity(),
  passwordMark: MARK_OF_PASSWORD,
  stillHolds: async () => true,
  changePassword: async () => true,
};

test('a session ends again if the password was reset while it began', async (t) => {
  const { node } = await local(t);
  const request = { userName: 'ada', password: PASSWORD, presenter: CURL };
  const reset = checkingBy(node, async () => ({ ...RIGHT, stillHolds: async () => false }));
  assert.equal(await answer(signIn(request, reset)), 'sign-in-failed');
  const [session] = await node.store.page(sessions, { limit: 1 });
  assert.ok(session && session.endsAt <= (await node.store.now()));
});

test('failed sign-ins are limited per name and per address; successful ones do not count', async (t) => {
  const { node, clock } = await local(t);
  const patient = checkingBy(node, async (_, given) => (given === PASSWORD ? RIGHT : undefined));
  const attempt = (userName: string, password: Secret) =>
    answer(signIn({ userName, password, presenter: CURL }, patient));
  for (let n = 0; n < 30; n++) assert.equal(await attempt('ada', PASSWORD), 'accepted');
  for (let n = 0; n < 10; n++) {
    assert.equal(await attempt('ada', WRONG), 'sign-in-failed');
    clock.move(30);
  }
  assert.equal(await attempt('ada', PASSWORD), 'sign-in-attempts-exhausted');
  for (let n = 0; n < 90; n++) assert.equal(await attempt(`other ${n}`, WRONG), 'sign-in-failed');
  assert.equal(await attempt('one more', PASSWORD), 'sign-in-attempts-exhausted', 'the address had 100');
});

test('the typed name is not stored, since people type passwords there', async (t) => {
  const { node } = await local(t);
  const typed = 'hunter2 \0 typed in the wrong field';
  assert.equal(await answer(signIn({ userName: typed, password: WRONG, presenter: CURL }, node)), 'sign-in-failed');
  const rows = await node.store.page(attempts, { limit: 10 });
  assert.ok(rows.length > 0 && rows.every(({ about }) => !about.includes('hunter2')));
});

test('excess parallel sign-ins are refused, so that hashing does not starve other requests', async (t) => {
  const { node } = await local(t);
  const held: (() => void)[] = [];
  const directory = localDirectory(node.store, () => new Promise((resolve) => held.push(() => resolve(false))));
  const check = (): Promise<unknown> => directory.passwords.check('ada', WRONG, false);
  const running = availableParallelism() > 2 ? 2 : 1;
  const waiting = Array.from({ length: running + 31 }, check);
  const busy = () => [false, true].map((isKnown) => directory.passwords.isBusy(isKnown));
  while (held.length === 0) await new Promise(setImmediate);
  assert.deepEqual(busy(), [false, false]);
  waiting.push(check());
  await untilBusy(() => directory.passwords.isBusy(false));
  assert.deepEqual(busy(), [true, false], 'people whose browsers are known may still come');
  const stranger = { userName: 'ada', password: PASSWORD, presenter: CURL };
  await assert.rejects(signIn(stranger, { ...node, directories: sideBySide(directory) }), Overloaded);
  assert.deepEqual(await node.store.page(attempts, { limit: 10 }), [], 'what was not tried is not counted');
  await assert.rejects(check(), Overloaded, 'also if it did not look before');
  assert.equal(held.length, running, 'at once');
  const known = directory.passwords.check('bob', WRONG, true);
  const answers: unknown[] = [];
  for (const one of waiting) void one.then((answer) => answers.push(answer));
  const before = known.then(() => answers.length);
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate); // it looks for bob first
  while (answers.length < waiting.length) {
    held.shift()?.();
    await new Promise(setImmediate);
  }
  assert.deepEqual(new Set(answers), new Set([undefined]));
  assert.ok((await before) <= 2 * running, 'who is known waits for nobody but those who have begun');
});

test('a sign-in that was counted and then found no turn is not counted', async (t) => {
  const { node } = await local(t);
  const full = checkingBy(node, () => Promise.reject(new Overloaded('too many sign-ins at once')));
  await assert.rejects(signIn({ userName: 'ada', password: PASSWORD, presenter: CURL }, full), Overloaded);
  assert.deepEqual(
    (await node.store.page(attempts, { limit: 10 })).map(({ count }) => count),
    [0, 0],
  );
});

test('the mark of a password differs for every password set, even for the same text, and nobody else has one', async (t) => {
  const { directory, node } = await local(t);
  const first = (await directory.passwords.holderOf('ada'))?.passwordMark;
  assert.equal((await directory.passwords.check('ada', PASSWORD, false))?.passwordMark, first);
  await put(node.store, passwords, { identityId: ADA, phc: await hashPassword(PASSWORD) });
  const second = (await directory.passwords.holderOf('ada'))?.passwordMark;
  assert.match(`${first} ${second}`, /^[0-9a-f]{32} [0-9a-f]{32}$/);
  assert.notEqual(second, first);
  assert.deepEqual(
    [await directory.passwords.holderOf('bob'), await directory.passwords.holderOf('nobody')],
    [undefined, undefined],
  );
});

test('a password reset wins over a concurrent sign-in or password change', async (t) => {
  const { node } = await local(t);
  const reset = await hashPassword(new Secret('set by an operator'));
  const racing = checkingBy(node, async (name, given) => {
    const found = await node.directories.passwords.check(name, given, false);
    await put(node.store, passwords, { identityId: ADA, phc: reset });
    return found;
  });
  assert.equal(
    await answer(signIn({ userName: 'ada', password: PASSWORD, presenter: CURL }, racing)),
    'sign-in-failed',
  );
  await put(node.store, passwords, { identityId: ADA, phc: await hashPassword(PASSWORD) });
  const change = { current: PASSWORD, next: new Secret('chosen by a thief'), presenter: CURL };
  const changed = await changePassword(change, { identity: anIdentity(), session: 'x', proof: PASSWORD_PROOF }, racing);
  assert.deepEqual(changed, { ok: false, refusal: 'current-wrong' });
  assert.equal((await node.store.load(passwords, ADA)).found?.row.phc, reset);
});

test('a person whose name was given to somebody else cannot change that person’s password', async (t) => {
  const { node } = await local(t);
  const before = (await node.store.load(passwords, ADA)).found?.row.phc ?? '';
  await put(node.store, passwords, { identityId: BOB, phc: before }); // as after an import: the same password, the same hash
  const namesake = anIdentity({ id: BOB, userName: 'ada' });
  const change = { current: PASSWORD, next: new Secret('chosen by a namesake'), presenter: CURL };
  const changed = await changePassword(change, { identity: namesake, session: 'x', proof: PASSWORD_PROOF }, node);
  assert.deepEqual(changed, { ok: false, refusal: 'current-wrong' });
  assert.equal((await node.store.load(passwords, ADA)).found?.row.phc, before);
  assert.equal((await node.store.load(passwords, BOB)).found?.row.phc, before);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PersonOutcome } from '../../src/core/outcome.ts';
import {
  confirmDevice,
  countFailedSignIn,
  denyDevice,
  enterUserCode,
} from '../../src/operations/device/decide-device.ts';
import { storeOf } from '../../src/store/change.ts';
import { attempts } from '../../src/store/tables/attempts.ts';
import { devices } from '../../src/store/tables/devices.ts';
import { accepted, ada, anotherNode, answer, BOB, type Node, redeem, start, type TestClock } from '../node.ts';
import { anIdentity, PASSWORD_PROOF } from '../samples.ts';
import { onSqlite } from './on-sqlite.ts';

const bob = {
  identity: anIdentity({ id: BOB, userName: 'bob' }),
  session: 'the session of Bob',
  proof: PASSWORD_PROOF,
};
const WRONG = 'BBBB-BBBB';
const ALPHABET_SIZE = 20;
const CODE_LENGTH = 8;

async function entered(node: Node) {
  const started = await start(node);
  const { device } = accepted(await enterUserCode(started.userCode, ada, node));
  return { started, id: device.id };
}

test('confirm races deny: one of them decides', async (t) => {
  const { node } = await onSqlite(t);
  for (let n = 0; n < 20; n++) {
    const { started, id } = await entered(node);
    const both: [Promise<PersonOutcome<unknown>>, Promise<PersonOutcome<unknown>>] = [
      confirmDevice(id, ada, node),
      denyDevice(id, ada, node),
    ];
    const answers = await Promise.all(both.map(answer));
    assert.deepEqual(answers.toSorted(), ['accepted', 'decision-final']);
    assert.equal(await answer(redeem(node, started)), answers[0] === 'accepted' ? 'accepted' : 'device-denied');
  }
});

test('5 guesses per identity and code lifetime succeed with odds of at most 2^-32', async (t) => {
  const { node } = await onSqlite(t);
  const { wrongUserCodes } = node.settings;
  assert.ok(wrongUserCodes / ALPHABET_SIZE ** CODE_LENGTH <= 2 ** -32);
  const right = await start(node);
  for (let n = 0; n < wrongUserCodes; n++)
    assert.equal(await answer(enterUserCode(WRONG, ada, node)), 'user-code-unknown');
  assert.equal(await answer(enterUserCode(right.userCode, ada, node)), 'user-code-attempts-exhausted');
  assert.equal(await answer(enterUserCode(right.userCode, bob, node)), 'accepted', 'Bob made none of the guesses');
});

test('64 parallel guesses on two nodes get no more than 5 compared', async (t) => {
  const { node, database, clock } = await onSqlite(t);
  const other = await anotherNode(storeOf(await database.open()), { keyring: node.keyring, clock });
  const guesses = Array.from({ length: 64 }, (_, n) => answer(enterUserCode(WRONG, ada, n % 2 ? node : other)));
  const answers = await Promise.all(guesses);
  assert.equal(answers.filter((each) => each === 'user-code-unknown').length, 5);
  assert.equal(answers.filter((each) => each === 'user-code-attempts-exhausted').length, 59);
});

test('no period of one code lifetime, whenever it starts, has more than 5 guesses', async (t) => {
  const { node, clock } = await onSqlite(t);
  for (const rhythm of [1, 37, 59, 60, 61, 74, 75, 76, 299, 300, 301]) {
    clock.move(1000);
    const guessed = await guessesInRhythm(node, clock, rhythm);
    const lifetime = node.settings.deviceCodeLifetime;
    const most = Math.max(...guessed.map((from) => guessed.filter((at) => at >= from && at < from + lifetime).length));
    assert.ok(most <= 5, `${most} guesses, one every ${rhythm} s`);
    assert.ok(guessed.length > 5, 'the limit does not shut anyone out for ever');
  }
});

/** Times of the guesses that were let through. */
async function guessesInRhythm(node: Node, clock: TestClock, rhythm: number): Promise<number[]> {
  const letThrough: number[] = [];
  const end = clock.now() + 10 * node.settings.deviceCodeLifetime;
  while (clock.now() < end) {
    if ((await answer(enterUserCode(WRONG, ada, node))) === 'user-code-unknown') letThrough.push(clock.now());
    clock.move(rhythm);
  }
  return letThrough;
}

test('right codes are not counted and do not reset the count', async (t) => {
  const { node } = await onSqlite(t);
  for (let n = 0; n < 20; n++) await entered(node);
  for (let n = 0; n < 4; n++) assert.equal(await answer(enterUserCode(WRONG, ada, node)), 'user-code-unknown');
  for (let n = 0; n < 20; n++) await entered(node);
  assert.equal(await answer(enterUserCode(WRONG, ada, node)), 'user-code-unknown');
  assert.equal(await answer(enterUserCode(WRONG, ada, node)), 'user-code-attempts-exhausted');
});

test('malformed user codes count as guesses too', async (t) => {
  const { node } = await onSqlite(t);
  for (const typed of ['', 'x', "' OR 1", 'AAAA-AAAA', '🙂'.repeat(8)]) {
    assert.equal(await answer(enterUserCode(typed, ada, node)), 'user-code-unknown');
  }
  assert.equal(await answer(enterUserCode(WRONG, ada, node)), 'user-code-attempts-exhausted');
});

test('five failed sign-ins spend a user code; an unknown one costs as much, and says nothing', async (t) => {
  const { node } = await onSqlite(t);
  const { userCode } = await start(node);
  const fail = async (code = userCode) => {
    await countFailedSignIn(code, node);
    const [device] = await node.store.page(devices, { limit: 1 });
    return [device?.failedSignIns, device?.decision.is];
  };
  for (let n = 1; n < 5; n++) assert.deepEqual(await fail(), [n, 'open']);
  assert.deepEqual(await fail(WRONG), [4, 'open']);
  const [decoy] = await node.store.page(attempts, { limit: 1 });
  assert.match(decoy?.about ?? '', /^unknown code [0-9a-f]{16}$/);
  assert.deepEqual([decoy?.count, decoy?.endsAt], [0, node.clock.now()]);
  assert.deepEqual(await fail(), [5, 'spent']);
  assert.deepEqual(await fail(), [5, 'spent'], 'and no more');
  const events = await node.store.newestEvents({ count: 9 });
  assert.deepEqual(
    events.map(({ type }) => type),
    ['spent'],
  );
  assert.equal(await answer(enterUserCode(userCode, ada, node)), 'device-code-spent');
});

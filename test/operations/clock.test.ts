// A wrong clock issues, ends and sweeps nothing.

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { epochSeconds } from '../../src/core/time.ts';
import { acceptClock } from '../../src/operations/admin/check-clock.ts';
import { sweep } from '../../src/operations/upkeep/sweep.ts';
import { keepSeen, Timekeeper } from '../../src/operations/upkeep/timekeeper.ts';
import { recordingOutages } from '../../src/store/outages.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { accepted, anotherNode, answer, check, issue, type Node, refresh, type TestClock, textOf } from '../node.ts';
import { OPERATOR } from '../samples.ts';
import { onSqlite } from './on-sqlite.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
const TEN_YEARS = 3650 * DAY;

/** `bare`: on the same store without a timekeeper, as a command works. */
async function aNodeWithTimekeeper(t: TestContext) {
  const { node: bare, clock } = await onSqlite(t);
  await keepSeen(bare);
  return { ...(await begun(bare, clock)), bare, clock };
}

/** As a service that starts on the store. */
async function begun(bare: Node, clock: TestClock): Promise<{ node: Node; timekeeper: Timekeeper }> {
  const timekeeper = await Timekeeper.begin({ store: bare.store, clock });
  const store = recordingOutages(bare.store, timekeeper.admit);
  return { node: await anotherNode(store, { keyring: bare.keyring, clock }), timekeeper };
}

async function assertRefused(node: Node, pair: Parameters<typeof check>[1]): Promise<void> {
  await assert.rejects(issue(node), StoreUnavailable);
  await assert.rejects(refresh(node, pair), StoreUnavailable);
  await assert.rejects(check(node, pair), StoreUnavailable);
  await assert.rejects(
    sweep(node, async () => {}),
    StoreUnavailable,
  );
}

test('with a clock ten years ahead everything is refused, and nothing is lost once the clock is right', async (t) => {
  const { node, clock, timekeeper } = await aNodeWithTimekeeper(t);
  const pair = await issue(node);
  const next = accepted(await refresh(node, pair));
  clock.jump(TEN_YEARS);
  await assertRefused(node, next);
  assert.match(timekeeper.check(clock.now())?.reason ?? '', /87599 hours beyond what is plausible/);
  clock.move(600);
  clock.jump(-TEN_YEARS);
  assert.equal(timekeeper.check(clock.now()), undefined);
  assert.equal(await answer(check(node, next)), 'accepted');
  assert.equal(textOf(accepted(await refresh(node, pair))), textOf(next), 'the window counts from here');
});

test('a clock jump of up to an hour is accepted, a longer one is not; time that really passes always is', async (t) => {
  const { clock, timekeeper } = await aNodeWithTimekeeper(t);
  clock.move(400 * DAY);
  assert.equal(timekeeper.check(clock.now()), undefined);
  clock.jump(HOUR);
  assert.equal(timekeeper.check(clock.now()), undefined);
  clock.jump(HOUR + 1);
  assert.match(timekeeper.check(clock.now())?.reason ?? '', /1 seconds beyond/);
});

test('a clock set back by hours and then forward is accepted; one that is days behind is not', async (t) => {
  const { node, clock, timekeeper } = await aNodeWithTimekeeper(t);
  clock.jump(-12 * HOUR);
  assert.equal(timekeeper.check(clock.now()), undefined);
  clock.jump(12 * HOUR);
  assert.equal(timekeeper.check(clock.now()), undefined);
  const pair = await issue(node);
  clock.jump(-DAY - 1);
  await assertRefused(node, pair);
});

test('at start a clock a month past the high-water mark is accepted, ten years past only if an operator confirms', async (t) => {
  const { bare, clock } = await aNodeWithTimekeeper(t);
  const pair = await issue(bare);
  clock.jump(31 * DAY);
  assert.equal(await answer(check((await begun(bare, clock)).node, pair)), 'accepted');
  clock.jump(TEN_YEARS);
  await assertRefused((await begun(bare, clock)).node, pair);
  await acceptClock({ ...bare, by: OPERATOR });
  assert.equal(await answer(check((await begun(bare, clock)).node, pair)), 'access-token-expired');
});

test('the clock of the node alone: a jump is refused, time that passes is not, and the range follows the store', async (t) => {
  const { clock, timekeeper } = await aNodeWithTimekeeper(t);
  const ahead = (by: number) => epochSeconds(clock.now() + by);
  timekeeper.admitOwn(ahead(HOUR));
  assert.throws(() => timekeeper.admitOwn(ahead(HOUR + 1)), /1 seconds beyond what is plausible \(this node's clock\)/);
  assert.throws(() => timekeeper.admitOwn(ahead(-DAY - 1)), StoreUnavailable);
  timekeeper.admitOwn(ahead(HOUR)); // accepted again, but not learned
  assert.throws(() => timekeeper.admitOwn(ahead(2 * HOUR)), StoreUnavailable);
  clock.move(40 * DAY);
  timekeeper.admitOwn(clock.now());
});

test('sweeping waits for an hour of running time, or a day after a start long past the high-water mark', async (t) => {
  const { bare, clock, timekeeper } = await aNodeWithTimekeeper(t);
  clock.jump(2 * HOUR);
  clock.move(HOUR - 1);
  assert.equal(timekeeper.maySweep, false);
  clock.move(1);
  assert.equal(timekeeper.maySweep, true);
  const late = (await begun(bare, clock)).timekeeper;
  clock.move(DAY - 1);
  assert.equal(late.maySweep, false);
  clock.move(1);
  assert.equal(late.maySweep, true);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { presenter } from '../../src/core/presenter.ts';
import { seconds } from '../../src/core/time.ts';
import type { TokenPair } from '../../src/operations/grant/token-pair.ts';
import { NodeReporter } from '../../src/operations/upkeep/report-node.ts';
import { storeOf } from '../../src/store/change.ts';
import { writeRow } from '../../src/store/store.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { nodes } from '../../src/store/tables/leases.ts';
import { addKey, firstKey, Keyring, mintWith } from '../../src/tokens/keyring.ts';
import { accepted, anotherNode, answer, changeIntegration, issue, type Node, refresh, textOf } from '../node.ts';
import { Seeded } from '../seeded.ts';
import { faultyBackEnd, NO_FAULTS } from '../store/faulty-back-end.ts';
import { onSqlite } from './on-sqlite.ts';
import { Programs } from './sibling-programs.ts';

const HOUR = 3600;
const WINDOW = 4 * HOUR;
const ELSEWHERE = { by: presenter('203.0.113.9', 'agent/2') };

const withWindow = (node: Node, window: number = WINDOW) =>
  changeIntegration(node, {
    overrides: { accessTokenLifetime: seconds(HOUR), refreshSiblingWindow: seconds(window) },
  });

async function rowOf(node: Node, { grantId }: { grantId: string }) {
  const { found } = await node.store.load(grants, grantId);
  assert.ok(found);
  return found.row;
}

const typesOf = async (node: Node) => (await node.store.events({ after: 0, limit: 1000 })).map(({ type }) => type);

test('seven programs that share a login by nothing, with naps and lost answers: none is refused within the window, and no grant forks', async (t) => {
  const { node, clock, database } = await onSqlite(t);
  await withWindow(node);
  const keys = addKey(firstKey(), 2);
  const keyring = new Keyring(keys);
  const slow = faultyBackEnd(await database.open(), () => ({ ...NO_FAULTS, delayed: 0.5 }), new Seeded(5));
  const minting = { keyring: new Keyring(mintWith(keys, 2)), clock };
  const both = [{ ...node, keyring }, await anotherNode(storeOf(slow), minting)] as const;
  let [refused, late] = [0, 0];
  for (let seed = 1; seed <= 25; seed++) {
    const chance = new Seeded(seed);
    const programs = new Programs(7, await issue(both[0]), both, chance);
    for (let turn = 0; turn < 40; turn++) {
      clock.move(chance.pick([0, 1, 30, 61, HOUR / 2, HOUR, 2 * HOUR]));
      const awake = Array.from({ length: 7 }, (_, n) => n).filter(() => chance.chance(0.3));
      const allowed = awake.filter((n) => programs.spentFor(n, clock.now()) <= WINDOW);
      late += awake.length - allowed.length;
      for (const reason of await Promise.all(allowed.map((n) => programs.refresh(n)))) refused += reason ? 1 : 0;
    }
  }
  assert.equal(refused, 0);
  assert.ok(late > 50, 'many programs slept for too long, and were left out');
});

test('a program that comes back after more than twice the window ends the grant for all', async (t) => {
  const { node, clock } = await onSqlite(t);
  await withWindow(node);
  const first = await issue(node);
  let pair = first;
  for (let hour = 0; hour < 12; hour++) {
    clock.move(HOUR);
    pair = accepted(await refresh(node, pair));
  }
  assert.equal(await answer(refresh(node, first)), 'refresh-token-reused');
  assert.equal(await answer(refresh(node, pair)), 'grant-revoked');
});

test('a sibling gets today’s pair, byte for byte; one row, one event for a new program, and no more for one that is known', async (t) => {
  const { node, clock } = await onSqlite(t);
  await withWindow(node);
  const first = await issue(node);
  const second = accepted(await refresh(node, first));
  clock.move(120);
  const third = accepted(await refresh(node, second));
  clock.move(120);
  let siblings = 0;
  const counting = { ...node, countSibling: () => siblings++ };
  for (const held of [first, second, first]) {
    const same = accepted(await refresh(counting, held, ELSEWHERE));
    assert.equal(textOf(same), textOf(third));
  }
  assert.equal(accepted(await refresh(counting, first)).refreshToken?.reveal(), third.refreshToken?.reveal());
  assert.equal(siblings, 4);
  assert.deepEqual(await typesOf(node), ['issued', 'refreshed', 'refreshed', 'retried']);
  const { programs } = (await rowOf(node, first)).siblings ?? {};
  assert.deepEqual(
    programs?.map(({ presenter: { agent } }) => agent),
    ['curl/8', 'agent/2'],
  );
});

test('a sibling is answered after a commit of its own: a row can be read before it is durable', async (t) => {
  const { node, clock } = await onSqlite(t);
  await withWindow(node);
  const first = await issue(node);
  accepted(await refresh(node, accepted(await refresh(node, first))));
  clock.move(61);
  const before = (await node.store.load(grants, first.grantId)).found;
  accepted(await refresh(node, first));
  const after = (await node.store.load(grants, first.grantId)).found;
  assert.deepEqual(after?.row, before?.row);
  assert.notEqual(after?.revision, before?.revision);
});

test('a sibling whose pair would soon expire gets a new one in the same commit, which is then today’s for all', async (t) => {
  const { node, clock } = await onSqlite(t);
  await withWindow(node);
  const first = await issue(node);
  const second = accepted(await refresh(node, first));
  clock.move(0.8 * HOUR);
  const third = accepted(await refresh(node, first, ELSEWHERE));
  assert.equal((await rowOf(node, first)).pair.generation, 2);
  clock.move(61);
  assert.equal(textOf(accepted(await refresh(node, second))), textOf(third));
  assert.deepEqual(await typesOf(node), ['issued', 'refreshed', 'refreshed', 'retried']);
});

test('turning the window off applies at once: an earlier token is a reuse again', async (t) => {
  const { node, clock } = await onSqlite(t);
  await withWindow(node);
  const first = await issue(node);
  const second = accepted(await refresh(node, accepted(await refresh(node, first))));
  await withWindow(node, 0);
  clock.move(61);
  assert.equal(await answer(refresh(node, first)), 'refresh-token-reused');
  assert.equal(await answer(refresh(node, second)), 'grant-revoked');
});

test('a row that 0.3.4 made goes on: its earlier tokens are a reuse, until it is refreshed by this release', async (t) => {
  const { node, clock } = await onSqlite(t);
  await withWindow(node);
  const older = { ...node, derivation: () => 'secret' as const };
  const [first, other] = [await issue(older), await issue(older)];
  const second = accepted(await refresh(older, first));
  const third = accepted(await refresh(older, second));
  clock.move(61);
  assert.equal(textOf(accepted(await refresh(node, second))), textOf(third), 'the last spent one is known by both');
  const fourth = accepted(await refresh(node, third));
  assert.equal(textOf(accepted(await refresh(node, first))), textOf(fourth));
  accepted(await refresh(older, accepted(await refresh(older, other))));
  assert.equal(await answer(refresh(node, other)), 'refresh-token-reused');
});

for (const spent of [1, 2])
  test(`while a node of 0.3.4 runs, a spent token (${spent} of 3) repeats a pair that ends soon: a rotation could not be repeated to it`, async (t) => {
    const { node, clock } = await onSqlite(t);
    await withWindow(node);
    const pairs = [await issue(node)];
    for (let n = 1; n <= 3; n++) pairs.push(accepted(await refresh(node, pairs.at(-1) as TokenPair)));
    const held = pairs[spent] as TokenPair;
    clock.move(0.9 * HOUR);
    const older = { ...node, derivation: () => 'secret' as const };
    const lost = accepted(await refresh(older, held));
    clock.move(1);
    assert.equal(textOf(accepted(await refresh(older, held))), textOf(lost));
    assert.equal(textOf(lost), textOf(pairs[3] as TokenPair));
    assert.equal(await answer(refresh(older, lost)), 'accepted');
  });

test('no pair is derived from the root while a node runs that does not report that it can', async (t) => {
  const { node, clock } = await onSqlite(t);
  const reporter = new NodeReporter('new', node);
  assert.equal(reporter.derivation(), 'secret', 'before it knows the others');
  const old = (endsIn: number) =>
    writeRow(node.store, nodes, 'old', (_, now) => ({ name: 'old', keys: [], endsAt: (now + endsIn) as typeof now }));
  await old(180);
  await reporter.report(clock.now);
  assert.equal(reporter.derivation(), 'secret');
  await old(0);
  clock.move(20);
  await reporter.report(clock.now);
  assert.equal(reporter.derivation(), 'root');
  await new NodeReporter('another new one', node).report(clock.now);
  clock.move(20);
  await reporter.report(clock.now);
  assert.equal(reporter.derivation(), 'root');
  await old(180);
  clock.move(20);
  await reporter.report(clock.now);
  assert.equal(reporter.derivation(), 'secret', 'one of 0.3.4 was started again');
});

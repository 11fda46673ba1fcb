import assert from 'node:assert/strict';
import { test } from 'node:test';
import fastify from 'fastify';
import { mountOps } from '../../src/doors/ops/door.ts';
import { mergeParts } from '../../src/doors/ops/merge-metrics.ts';
import { Metrics } from '../../src/doors/ops/metrics.ts';
import { type CheckResult, Readiness } from '../../src/doors/ops/readiness.ts';
import type { Ports } from '../../src/operations/ports.ts';
import { Timekeeper } from '../../src/operations/upkeep/timekeeper.ts';
import { FollowedRegistry } from '../../src/store/registry.ts';
import type { StoreReport } from '../../src/store/store.ts';
import { firstKey, Keyring } from '../../src/tokens/keyring.ts';
import { TestClock } from '../node.ts';

async function readyz(results: readonly CheckResult[]) {
  const app = fastify();
  mountOps(app, { readiness: { ask: async () => results }, metrics: undefined });
  const { statusCode, payload } = await app.inject('/readyz');
  return { statusCode, answer: JSON.parse(payload) };
}

test('ready: 200', async () => {
  const answer = { status: 'ok', checks: { keys: 'ok' } };
  assert.deepEqual(await readyz([{ name: 'keys' }]), { statusCode: 200, answer });
});

test('not ready: the response lists each failing check with its reason and no details', async () => {
  const problem = { reason: 'the database does not answer', detail: 'no route to db.internal' };
  assert.deepEqual(await readyz([{ name: 'keys' }, { name: 'store', problem }]), {
    statusCode: 503,
    answer: {
      status: 'not ready',
      checks: { keys: 'ok', store: 'failing' },
      reasons: { store: 'the database does not answer' },
    },
  });
});

test('a limit that is reached is shown, and the service is ready', async () => {
  assert.deepEqual(await readyz([{ name: 'keys' }, { name: 'revocation lists', remark: 'too many' }]), {
    statusCode: 200,
    answer: {
      status: 'ok',
      checks: { keys: 'ok', 'revocation lists': 'limited' },
      reasons: { 'revocation lists': 'too many' },
    },
  });
});

function aReadiness(examine: () => Promise<StoreReport>) {
  const clock = new TestClock();
  const told: string[] = [];
  const news = {
    failing: (name: string, { reason, detail }: { reason: string; detail?: string }) =>
      told.push(`${name}: ${reason} (${detail})`),
    holdsAgain: (name: string) => told.push(`${name} again`),
    clocksApart: (apart: number) => told.push(`clocks ${apart} s apart`),
  };
  // No key has ever been used in this store, so none is missing.
  const page: Ports['store']['page'] = async () => [];
  const store = { examine, page } as Ports['store'];
  const timekeeper = new Timekeeper(clock.running, undefined, clock.now());
  return {
    clock,
    told,
    readiness: new Readiness(
      { store, keyring: new Keyring(firstKey()), registry: new FollowedRegistry(store), clock, timekeeper },
      news,
    ),
  };
}

test('a problem is logged once with details when it starts, and once when it ends', async () => {
  const problem = { reason: 'no room', detail: '3 bytes free' };
  let report: StoreReport = { now: new TestClock().now(), checks: [{ name: 'space', problem }] };
  const { clock, told, readiness } = aReadiness(async () => report);
  await readiness.look();
  clock.move(1);
  await readiness.look();
  assert.deepEqual(told, ['space: no room (3 bytes free)']);
  report = { now: clock.now(), checks: [{ name: 'space' }] };
  await readiness.look();
  assert.equal(told.length, 1, 'within the second, the last look counts');
  clock.move(1);
  await readiness.look();
  assert.deepEqual(told.slice(1), ['space again']);
});

test('a clock difference between node and store is logged from 5 seconds and makes the node not ready from 30', async () => {
  const { clock, told, readiness } = aReadiness(async () => ({ now: new TestClock().now(), checks: [] }));
  const problems = async () => (await readiness.look()).flatMap(({ problem }) => (problem ? [problem.reason] : []));
  clock.jump(5);
  assert.deepEqual(await problems(), []);
  assert.deepEqual(told, []);
  clock.jump(25);
  assert.deepEqual(await problems(), []);
  assert.deepEqual(told, ['clocks 30 s apart'], 'worth a line in the log');
  clock.jump(1);
  assert.deepEqual(await problems(), ['the clocks of node and store are 31 seconds apart']);
});

test('a hanging store makes the node not ready after two seconds, and gets one query', async () => {
  let asked = 0;
  const { readiness } = aReadiness(() => {
    asked += 1;
    return new Promise(() => undefined);
  });
  const looks = await Promise.all([readiness.look(), readiness.look(), readiness.look()]);
  for (const [check] of looks) assert.match(check?.problem?.reason ?? '', /has not answered within 2 seconds/);
  assert.equal(asked, 1);
});

test('a database that stops answering during the examination is not reported as a wrong clock', async () => {
  const problem = { reason: 'the database does not accept writes' };
  const { clock, told, readiness } = aReadiness(async () => {
    const now = clock.now();
    clock.move(60); // it read its clock, then hung
    return { now, checks: [{ name: 'writes', problem }] };
  });
  const failing = (await readiness.look()).flatMap(({ name, problem: why }) => (why ? [name] : []));
  assert.deepEqual(failing, ['writes']);
  assert.deepEqual(told, ['writes: the database does not accept writes (undefined)']);
});

test('the metric of readiness is what /readyz last said, and 0 while the node stops', async () => {
  const problem = { reason: 'the disk is full' };
  let checks: StoreReport['checks'] = [{ name: 'writes', problem }];
  const { clock, readiness } = aReadiness(async () => ({ now: clock.now(), checks }));
  const metrics = new Metrics({ isReady: () => readiness.isReady });
  const shown = async () => /^tessera_ready (.*)$/m.exec(await metrics.text())?.[1];
  assert.equal(await shown(), '0', 'before the first look');
  await readiness.look();
  assert.equal(await shown(), '0');
  checks = [];
  clock.move(1);
  await readiness.look();
  assert.equal(await shown(), '1');
  await readiness.announceStop(0);
  assert.equal(await shown(), '0');
});

test('of several workers, the one that is not ready and the certificate that expires first are shown', () => {
  const part = (value: number) => [
    { name: 'tessera_ready', help: '', type: 'gauge' as const, aggregator: 'min', values: [{ labels: {}, value }] },
  ];
  const values = (...parts: number[]) =>
    mergeParts({ current: parts.map((value, worker) => ({ worker, part: part(value) })), past: [part(0)] });
  const [merged, ...others] = values(1, 0, 1);
  assert.deepEqual([merged?.values, others], [[{ labels: {}, value: 0 }], []]);
  assert.equal(values(1, 1)[0]?.values[0]?.value, 1);
});

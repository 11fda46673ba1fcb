// /metrics of a service with workers: one set of numbers, whichever worker answers.
// Only in test:all: processes that are killed, and disks that are full
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { freePort } from '../free-port.ts';
import { populatedHome } from './service.ts';
import { removeAfter, serveWithWorkers, workersOf } from './supervised.ts';

async function twoWorkers(t: TestContext) {
  const port = await freePort(); // workers share only a fixed port
  const home = await populatedHome({ listeners: [{ port }] });
  removeAfter(t, home);
  const service = serveWithWorkers(t, home);
  await service.said('ready', 2);
  /** Over a new connection each time, so that both workers get requests. */
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } });
    return response.text();
  };
  const send = async (requests: number) => {
    for (let sent = 0; sent < requests; sent++) await get('/authsvc/Authorize/Verify');
  };
  return { ...service, get, send };
}

/** Checks without a token, counted by the service. */
function checksIn(text: string): number {
  const [, value] = /^tessera_requests_total\{operation="verify".* (\d+)$/m.exec(text) ?? [];
  return Number(value ?? 0);
}

function workersIn(text: string, metric: string): string[] {
  return [...text.matchAll(new RegExp(`^${metric}\\{worker="(\\d+)"\\} `, 'gm'))].map(([, worker]) => worker ?? '');
}

test('every scrape of a service with workers shows the sum of all workers', async (t) => {
  const { get, send } = await twoWorkers(t);
  await send(40);
  const scrapes = await Promise.all(Array.from({ length: 10 }, () => get('/metrics')));
  assert.deepEqual(new Set(scrapes.map(checksIn)), new Set([40]));
  const [text = ''] = scrapes;
  assert.match(text, /^tessera_request_duration_seconds_count\{operation="verify"\} 40$/m);
  assert.match(text, /^tessera_event_log_lag_seconds 0$/m, 'a fact of the store is not added up');
  for (const metric of ['process_resident_memory_bytes', 'tessera_requests_in_flight'])
    assert.deepEqual(workersIn(text, metric).sort(), ['1', '2'], metric);
});

test('counters do not fall when a worker dies, and its replacement gets its label', async (t) => {
  const { get, send, supervisor, said } = await twoWorkers(t);
  await send(40);
  assert.equal(checksIn(await get('/metrics')), 40);
  process.kill(workersOf(supervisor)[0] ?? 0, 'SIGKILL');
  await said('ready', 3);
  assert.equal(checksIn(await get('/metrics')), 40);
  await send(10);
  const text = await get('/metrics');
  assert.equal(checksIn(text), 50);
  assert.deepEqual(workersIn(text, 'process_resident_memory_bytes').sort(), ['1', '2']);
});

test('a worker that hangs delays a scrape by a second and keeps its counters', async (t) => {
  const { get, send, supervisor } = await twoWorkers(t);
  await send(40);
  assert.equal(checksIn(await get('/metrics')), 40);
  const [hanging = 0] = workersOf(supervisor);
  process.kill(hanging, 'SIGSTOP');
  const answered = await Promise.any(Array.from({ length: 12 }, () => get('/metrics')));
  assert.equal(checksIn(answered), 40);
  assert.deepEqual(workersIn(answered, 'process_resident_memory_bytes'), ['2']);
});

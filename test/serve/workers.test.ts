// The supervisor of workers, where the machine has nothing left for another process.
import assert from 'node:assert/strict';
import cluster from 'node:cluster';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { superviseWorkers } from '../../src/serve/workers.ts';

test('a worker for which no process could be started is tried again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const faults = ['ENOMEM', 'ENOMEM'];
  const { mock } = t.mock.method(cluster, 'fork', (() => {
    const fault = faults.shift();
    if (fault) throw new Error(`spawn ${fault}`);
    return Object.assign(new EventEmitter(), { process: { pid: 1 } });
  }) as never);
  const logged: unknown[] = [];
  const log = { error: ({ why }: { why: unknown }) => logged.push(why) } as never;
  const { promise: stopSignal, resolve: stop } = Promise.withResolvers<string>();
  const gathering = { add: () => undefined };
  const ended = superviseWorkers({ count: 1, stopSignal, patienceMs: 10, log, gathering, onServing: () => undefined });
  t.mock.timers.tick(5_000);
  t.mock.timers.tick(5_000);
  assert.deepEqual([mock.callCount(), logged], [3, ['spawn ENOMEM', 'spawn ENOMEM']]);
  stop('SIGTERM');
  assert.equal(await ended, 0);
});

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { drain } from '../../src/front/drain.ts';
import { openFront } from './front.ts';
import { stillFront } from './still-front.ts';

test('a stop waits for a second at most that no more connections come', async (t) => {
  const { connections, slots, pass } = stillFront(t);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  let looks = 0;
  server.on('newListener', (event: string, notice: () => void) => {
    if (event !== 'drop') return;
    looks += 1;
    notice();
    void pass(100);
  });
  await drain(server, connections, slots, 1_000);
  assert.equal(looks, 10);
});

test('a stop leaves no timer behind, which would keep the process alive', async (t) => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  const front = await openFront(t, { drainIdleMs: 60_000 }, { plain: true });
  await front.stop();
  assert.ok(timers() <= before);
});

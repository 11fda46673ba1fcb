// A refused call on fastify: the handler must not run, whatever other hooks the API has.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fastify } from 'fastify';
import { verifier } from '../../../sdk/verify/src/verify.ts';
import { FakeService } from './fake-service.ts';

async function scene(t: TestContext) {
  const service = await FakeService.start();
  const guard = await verifier(service.options);
  const app = fastify();
  t.after(async () => {
    guard.close();
    await app.close();
    await service.leave();
  });
  return { service, guard, app };
}

for (const hook of ['onRequest', 'preParsing', 'preValidation', 'preHandler'] as const)
  test(`${hook}: the handler does not run after a refusal, even if an onSend hook is still at work`, async (t) => {
    const { service, guard, app } = await scene(t);
    app.addHook('onSend', async () => sleep(20));
    let runs = 0;
    app.post('/orders', { [hook]: guard.require('orders:write') }, async () => {
      runs += 1;
      return 'done';
    });
    const answer = await app.inject({ method: 'POST', url: '/orders' });
    assert.deepEqual([answer.statusCode, runs], [401, 0]);
    const headers = { authorization: `Bearer ${await service.jwt({ scope: 'orders:write' })}` };
    const good = await app.inject({ method: 'POST', url: '/orders', headers });
    assert.deepEqual([good.statusCode, good.body, runs], [200, 'done', 1]);
  });

test('the handler does not run if the client leaves before the refusal is sent', async (t) => {
  const { guard, app } = await scene(t);
  let runs = 0;
  const sending = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  app.addHook('onRequest', async (request) => void request.raw.socket.once('close', () => left.resolve()));
  app.addHook('onSend', async () => {
    sending.resolve();
    await left.promise;
    await sleep(20); // the hook has gone on by now, if it ever does
  });
  app.post('/orders', { preHandler: guard.require('orders:write') }, async () => {
    runs += 1;
    return 'done';
  });
  const { port } = new URL(await app.listen({ port: 0, host: '127.0.0.1' }));
  const client = connect(Number(port), '127.0.0.1');
  client.on('error', () => undefined);
  client.write('POST /orders HTTP/1.1\r\nhost: orders.example\r\ncontent-length: 0\r\n\r\n');
  await sending.promise;
  client.destroy();
  await left.promise;
  await sleep(50);
  assert.equal(runs, 0);
});

test('a refusal is answered, too, if a hook of the API fails while it is sent', async (t) => {
  const { guard, app } = await scene(t);
  let faults = 0;
  app.addHook('onSend', async () => {
    await sleep(1); // as one that does some work
    if (faults++ === 0) throw new Error('a fault of the API');
  });
  app.post('/orders', { preHandler: guard.require('orders:write') }, async () => 'done');
  const { statusCode, body } = await app.inject({ method: 'POST', url: '/orders' });
  assert.equal(statusCode, 401);
  assert.match(body, /a fault of the API/);
});

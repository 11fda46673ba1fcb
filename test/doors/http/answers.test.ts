// An answer in JSON, on a connection that stays open and on another one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fastify } from 'fastify';
import { answerJson, attachExchange } from '../../../src/doors/http/answers.ts';

const JSON_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  ...{ 'cache-control': 'no-store', pragma: 'no-cache', 'x-content-type-options': 'nosniff' },
};

async function answered({ staysOpen }: { staysOpen?: boolean }) {
  const app = fastify();
  let released = 0;
  app.addHook('onSend', async (_, reply) => void reply.header('x-hooked', 'yes'));
  app.get('/', async (_, reply): Promise<void> => {
    const exchange = { staysOpen: () => staysOpen === true, release: () => (released += 1) };
    if (staysOpen !== undefined) attachExchange(reply.raw, exchange as never);
    answerJson(reply, '{"name":"Zoë"}');
  });
  const { statusCode, headers, payload } = await app.inject('/');
  assert.partialDeepStrictEqual(headers, JSON_HEADERS);
  assert.deepEqual([statusCode, payload, headers['content-length']], [200, '{"name":"Zoë"}', '15']);
  return { released, isHooked: headers['x-hooked'] !== undefined };
}

test('is the same with hooks and without; a connection that stays open needs none, and gives its slot back first', async () => {
  assert.deepEqual(await answered({ staysOpen: true }), { released: 1, isHooked: false });
  assert.deepEqual(await answered({ staysOpen: false }), { released: 0, isHooked: true });
  assert.deepEqual(await answered({}), { released: 0, isHooked: true });
});

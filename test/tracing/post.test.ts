// A collector that misbehaves costs its batch, and nothing else.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { poster } from '../../src/tracing/post.ts';
import { BROKEN, type RudeServer, rudeServer } from '../outbound/rude-server.ts';

let server: RudeServer;
before(async () => {
  server = await rudeServer();
});
after(() => server.close());

test('a reply in very small parts, which never ends, is refused', async () => {
  await assert.rejects(poster(`${server.url}/pieces`, 60_000)('{}'), /more than 2000 pieces/);
  await assert.rejects(poster(`${server.url}/interim`, 60_000)('{}'), /more than 100 interim responses/);
});

for (const reply of Object.keys(BROKEN))
  test(`a reply that breaks in its first read is refused, and the process goes on: ${reply}`, async () => {
    const post = poster(`${server.url}/broken/${reply}`, 60_000);
    for (let count = 0; count < 3; count += 1)
      await assert.rejects(post('{}'), /pieces|interim|Parse Error|closed|content|aborted/);
  });

test('of a long reply, the beginning is enough', async () => {
  const { status, body } = await poster(`${server.url}/endless`, 60_000)('{}');
  assert.equal(status, 200);
  assert.ok(body.length < 1024 * 1024, `${body.length} characters were kept`);
});

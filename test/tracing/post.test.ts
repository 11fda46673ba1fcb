// A collector that misbehaves costs its batch, and nothing else.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { poster } from '../../src/tracing/post.ts';
import { type RudeServer, rudeServer } from '../outbound/rude-server.ts';

let server: RudeServer;
before(async () => {
  server = await rudeServer();
});
after(() => server.close());

test('a reply in very small parts, which never ends, is refused', async () => {
  await assert.rejects(poster(`${server.url}/pieces`, 60_000)('{}'), /more than 2000 pieces/);
  await assert.rejects(poster(`${server.url}/interim`, 60_000)('{}'), /more than 100 interim responses/);
});

test('of a long reply, the beginning is enough', async () => {
  const { status, body } = await poster(`${server.url}/endless`, 60_000)('{}');
  assert.equal(status, 200);
  assert.ok(body.length < 1024 * 1024, `${body.length} characters were kept`);
});

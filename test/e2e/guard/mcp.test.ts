// An MCP server in Python behind nginx and the guard, and the official client: from 401 to the answer (docs/agents.md).
// Only in test:all: programs of others
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { AGENT } from '../../doors/pages/asking-program.ts';
import { ADA } from '../../doors/pages/running-service.ts';
import { given } from '../../given.ts';
import { ROOT } from '../../house/sources.ts';
import { McpScene } from '../mcp-scene.ts';
import { call } from './calls.ts';
import { startGuard, startRecipe, startUpstream } from './proxies.ts';

const scene = given(() => McpScene.open({ integrations: [AGENT] }));
const server = given(() => startUpstream(join(ROOT, 'examples/mcp/behind-guard.py')));
const guard = given(() => {
  const { service, url: audience, secret } = scene;
  const configuration = {
    ...{ issuer: service.url, ca: 'ca.pem', from: 'headers' },
    resourceServers: [{ id: 'orders-mcp', audience, secretFile: 'secret', metadata: true }],
    rules: [{ host: 'localhost', path: '/mcp', audience, scope: 'orders:read' }],
  };
  return startGuard(configuration, { resourceServer: { id: 'orders-mcp', secret, audience }, ca: service.authority });
});
const port = () => Number(new URL(scene.url).port);
const proxy = given(() => startRecipe('nginx', guard.port, server.port, port(), 'localhost'));

test('a client that knows the address alone is led to the service, and its calls arrive with the person', async () => {
  const refused = await call(proxy.port, 'POST /mcp', ['Host: localhost']);
  assert.match(
    refused.head,
    /^HTTP\/1\.1 401 .*resource_metadata="http:\/\/localhost:\d+\/\.well-known\/oauth-protected-resource\/mcp"/s,
  );
  for (const sdk of [1, 2] as const) {
    const lines = await scene.client({ sdk, clientId: 'coder', tools: ['whoami', 'whoami'] });
    assert.equal(lines.filter(({ open }) => open).length, 1);
    assert.deepEqual(
      lines.flatMap(({ called }) => called ?? []),
      [ADA.id, ADA.id],
    );
  }
});

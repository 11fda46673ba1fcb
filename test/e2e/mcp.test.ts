// docs/agents.md as it is printed, and the official MCP clients and servers, unmodified (MCP authorization 2026-07-28).
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { AGENT } from '../doors/pages/asking-program.ts';
import { ADA } from '../doors/pages/running-service.ts';
import { McpScene, type Printed, printed } from './mcp-scene.ts';

let scene: McpScene;
before(async () => {
  scene = await McpScene.open({ integrations: [AGENT] });
  await scene.serve(SERVER_WITH_STEP_UP(printed('createMcpHandler')));
});
after(() => scene?.close());

/** The printed server, with a second tool that needs more: the scope of a challenge is what the client asks for next. */
function SERVER_WITH_STEP_UP(text: string): string {
  return text
    .replace(
      '  return server;',
      `  server.registerTool('refund', { description: 'Pays back' }, ({ http }) => ({
    content: [{ type: 'text', text: http.authInfo.scopes.join(' ') }],
  }));
  return server;`,
    )
    .replace(
      "serve({ fetch: guard.mcpFetch(handler, 'orders:read'),",
      `const [read, write] = [guard.mcpFetch(handler, 'orders:read'), guard.mcpFetch(handler, 'orders:read', 'orders:write')];
const isRefund = async (request) => request.method === 'POST' && (await request.clone().text()).includes('refund');
serve({ fetch: async (request) => ((await isRefund(request)) ? write(request) : read(request)),`,
    );
}

const opened = (lines: readonly Printed[]) => lines.filter(({ open }) => open).length;
const results = (lines: readonly Printed[]) => lines.flatMap(({ called }) => called ?? []);

suite('the printed MCP server', () => {
  test('serves its metadata, and names them and the scope in a 401 [RFC 9728 3.1, 5.1]', async () => {
    const refused = await fetch(scene.url, { method: 'POST' });
    assert.equal(refused.status, 401);
    const address = `${new URL(scene.url).origin}/.well-known/oauth-protected-resource/mcp`;
    assert.equal(refused.headers.get('www-authenticate'), `Bearer scope="orders:read", resource_metadata="${address}"`);
    const metadata = (await (await fetch(address)).json()) as Record<string, unknown>;
    assert.deepEqual(metadata, {
      resource: scene.url,
      authorization_servers: [scene.service.url],
      bearer_methods_supported: ['header'],
      scopes_supported: ['orders:read', 'orders:write'],
    });
  });

  for (const sdk of [2, 1] as const) {
    test(`the official client ${sdk}.x: discovery, code with PKCE, a call, then a refresh without the person`, async () => {
      const lines = await scene.client({ sdk, clientId: 'coder', tools: ['whoami', 'whoami'] });
      assert.deepEqual(results(lines), [ADA.id, ADA.id]);
      assert.equal(opened(lines), 1, 'one login');
      const pairs = lines.map(({ tokens }) => tokens).filter((pair) => pair !== undefined);
      assert.equal(pairs.length, 2, 'one code and one refresh');
      assert.equal(pairs[0]?.['scope'], 'orders:read');
    });
  }

  test('step-up: insufficient_scope with scope makes the client ask the person for more [RFC 6750 3.1]', async () => {
    const lines = await scene.client({ sdk: 2, clientId: 'coder', tools: ['whoami', 'refund'] });
    assert.deepEqual(results(lines), [ADA.id, 'orders:read orders:write']);
    assert.equal(opened(lines), 2);
  });
});

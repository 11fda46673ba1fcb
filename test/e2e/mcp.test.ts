// The programs of examples/mcp, and the official MCP clients and servers, unmodified (MCP authorization 2026-07-28).
// Only in test:all: documents as printed
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { seconds } from '../../src/core/time.ts';
import { AGENT } from '../doors/pages/asking-program.ts';
import { ADA } from '../doors/pages/running-service.ts';
import { given, prepare } from '../given.ts';
import { example, McpScene, type Printed } from './mcp-scene.ts';

const LIBRARIES = new URL('code-library-client.ts', import.meta.url);

/** Its programs may be several with one login. */
const CODER = { ...AGENT, overrides: { refreshSiblingWindow: seconds(3600) } };
const scene = given(() => McpScene.open({ integrations: [CODER] }));
prepare(async () => {
  await scene.serve(SERVER_WITH_STEP_UP(example('server.mjs')));
});

/** The server of examples/mcp, with a second tool that needs more: the scope of a challenge is what the client asks for next. */
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

suite('libraries with authorization code and PKCE, unmodified', () => {
  const order = { clientId: 'coder', redirectUri: 'http://127.0.0.1:47112/callback' };

  test('openid-client: discovery, state, iss, code, refresh, revocation [RFC 9207 2.4]', async () => {
    const lines = await scene.converse(LIBRARIES, { library: 'openid-client', issuer: scene.service.url, ...order });
    assert.equal(lines.at(-1)?.scope, 'orders:read');
  });

  test('oauth4webapi: the same, and the second redemption of a code is refused [RFC 6749 4.1.2]', async () => {
    const lines = await scene.converse(LIBRARIES, { library: 'oauth4webapi', issuer: scene.service.url, ...order });
    assert.deepEqual(lines.slice(1), [{ scope: 'orders:read' }, { refused: 'invalid_grant' }]);
  });
});

suite('a coding agent with four processes and one login', () => {
  test('as shipped: one confirmation, and every process works for the person', async () => {
    const agent = scene.run('agent.mjs', example('agent.mjs'), { PATH: '' }, true);
    let errors = '';
    for await (const text of agent.stderr as NodeJS.ReadableStream) {
      errors += text;
      const [, address] = /open:\n(https:.+)\n/.exec(errors) ?? [];
      if (address) {
        await scene.confirm(address, true);
        break;
      }
    }
    let lines = '';
    for await (const text of agent.stdout as NodeJS.ReadableStream) lines += text;
    const expected = [1, 2, 3, 4].map((worker) => `worker ${worker} works for ${ADA.id}`);
    assert.deepEqual(lines.trim().split('\n').sort(), expected);
  });
});

suite('the MCP server of examples/mcp', () => {
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

  for (const sdk of [2, 1] as const)
    test(`three processes of the official client ${sdk}.x with one login, each with its tokens in memory: none signs in again`, async () => {
      const process = (more: object) =>
        scene.client({ sdk, clientId: 'coder', tools: Array(6).fill('whoami'), ...more });
      const [{ tokens } = {}] = (await process({ tools: ['whoami'] })).filter((line) => line.tokens);
      const together = await Promise.all([process({ tokens }), process({ tokens })]);
      const late = await process({ tokens });
      for (const lines of [...together, late])
        assert.deepEqual([results(lines), opened(lines)], [Array(6).fill(ADA.id), 0]);
    });

  test('step-up: insufficient_scope with scope makes the client ask the person for more [RFC 6750 3.1]', async () => {
    const lines = await scene.client({ sdk: 2, clientId: 'coder', tools: ['whoami', 'refund'] });
    assert.deepEqual(results(lines), [ADA.id, 'orders:read orders:write']);
    assert.equal(opened(lines), 2);
  });

  test('a server of the 1.x package on Express, protected by one line, with clients of both packages', async () => {
    await scene.serveFirst();
    for (const sdk of [1, 2] as const) {
      const lines = await scene.client({ sdk, clientId: 'coder', tools: ['whoami', 'whoami'] });
      assert.deepEqual(results(lines), [ADA.id, ADA.id]);
    }
  });
});

// An API that serves its metadata (RFC 9728), and servers of MCP.
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { type Guard, verifier } from '../../../sdk/verify/src/verify.ts';
import { given, prepare } from '../../given.ts';
import { FakeService } from './fake-service.ts';

const PATH = '/.well-known/oauth-protected-resource';
let guard: Guard;
const service = given(() => FakeService.start());
prepare(async () => {
  guard = await verifier(service.options);
});
after(async () => {
  guard.close();
});

/** A request of node:http, and what it was answered. */
function call(url: string, headers: Record<string, string> = {}) {
  const request: Record<string, unknown> = { headers, method: 'GET', url, socket: {} };
  const answered: { status?: number; headers?: Record<string, string>; body?: string } = {};
  const writeHead = (status: number, given: Record<string, string>) => {
    Object.assign(answered, { status, headers: given });
    return { end: (body: string) => Object.assign(answered, { body }) };
  };
  return { request, answered, args: [request as never, { writeHead }] as const };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const documentIn = ({ body = '' }: { body?: string }) => JSON.parse(body) as Record<string, unknown>;

suite('metadata', () => {
  test('are served only by the middleware for them, and let other calls through', async () => {
    const served = call(PATH);
    assert.equal(await guard.metadata(...served.args), false);
    assert.deepEqual(documentIn(served.answered)['authorization_servers'], [service.issuer]);
    assert.equal(await guard.metadata(...call('/orders').args), true);
    const own = call(PATH);
    assert.equal(await guard.require()(...own.args), false);
    assert.equal(own.answered.status, 401);
  });

  test('are named in refusals from then on', async () => {
    const { args, answered } = call('/orders');
    await guard.require('orders:read')(...args);
    assert.match(
      answered.headers?.['www-authenticate'] ?? '',
      /scope="orders:read", resource_metadata="https:\/\/orders/,
    );
  });
});

suite('a server of MCP', () => {
  test('serves metadata with the permissions that it needs, and hands the caller to its tools', async () => {
    const middleware = guard.mcp('Orders:read');
    const served = call(PATH);
    assert.equal(await middleware(...served.args), false);
    assert.deepEqual(documentIn(served.answered)['scopes_supported'], ['orders:read']);
    const token = service.opaque();
    const allowed = call('/mcp', bearer(token));
    assert.equal(await middleware(...allowed.args), true);
    const { token: given, clientId, scopes } = allowed.request['auth'] as Record<string, unknown>;
    assert.deepEqual([given, clientId, scopes], [token, 'orders-sync', ['orders:read']]);
    assert.equal(guard.caller(allowed.request).identity, 'local:ada');
    const refused = call('/mcp', bearer('tsa_none'));
    assert.equal(await middleware(...refused.args), false);
    assert.equal(refused.answered.status, 401);
    assert.equal('auth' in refused.request, false);
    assert.throws(() => guard.caller(refused.request), /did not pass guard.require/);
  });

  test('that handles web-standard requests gets the same', async () => {
    const seen: unknown[] = [];
    const handler = guard.mcpFetch(
      {
        fetch: (_, { authInfo }) => {
          seen.push(authInfo.token);
          return new Response('done');
        },
      },
      'orders:write',
      'orders:read',
    );
    const ask = (path: string, headers = {}) => handler(new Request(`https://orders.example${path}`, { headers }));
    const document = (await (await ask(PATH)).json()) as Record<string, unknown>;
    assert.deepEqual(document['scopes_supported'], ['orders:read', 'orders:write']);
    assert.equal((await ask('/mcp')).status, 401);
    assert.equal((await ask('/mcp', bearer(service.opaque()))).status, 403);
    const token = service.opaque({ scope: 'orders:read orders:write' });
    assert.equal(await (await ask('/mcp', bearer(token))).text(), 'done');
    assert.deepEqual(seen, [token]);
  });
});

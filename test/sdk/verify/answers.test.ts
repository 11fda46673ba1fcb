// What an API answers to a call that is refused, its metadata, and what is read of a call on each framework.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { suite, test } from 'node:test';
import { certificateOf, whyNotBound } from '../../../sdk/verify/src/binding.ts';
import type { Claims } from '../../../sdk/verify/src/claims.ts';
import { callOf, fetchCall } from '../../../sdk/verify/src/frameworks.ts';
import { type Settings, settingsOf } from '../../../sdk/verify/src/options.ts';
import { answerTo, type Reason, refuse } from '../../../sdk/verify/src/refusal.ts';
import { mcpAuth, ResourceMetadata } from '../../../sdk/verify/src/resource-metadata.ts';

suite('a refusal is answered', () => {
  const ANSWERS: readonly (readonly [Reason, number, string, string])[] = [
    ['token-missing', 401, 'invalid_request', 'Bearer realm="api"'],
    ['token-invalid', 401, 'invalid_token', 'Bearer error="invalid_token", error_description="why"'],
    ['scope-insufficient', 403, 'insufficient_scope', 'Bearer error="insufficient_scope", error_description="why"'],
    ['proof-invalid', 401, 'invalid_dpop_proof', 'DPoP error="invalid_dpop_proof", error_description="why", algs='],
  ];
  for (const [reason, status, error, challenge] of ANSWERS)
    test(`${reason}: ${status} with a challenge`, () => {
      const { headers, ...answer } = answerTo(refuse(reason, 'why'));
      assert.deepEqual(answer, { status, body: JSON.stringify({ error, error_description: 'why' }) });
      assert.ok(headers['www-authenticate']?.startsWith(challenge));
      assert.equal(headers['cache-control'], 'no-store');
    });

  for (const [reason, expected] of [
    ['unavailable', 503],
    ['proofs-too-many', 429],
  ] as const)
    test(`${reason}: ${expected} without a challenge, and when to try again`, () => {
      const { status, headers } = answerTo(refuse(reason, 'why'));
      assert.deepEqual([status, headers['retry-after'], headers['www-authenticate']], [expected, '5', undefined]);
    });

  test('with what is needed, and where the metadata is', () => {
    const more = { scope: ['orders:read', 'orders:write'], resourceMetadata: 'https://a.example/x' };
    const { headers } = answerTo({ ...refuse('token-missing', 'why'), ...more });
    const expected = 'Bearer scope="orders:read orders:write", resource_metadata="https://a.example/x"';
    assert.equal(headers['www-authenticate'], expected);
  });
});

suite('metadata [RFC 9728]', () => {
  const settingsFor = (audience: string): Settings =>
    settingsOf({ issuer: 'https://tokens.example', resourceServer: { id: 'a', secret: 'b', audience } });

  test('are at the address of the API, before its path', () => {
    const urlOf = (audience: string) => new ResourceMetadata(settingsFor(audience)).url;
    const well = '/.well-known/oauth-protected-resource';
    assert.equal(urlOf('https://mcp.example'), `https://mcp.example${well}`);
    assert.equal(urlOf('https://mcp.example/mcp?a=1'), `https://mcp.example${well}/mcp?a=1`);
    for (const audience of ['urn:orders', 'https://'])
      assert.throws(() => urlOf(audience), { name: 'TypeError', message: /must be the address of this API/ });
  });

  test('are read by GET and HEAD, also by pages of others', () => {
    const metadata = new ResourceMetadata(settingsFor('https://mcp.example/mcp'));
    const path = '/.well-known/oauth-protected-resource/mcp';
    const answer = (method: string, target = path) => metadata.answerFor(method, target);
    assert.equal(answer('GET', '/mcp'), undefined);
    const document = {
      ...{ resource: 'https://mcp.example/mcp', authorization_servers: ['https://tokens.example'] },
      bearer_methods_supported: ['header'],
    };
    assert.deepEqual(JSON.parse(answer('GET')?.body ?? ''), document);
    metadata.addScopes(['orders:read']);
    metadata.addScopes(['orders:read', 'orders:write']);
    const scoped = { ...document, scopes_supported: ['orders:read', 'orders:write'] };
    assert.deepEqual(JSON.parse(answer('GET', `${path}?x`)?.body ?? ''), scoped);
    const [head, options, post] = [answer('HEAD'), answer('OPTIONS'), answer('POST')];
    assert.deepEqual([head?.status, head?.body], [200, '']);
    assert.equal(head?.headers['access-control-allow-origin'], '*');
    assert.deepEqual([options?.status, options?.headers['access-control-allow-methods']], [204, 'GET, HEAD']);
    assert.deepEqual([post?.status, post?.headers['allow']], [405, 'GET, HEAD, OPTIONS']);
  });

  test('tell tools of MCP who calls', () => {
    const allowed = { ok: true, identity: 'local:ada', integration: 'sync', scope: ['a:x'], expiresAt: 9 } as const;
    const auth = mcpAuth('tsa_1', allowed, 'https://mcp.example/mcp', 'https://mcp.example/m');
    assert.deepEqual(
      { ...auth, resource: auth.resource.href },
      {
        ...{ token: 'tsa_1', clientId: 'sync', scopes: ['a:x'], expiresAt: 9, resource: 'https://mcp.example/mcp' },
        ...{ resourceMetadataUrl: 'https://mcp.example/m', extra: { identity: 'local:ada' } },
      },
    );
    assert.equal(
      mcpAuth('t', { ...allowed, guest: 'https://c.example/' }, 'https://a.example', '').clientId,
      'https://c.example/',
    );
  });
});

test('a token that is bound to a certificate needs this one [RFC 8705 3]', () => {
  const certificate = Buffer.from('der');
  const boundTo = createHash('sha256').update(certificate).digest('base64url');
  const why = (claims: Partial<Claims>, shown?: Uint8Array) => whyNotBound(claims as Claims, shown)?.description ?? '';
  assert.equal(why({}), '');
  assert.equal(why({ boundTo }, certificate), '');
  assert.match(why({ boundTo }), /needs its client certificate/);
  assert.match(why({ boundTo }, Buffer.from('other')), /bound to another/);
  assert.equal(certificateOf({ getPeerCertificate: () => ({ raw: certificate }) }), certificate);
  for (const socket of [undefined, {}, { getPeerCertificate: () => null }, { getPeerCertificate: () => ({}) }])
    assert.equal(certificateOf(socket), undefined);
});

suite('of a call is read', () => {
  const headers = { authorization: 'Bearer x', dpop: 'p' };

  test('the same on every framework', () => {
    const raw = { headers, method: 'GET', url: '/orders?page=2', socket: {} };
    const hono = {
      req: {
        ...{ header: (name: string) => headers[name as keyof typeof headers], method: 'GET', path: '/orders' },
        ...{ url: 'http://a.example/orders?page=2', raw: {} },
      },
      res: {},
    };
    const fastify = [{ raw }, { code: () => undefined, raw: {} }];
    for (const args of [[raw, {}], fastify, [hono, () => undefined]]) {
      const { authorization, proof, method, path, certificate } = callOf(args);
      assert.deepEqual(
        [authorization, proof, method, path, certificate],
        ['Bearer x', 'p', 'GET', '/orders', undefined],
      );
    }
    assert.equal(callOf([raw, {}]).target, '/orders?page=2');
    assert.equal(callOf([hono, () => undefined]).target, '/orders');
    const request = new Request('https://a.example/orders?page=2', { method: 'POST', headers });
    assert.deepEqual(fetchCall(request), {
      ...{ authorization: 'Bearer x', certificate: undefined, proof: 'p', method: 'POST', path: '/orders' },
    });
    assert.equal(fetchCall(new Request('https://a.example/')).authorization, undefined);
  });

  test('the path as the caller sent it, whatever a router cut off', () => {
    const path = (url?: string, originalUrl?: string) =>
      callOf([{ headers: {}, socket: {}, ...(url !== undefined && { url }), ...(originalUrl && { originalUrl }) }, {}])
        .path;
    assert.equal(path('/1', '/orders/1'), '/orders/1');
    assert.equal(path('https://a.example/x'), '/x');
    assert.equal(path('*'), '');
    assert.equal(path(), '');
  });

  test('no proof if there is none, and none that is valid if there are several', () => {
    const proof = (dpop?: string[]) => callOf([{ headers: { ...(dpop && { dpop }) }, socket: {} }, {}]).proof;
    assert.equal(proof(), undefined);
    assert.equal(proof(['a', 'b']), 'a,b');
  });
});

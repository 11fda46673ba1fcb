// Tokens that are bound to a key, and opaque scope items.
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { calculateJwkThumbprint } from 'jose';
import { verifier } from '../../../sdk/verify/src/verify.ts';
import { ath, dpopKey } from '../../e2e/dpop-steps.ts';
import { FakeService } from './fake-service.ts';

const service = await FakeService.start();
after(() => service.leave());

suite('a DPoP proof for another API', async () => {
  const key = await dpopKey();
  const cnf = { jkt: await calculateJwkThumbprint(key.jwk) };

  /** What the API answers to a call with this Host. */
  async function answerTo(host: string, htu: string, audience = 'https://orders.example'): Promise<string> {
    const { options } = service;
    service.audience = audience;
    const guard = await verifier({ ...options, resourceServer: { ...options.resourceServer, audience } });
    const token = service.opaque({ cnf });
    const dpop = await key.proof({ htm: 'GET', htu, iat: service.now, ath: ath(token) });
    const headers = { host, authorization: `DPoP ${token}`, dpop };
    let answer = 'allowed';
    const end = (body: string) => {
      answer = body;
    };
    await guard.require('orders:read')(
      { headers, method: 'GET', url: '/orders', socket: {} },
      { writeHead: () => ({ end }) },
    );
    guard.close();
    return answer;
  }

  test('does not fit, whatever Host says', async () => {
    assert.match(await answerTo('evil.example', 'https://evil.example/orders'), /not valid for this call/);
    assert.equal(await answerTo('evil.example', 'https://orders.example/orders'), 'allowed');
  });

  test('an API that does not know its address takes no such token, and says so', async () => {
    assert.match(await answerTo('evil.example', 'https://evil.example/orders', 'urn:orders'), /option origin/);
  });
});

test('an opaque scope item is compared whole: it is no permission on a resource', async () => {
  service.audience = 'https://orders.example';
  const guard = await verifier(service.options);
  service.integration.scope = 'api://x/.default api';
  const token = service.opaque({ scope: 'api://x/.default' });
  let status = 200;
  const writeHead = (code: number) => {
    status = code;
    return { end: () => undefined };
  };
  const request = { headers: { authorization: `Bearer ${token}` }, method: 'GET', url: '/', socket: {} };
  await guard.require('api')(request, { writeHead });
  assert.equal(status, 403);
  guard.close();
});

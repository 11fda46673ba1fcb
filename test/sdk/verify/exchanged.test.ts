// Tokens that an API got by exchange (`act`), and tokens that are bound to a key.
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { calculateJwkThumbprint } from 'jose';
import { verifier } from '../../../sdk/verify/src/verify.ts';
import { ath, dpopKey } from '../../e2e/dpop-steps.ts';
import { FakeService } from './fake-service.ts';

const service = await FakeService.start();
after(() => service.leave());
const act = { sub: 'integration:1', client_id: 'orders-backend' };

suite('an exchanged token', async () => {
  const guard = await verifier({ ...service.options, onOutage: 'trust-until-expiry' });
  after(() => guard.close());

  test('is introspected whatever the feed says, and again after seconds: it ends with another token', async () => {
    for (const token of [await service.jwt({ act }), service.opaque({ act })]) {
      assert.equal((await guard.check(token)).ok, true);
      service.active.delete(token);
      service.now += 6;
      assert.equal((await guard.check(token)).ok, false);
    }
  });

  test('is not accepted while the service is away', async () => {
    const token = await service.jwt({ act });
    service.away.add('introspection');
    assert.equal((await guard.check(token)).ok, false);
    assert.equal((await guard.check(await service.jwt())).ok, true);
    service.away.delete('introspection');
  });
});

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

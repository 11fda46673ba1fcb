// A JWT whose signature was checked before is still refused by the feed, and still bound to its key.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { calculateJwkThumbprint } from 'jose';
import { verifier } from '../../../sdk/verify/src/verify.ts';
import { ath, dpopKey } from '../../e2e/dpop-steps.ts';
import { eventually } from '../../eventually.ts';
import { FakeService } from './fake-service.ts';

async function scene(t: TestContext) {
  const service = await FakeService.start();
  t.after(() => service.leave());
  const guard = await verifier(service.options);
  t.after(() => guard.close());
  const reasonFor = async (token: string, options = {}) => {
    const checked = await guard.check(token, options);
    return checked.ok ? 'allowed' : checked.reason;
  };
  return { service, reasonFor };
}

for (const entry of [
  { type: 'grant', grant: '018f', keep_until: 1_800_001_000 },
  { type: 'integration', client_id: 'orders-sync', enabled: false, scope: 'orders:read' },
])
  test(`is refused once the feed has said it of its ${entry.type}`, async (t) => {
    const { service, reasonFor } = await scene(t);
    const token = await service.jwt();
    for (let n = 0; n < 2; n++) assert.equal(await reasonFor(token), 'allowed');
    service.tell(entry);
    await eventually('it is refused', async () => (await reasonFor(token)) === 'token-invalid');
    assert.equal(service.introspections, 0);
  });

test('needs a new proof at each call [RFC 9449 7]', async (t) => {
  const { service, reasonFor } = await scene(t);
  const key = await dpopKey();
  const token = await service.jwt({ cnf: { jkt: await calculateJwkThumbprint(key.jwk) } });
  const url = 'https://orders.example/orders';
  const call = async () => {
    const proof = await key.proof({ htm: 'GET', htu: url, iat: service.now, ath: ath(token) });
    return { dpop: { proof, method: 'GET', url } };
  };
  const used = await call();
  assert.equal(await reasonFor(token, used), 'allowed');
  assert.equal(await reasonFor(token, await call()), 'allowed');
  assert.equal(await reasonFor(token, used), 'proof-invalid');
  assert.equal(await reasonFor(token), 'proof-invalid');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RateLimit } from '../../../src/doors/http/rate-limit.ts';
import { type ReachedCap, type TokenRates, tokenLimits } from '../../../src/doors/token/limits.ts';
import { ADA, CLIENT } from '../../samples.ts';

test('a request is charged to its cap once, though its change may be decided again; who reached it is reported once', () => {
  const reached: ReachedCap[] = [];
  const rate = new RateLimit({ burst: 1, perSecond: 0.1 }, () => 0);
  const caps = { refreshes: [{ setting: 'refreshesPerGrant', of: 'grantId' as const, rate }], grants: [], reports: [] };
  const rates = { caps, onCap: (cap: ReachedCap) => void reached.push(cap) } as Partial<TokenRates> as TokenRates;
  const request = () => tokenLimits(rates, {} as never).capsFor(CLIENT);
  assert.equal(request()('refreshes', ADA, 'a'), undefined);
  assert.equal(request()('refreshes', ADA, 'b'), undefined, 'another grant has its own');
  const again = request();
  const refusal = { reason: 'cap-reached', retryAfter: 10, rule: 'refreshesPerGrant' };
  for (let attempt = 0; attempt < 2; attempt++) assert.deepEqual(again('refreshes', ADA, 'a'), refusal);
  assert.deepEqual(reached, [{ setting: 'refreshesPerGrant', clientId: CLIENT, identityId: ADA, grantId: 'a' }]);
});

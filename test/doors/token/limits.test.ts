// Which requests to a token door are charged, and to whom.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accept, type Outcome, refuse } from '../../../src/core/outcome.ts';
import { RateLimit } from '../../../src/doors/http/rate-limit.ts';
import { Call, type TokenMount } from '../../../src/doors/token/call.ts';
import { type ReachedCap, type TokenRates, tokenLimits } from '../../../src/doors/token/limits.ts';
import { ADA, CLIENT } from '../../samples.ts';

test('requests that name no grant are charged to their address, others are not: a 429 would hide a revoked grant', () => {
  let charged = 0;
  const overLimit = () => {
    charged += 1;
    return { reason: 'rate-limited' as const };
  };
  const call = new Call({} as never, { overLimit } as Partial<TokenMount> as TokenMount);
  const outcomes: Outcome<string>[] = [accept('a pair'), refuse('grant-revoked'), refuse('refresh-token-reused')];
  for (const outcome of outcomes) assert.equal(call.chargeUnusable(outcome), outcome);
  assert.equal(charged, 0);
  for (const reason of ['client-id-missing', 'credential-ambiguous', 'body-unreadable'] as const)
    assert.deepEqual(call.chargeUnusable(refuse(reason)), refuse('rate-limited'), reason);
});

test('a cap that is reached is reported once for each request, with its setting and who reached it', () => {
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

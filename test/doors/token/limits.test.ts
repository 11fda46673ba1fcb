import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { seconds } from '../../../src/core/time.ts';
import { RateLimit } from '../../../src/doors/http/rate-limit.ts';
import { chargedOnce, type ReachedCap, type TokenRates, tokenLimits } from '../../../src/doors/token/limits.ts';
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

test('an integration that is not registered has no limit: anybody could fill the memory with names', () => {
  const rate = () => new RateLimit({ burst: 1, perSecond: 0.1 }, () => 0);
  const rates = { perIntegration: { grants: rate(), devices: rate() } } as Partial<TokenRates> as TokenRates;
  const registry = { integration: (clientId: string) => (clientId === CLIENT ? {} : undefined) };
  const { overIntegrationLimit } = tokenLimits(rates, { registry } as never);
  const refusal = { reason: 'rate-limited', retryAfter: 10 };
  for (const what of ['grants', 'devices'] as const)
    assert.deepEqual([overIntegrationLimit(CLIENT, what), overIntegrationLimit(CLIENT, what)], [undefined, refusal]);
  for (let asked = 0; asked < 2; asked++) assert.equal(overIntegrationLimit('nobody', 'grants'), undefined);
});

test('a request is charged once, however many of its steps need the limit', () => {
  const refusal = { reason: 'rate-limited', retryAfter: seconds(10) } as const;
  let charged = 0;
  const overLimit = chargedOnce(() => (++charged > 1 ? refusal : undefined));
  const [first, second] = [{}, {}] as FastifyRequest[] as [FastifyRequest, FastifyRequest];
  for (let step = 0; step < 3; step++) assert.equal(overLimit(first), undefined);
  for (let step = 0; step < 3; step++) assert.equal(overLimit(second), refusal);
  assert.equal(charged, 2);
});

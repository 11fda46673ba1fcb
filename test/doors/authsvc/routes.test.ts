// What every request to the contract's door has in common: a log line that says whose it was, and one place in the limit of its address.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { type Answer, type Caller, callerOver, form, json, type Question, reachOf } from '../../e2e/caller.ts';
import { clientId, startService, type TestService } from '../../e2e/service.ts';
import * as steps from '../../e2e/steps.ts';
import { eventually } from '../../eventually.ts';
import { ADA, anIntegration } from '../../samples.ts';

const { CERTIFICATE, CLIENT, DEVICE, DEVICE_GRANT, REVOKE, SCOPE, TOKEN, VERIFY } = steps;

suite('the log line of a request', () => {
  let service: TestService;
  let caller: Caller;
  before(async () => {
    service = await startService();
    caller = callerOver('HTTP/1.1', reachOf(service, service.ada));
  });
  after(async () => {
    caller.close();
    await service.stop();
  });

  const lines = () => service.logLines.filter((line) => line.includes('"msg":"request"'));
  async function logged<T>(sent: () => Promise<T>): Promise<readonly [Record<string, unknown>, T]> {
    const known = lines().length;
    const answer = await sent();
    await eventually('it is logged', () => lines().length > known);
    const { operation, outcome, reason, clientId: client, identityId, grantId } = JSON.parse(lines()[known] ?? '');
    return [{ operation, outcome, reason, client, identityId, hasGrant: grantId !== undefined }, answer];
  }

  test('that made, checked or ended a grant names its integration, its identity and itself', async () => {
    const said = { outcome: 'accepted', reason: undefined, client: CLIENT, identityId: ADA, hasGrant: true };
    const [certified, pair] = await logged(() => steps.pairByCertificate(caller));
    assert.deepEqual(certified, { ...said, operation: 'authorize-certificate' });
    const [refreshed, next] = await logged(() => steps.refreshed(caller, pair));
    assert.deepEqual(refreshed, { ...said, operation: 'refresh' });
    const started = await steps.startedDevice(caller);
    await steps.confirm(service, started);
    const [redeemed] = await logged(() => steps.redeem(caller, started.device_code));
    assert.deepEqual(redeemed, { ...said, operation: 'redeem' });
    for (const [operation, send] of [
      ['verify', steps.verify],
      ['revoke', steps.revoke],
    ] as const)
      assert.deepEqual((await logged(() => send(caller, next.access_token)))[0], { ...said, operation });
  });

  test('that was refused says why, and whose it was', async () => {
    const said = { outcome: 'refused', client: CLIENT, hasGrant: false };
    for (const [operation, reason, identityId, path, fields] of [
      ['refresh', 'refresh-token-not-authentic', undefined, TOKEN, json({ client_id: CLIENT, refresh_token: 'x' })],
      ['refresh', 'refresh-by-form', undefined, TOKEN, form({ client_id: CLIENT, refresh_token: 'x' })],
      ['authorize-token', 'credential-missing', undefined, TOKEN, json({ client_id: CLIENT })],
      ['authorize-certificate', 'scope-missing', ADA, CERTIFICATE, json({ client_id: CLIENT })],
    ] as const) {
      const [line] = await logged(() => caller.ask({ path, ...fields }));
      assert.deepEqual(line, { ...said, operation, reason, identityId });
    }
  });

  test('names an integration at once after it was added, and an unknown one by a hash', async () => {
    for (const [id, use] of [
      ['added-for-devices', steps.startedDevice],
      ['added-for-certificates', steps.pairByCertificate],
    ] as const) {
      await service.put(integrations, anIntegration({ clientId: clientId(id) }));
      assert.equal((await logged<unknown>(() => use(caller, id)))[0]['client'], id);
    }
    const ask = () => caller.ask({ path: DEVICE, ...json({ client_id: 'never-added', scope: SCOPE }) });
    const [{ client }, unknown] = await logged<Answer>(ask);
    steps.assertRefused(unknown, 400, 'invalid_grant', /not the Client ID/);
    // What was sent could be a password.
    assert.match(String(client), /^unknown:[0-9a-f]{12}$/);
  });
});

test('the limit of an address counts every request once, whatever is wrong with it', async (t) => {
  const requests: readonly Question[] = [
    { path: TOKEN, ...json({}) },
    { path: TOKEN, ...json({ client_id: CLIENT, refresh_token: 'x' }) },
    { path: TOKEN, ...json({ client_id: CLIENT, grant_type: DEVICE_GRANT, device_code: 'x' }) },
    { path: TOKEN, ...form({ client_id: CLIENT, refresh_token: 'x' }) },
    { path: CERTIFICATE, ...json({ client_id: CLIENT, scope: SCOPE }) },
    { path: CERTIFICATE, ...form({ client_id: CLIENT, scope: SCOPE }) },
    { path: DEVICE, ...json({ client_id: CLIENT }) },
    ...[VERIFY, REVOKE].map((path) => ({ path, headers: { authorization: 'Bearer x' } })),
  ];
  const limits = { requestsPerAddress: { perMinute: 1, burst: requests.length } };
  const limited = await startService({ settings: { limits } });
  t.after(() => limited.stop());
  const stranger = callerOver('HTTP/1.1', reachOf(limited));
  t.after(() => stranger.close());
  for (const request of requests) assert.notEqual((await stranger.ask(request)).status, 429, JSON.stringify(request));
  assert.equal((await stranger.ask({ path: VERIFY, headers: { authorization: 'Bearer x' } })).status, 429);
});

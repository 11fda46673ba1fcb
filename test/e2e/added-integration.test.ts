import assert from 'node:assert/strict';
import { test } from 'node:test';
import { integrations } from '../../src/store/tables/integrations.ts';
import { anIntegration } from '../samples.ts';
import { callerOver, json, reachOf } from './caller.ts';
import { clientId, startService } from './service.ts';
import { assertRefused, DEVICE, pairByCertificate, SCOPE, startedDevice } from './steps.ts';

test('an integration is served at once after it was added, and logged by name', async (t) => {
  const service = await startService();
  t.after(() => service.stop());
  const caller = callerOver('HTTP/1.1', reachOf(service, service.ada));
  t.after(() => caller.close());
  for (const [id, use] of [
    ['added-for-devices', startedDevice],
    ['added-for-certificates', pairByCertificate],
  ] as const) {
    await service.put(integrations, anIntegration({ clientId: clientId(id) }));
    await use(caller, id);
    assert.equal(JSON.parse(service.logLines.at(-1) ?? '{}').clientId, id);
  }
  const unknown = await caller.ask({ path: DEVICE, ...json({ client_id: 'never-added', scope: SCOPE }) });
  assertRefused(unknown, 400, 'invalid_grant', /not the Client ID/);
});

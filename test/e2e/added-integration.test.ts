import { test } from 'node:test';
import { integrations } from '../../src/store/tables/integrations.ts';
import { eventually } from '../eventually.ts';
import { anIntegration } from '../samples.ts';
import { callerOver, json, reachOf } from './caller.ts';
import { clientId, startService } from './service.ts';
import { assertRefused, DEVICE, pairByCertificate, SCOPE, startedDevice } from './steps.ts';

test('an integration is served at once after it was added, and logged by name; an unknown one is logged by a hash', async (t) => {
  const service = await startService();
  t.after(() => service.stop());
  const caller = callerOver('HTTP/1.1', reachOf(service, service.ada));
  t.after(() => caller.close());
  const logged = () => JSON.parse(service.logLines.at(-1) ?? '{}').clientId;
  for (const [id, use] of [
    ['added-for-devices', startedDevice],
    ['added-for-certificates', pairByCertificate],
  ] as const) {
    await service.put(integrations, anIntegration({ clientId: clientId(id) }));
    await use(caller, id);
    await eventually('its name is logged', () => logged() === id);
  }
  const unknown = await caller.ask({ path: DEVICE, ...json({ client_id: 'never-added', scope: SCOPE }) });
  assertRefused(unknown, 400, 'invalid_grant', /not the Client ID/);
  // What was sent could be a password.
  await eventually('a hash is logged', () => /^unknown:[0-9a-f]{12}$/.test(logged()));
});

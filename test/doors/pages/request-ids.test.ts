import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { poll, startCode } from './calling-device.ts';
import { type RunningService, startService } from './running-service.ts';
import { signedIn } from './visitor.ts';

let service: RunningService;
before(async () => {
  service = await startService({ sets: ['device.failedSignIns=1'] });
});
after(() => service.stop());

/** The operation of the request that each event names. */
async function causes(): Promise<[type: string, operation: string][]> {
  const lines = service
    .logged()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>);
  const events = await service.store.newestEvents({ count: 100 });
  return events.map(({ type, requestId }) => [
    type,
    lines.find(({ id, operation }) => id === requestId && operation !== undefined)?.['operation'] ?? 'none',
  ]);
}

test('what a person confirms, denies, revokes or gets wrong: every event names the request that caused it', async () => {
  const ada = await signedIn(service);
  const confirmed = await startCode(service);
  await ada.post(`${await ada.enterCode(confirmed.userCode)}/confirm`);
  assert.equal((await poll(service, confirmed)).status, 200);
  await ada.post(`${await ada.enterCode((await startCode(service)).userCode)}/deny`);
  await ada.get('/account');
  await ada.post('/account/grants/revoke');
  const { userCode } = await startCode(service);
  await ada.signIn('ada', 'wrong', { user_code: userCode });
  assert.deepEqual(await causes(), [
    ['confirmed', 'confirm-device'],
    ['issued', 'redeem'],
    ['denied', 'deny-device'],
    ['revoked', 'revoke-my-grants'],
    ['spent', 'sign-in'],
  ]);
});

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { issuers } from '../../src/store/tables/issuers.ts';
import { makeAuthority } from '../authority.ts';
import type { Question } from './caller.ts';
import { registryFollows } from './registry-follows.ts';
import { anIssuer, startService, type TestService } from './service.ts';
import { pairByCertificate, refresh, refreshed, revoke } from './steps.ts';

const REFUSED: readonly (readonly [door: string, question: Question])[] = [
  ['authsvc', { path: '/authsvc/Authorize/Verify', headers: { authorization: 'Bearer tsa_nothing' } }],
  [
    'oauth',
    { method: 'POST', path: '/oauth2/token', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
  ],
  ['no door', { path: '/nothing/here' }],
  ['pages', { method: 'POST', path: '/sign-in', headers: { accept: 'text/html' } }],
];

suite('every refusal carries its request id, and the log line has the same', () => {
  let service: TestService;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  for (const [door, question] of REFUSED) {
    test(`at ${door}`, async () => {
      const caller = service.caller();
      const { status, headers } = await caller.ask(question);
      caller.close();
      assert.ok(status >= 400, `${status}`);
      const line = service.logLines.find((text) => text.includes(`"id":"${String(headers['request-id'])}"`));
      assert.match(line ?? '', /"outcome":"refused","reason":"/);
    });
  }
});

suite('every event that a request causes has its request id', () => {
  const derived = makeAuthority({ name: 'Derived Root' });
  let service: TestService;
  before(async () => {
    service = await startService();
    await service.put(issuers, anIssuer(derived, { label: 'DERIVED', identities: 'derived' }));
    await registryFollows();
  });
  after(() => service.stop());

  /** The types of the events that name the request of the newest log line of an operation. */
  async function eventsOfLast(operation: string): Promise<string[]> {
    const lines = service.logLines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const id = lines.findLast((line) => line['operation'] === operation)?.['id'];
    assert.match(String(id), /^[0-9a-f]{16}$/);
    const events = await service.ports.store.newestEvents({ count: 100 });
    return events.filter(({ requestId }) => requestId === id).map(({ type }) => type);
  }

  test('issued, refreshed, retried, reused and revoked', async () => {
    const caller = service.caller(service.ada);
    const first = await pairByCertificate(caller);
    assert.deepEqual(await eventsOfLast('authorize-certificate'), ['issued']);
    const second = await refreshed(caller, first);
    assert.deepEqual(await eventsOfLast('refresh'), ['refreshed']);
    await refreshed(caller, first);
    assert.deepEqual(await eventsOfLast('refresh'), ['retried']);
    await refreshed(caller, second);
    assert.equal((await refresh(caller, first.refresh_token)).status, 400);
    assert.deepEqual(await eventsOfLast('refresh'), ['reused', 'revoked']);
    await revoke(caller, (await pairByCertificate(caller)).access_token);
    assert.deepEqual(await eventsOfLast('revoke'), ['revoked']);
  });

  test('an identity that is derived from a certificate', async () => {
    const caller = service.caller(derived.issue({ commonName: 'robot' }));
    await pairByCertificate(caller);
    assert.deepEqual(await eventsOfLast('authorize-certificate'), ['administered', 'issued']);
  });
});

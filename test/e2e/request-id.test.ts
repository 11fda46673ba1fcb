import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { callerOver, type Question, reachOf } from './caller.ts';
import { startService, type TestService } from './service.ts';

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
      const caller = callerOver('HTTP/1.1', reachOf(service));
      const { status, headers } = await caller.ask(question);
      caller.close();
      assert.ok(status >= 400, `${status}`);
      const line = service.logLines.find((text) => text.includes(`"id":"${String(headers['request-id'])}"`));
      assert.match(line ?? '', /"outcome":"refused","reason":"/);
    });
  }
});

// Secrets that must never appear anywhere.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { poll, startCode } from './calling-device.ts';
import { ADA, PASSWORD, type RunningService, startService } from './running-service.ts';
import { SESSION_COOKIE, Visitor } from './visitor.ts';

let service: RunningService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

suite('canary', () => {
  test('no page, header or log line contains a device code, a token or a password', async () => {
    const seen: string[] = [];
    const code = await startCode(service);
    const ada = new Visitor(service);
    const note = async (answer: Promise<{ headers: object; text: string }>) => {
      const { headers, text } = await answer;
      seen.push(JSON.stringify(headers), text);
    };
    await note(ada.get(`/device?user_code=${code.userCode}`));
    await note(ada.signIn('ada', 'canary-wrong-password', { user_code: code.userCode }));
    await note(ada.signIn());
    const path = await ada.enterCode(code.userCode);
    await note(ada.get(path));
    await note(ada.post(`${path}/confirm`));
    const { body } = await poll(service, code);
    await note(ada.get(path));
    await note(ada.get('/account'));
    await note(ada.get('/account/password'));
    await note(ada.post('/account/password', { current: PASSWORD, next: PASSWORD, repeated: PASSWORD }));
    const secrets = [
      code.deviceCode,
      String(body['access_token']),
      String(body['refresh_token']),
      PASSWORD,
      'canary-wrong-password',
      'canary-another-long-password',
    ];
    const haystack = seen.join('\n') + service.logged();
    assert.match(haystack, new RegExp(ADA.id), 'the log was read');
    for (const secret of secrets) {
      const bytes = Buffer.from(secret);
      for (const form of [
        secret,
        secret.slice(0, 20),
        encodeURIComponent(secret),
        bytes.toString('base64'),
        bytes.toString('hex'),
      ]) {
        assert.ok(!haystack.includes(form), `found ${form.slice(0, 12)}…`);
      }
    }
    const cookie = ada.cookies.get(SESSION_COOKIE) ?? '';
    assert.ok(!service.logged().includes(cookie), 'the session cookie is in the log');
    assert.ok(!service.logged().includes(code.userCode), 'a user code is in the log');
  });
});

// What a device authorization is read as, and how often the server is asked whether the person has confirmed.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type DevicePrompt, device, nextWait, readAuthorization } from '../../../sdk/client/src/by/device.ts';
import type { Door } from '../../../sdk/client/src/door/door.ts';
import type { Reply } from '../../../sdk/client/src/door/reply.ts';

const NOW = 1_800_000_000;
const GIVEN = {
  device_code: 'D1',
  user_code: 'BC-DF',
  verification_uri: 'https://x/',
  interval: 0.001,
  expires_in: 60,
};
const refusal = (error: string): Reply => ({ kind: 'refused', error, why: error });

test('an answer is read within limits, and shown without control characters', (t) => {
  t.mock.method(Date, 'now', () => NOW * 1000);
  const uri = { verificationUri: 'https://x/', verificationUriComplete: 'https://x/' };
  const usual = { intervalMs: 1, userCode: 'BC-DF', ...uri, expiresAt: NOW + 60 };
  for (const [given, expected] of [
    [{}, {}],
    ...[-5, 0, 'often', null, undefined].map((interval) => [{ interval }, { intervalMs: 5_000 }]),
    ...[301, 1e12].map((interval) => [{ interval }, { intervalMs: 300_000 }]),
    ...[-5, 0, 'never'].map((expires_in) => [{ expires_in }, { expiresAt: NOW + 600 }]),
    [{ expires_in: 86_401 }, { expiresAt: NOW + 86_400 }],
    [{ verification_uri_complete: 'https://x/?c' }, { verificationUriComplete: 'https://x/?c' }],
    [
      { user_code: 'BC\u001b[2JDF', verification_uri_complete: '\u0007' },
      { userCode: 'BC?[2JDF', verificationUriComplete: '?' },
    ],
    [{ user_code: 7 }, { userCode: '' }],
  ] as const) {
    const { intervalMs, prompt } = readAuthorization({ ...GIVEN, ...given });
    assert.deepEqual({ intervalMs, ...prompt }, { ...usual, ...expected }, JSON.stringify(given));
  }
});

test('the server is asked less often if it says so or does not answer, up to every 30 seconds [RFC 8628 3.5]', () => {
  const [pending, slower] = [refusal('authorization_pending'), refusal('slow_down')];
  const [later, unclear]: Reply[] = [
    { kind: 'later', afterMs: undefined, why: '' },
    { kind: 'unclear', why: '' },
  ];
  for (const [wait, reply, expected] of [
    [5_000, pending, 5_000],
    [5_000, slower, 10_000],
    [5_000, later, 10_000],
    [5_000, unclear, 10_000],
    [27_000, slower, 30_000],
    [40_000, slower, 40_000],
  ] as const)
    assert.equal(nextWait(wait, reply as Reply), expected);
});

suite('a login with a device', () => {
  /** What the server answers, one after the other. */
  async function login(replies: readonly Reply[], expires_in = 60) {
    const [shown, left]: [DevicePrompt[], Reply[]] = [[], [...replies]];
    const door = {
      deviceAuthorization: async () => ({ kind: 'granted', json: { ...GIVEN, expires_in } }),
      token: async () => left.shift(),
    } as unknown as Door;
    const reply = await device({ show: (prompt) => void shown.push(prompt) }).start?.(door, undefined);
    return { reply, left: left.length, shown: shown.map(({ userCode }) => userCode) };
  }

  test('asks until the server says something else than to wait', async () => {
    const pending = refusal('authorization_pending');
    for (const last of [refusal('access_denied'), { kind: 'granted', json: { access_token: 'A1' } } as const])
      assert.deepEqual(await login([pending, pending, last]), { reply: last, left: 0, shown: ['BC-DF'] });
  });

  test('ends when the code has', async (t) => {
    let clock = NOW * 1000;
    t.mock.method(Date, 'now', () => (clock += 600));
    const pending = refusal('authorization_pending');
    const { reply, left } = await login([pending, pending, pending], 1);
    assert.deepEqual(reply, { kind: 'refused', error: 'expired_token', why: 'Nobody confirmed in time.' });
    assert.equal(left, 1);
  });
});

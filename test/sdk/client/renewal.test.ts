// What the holder of the lock does with an answer, and how soon it asks again. The clock, chance and the server are the test's own.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, suite, test } from 'node:test';
import type { Way } from '../../../sdk/client/src/by/way.ts';
import type { Door, Manner } from '../../../sdk/client/src/door/door.ts';
import type { Reply } from '../../../sdk/client/src/door/reply.ts';
import { backOff, Renewal } from '../../../sdk/client/src/renewal.ts';
import { memoryStore } from '../../../sdk/client/src/store/memory-store.ts';
import type { HeldStore } from '../../../sdk/client/src/store/token-store.ts';
import type { StoredTokens } from '../../../sdk/client/src/tokens.ts';
import { failsWith } from './token-scene.ts';

const NOW = 1_800_000_000;
const OWNER = { server: 'https://tokens.example', clientId: 'sync' };
const ALONE: Way = { isAlone: true, todo: 'Ask the operator.', tls: () => undefined };
const PATIENCE = { until: (NOW + 60) * 1000 };
beforeEach(() => void mock.method(Date, 'now', () => NOW * 1000));
afterEach(() => mock.restoreAll());

test('the pause before the next try doubles up to 5 seconds, and half of it is by chance', () => {
  let drawn = 0;
  mock.method(Math, 'random', () => drawn);
  for (const [tries, chance, expected] of [
    [0, 0, 100],
    [0, 1, 200],
    [1, 1, 400],
    [4, 0.5, 2400],
    [5, 1, 5000],
    [1000, 0, 2500],
  ] as const) {
    drawn = chance;
    assert.equal(backOff(tries), expected);
  }
});

/** A way that gets this reply. */
function startWith(reply: Reply, way: Partial<Way> = {}): Renewal {
  const by = { ...ALONE, ...way, start: async () => reply };
  return new Renewal({ ...OWNER, by, door: {} as Door, retryWindowMs: 60_000 });
}

async function held(): Promise<HeldStore> {
  const found = await memoryStore().lock();
  assert.ok(found);
  return found;
}

test('a pair is what the answer says; what it does not say has a default', async () => {
  const year = 365 * 86_400;
  const pair = { ...OWNER, accessToken: 'A1', scope: '', obtainedAt: NOW, expiresAt: NOW + 300 };
  for (const [json, difference] of [
    [{}, {}],
    [{ scope: 7, refresh_token: 7, expires_in: null }, {}],
    [{ expires_in: Number.POSITIVE_INFINITY, refresh_token_expires_in: {} }, {}],
    [
      { expires_in: -5, refresh_token_expires_in: 0 },
      { expiresAt: NOW - 5, refreshUntil: NOW },
    ],
    [
      { scope: 'a:b', refresh_token: 'R1' },
      { scope: 'a:b', refreshToken: 'R1' },
    ],
    [
      { expires_in: 60, refresh_token_expires_in: 99 },
      { expiresAt: NOW + 60, refreshUntil: NOW + 99 },
    ],
    [{ expires_in: '60', refresh_token_expires_in: 'soon' }, { expiresAt: NOW + 60 }],
    [{ expires_in: 100 * year + 1 }, { expiresAt: NOW + 100 * year }],
  ] as const) {
    const renewal = startWith({ kind: 'granted', json: { access_token: 'A1', ...json } });
    assert.deepEqual(await renewal.start(await held(), PATIENCE), { ...pair, ...difference });
  }
});

suite('a refusal says what to do', () => {
  for (const [error, isAlone, reason, message] of [
    ['access_denied', false, 'refused', /^The request was denied\. Ask the operator\.$/],
    ['expired_token', false, 'login-needed', /^Nobody confirmed in time\. Ask the operator\.$/],
    ['invalid_client', true, 'refused', /refused: No \(invalid_client\)\. Check clientId\. Ask the operator\.$/],
    ['invalid_client', false, 'refused', /refused: No \(invalid_client\)\. Check clientId with the operator\.$/],
    ['invalid_scope', true, 'refused', /refused: No \(invalid_scope\)\. Ask for less, or /],
    ['invalid_grant', true, 'refused', /refused: No \(invalid_grant\)\. Ask the operator\.$/],
  ] as const)
    test(`${error}, ${isAlone ? 'of a program' : 'of a person'}`, async () => {
      const renewal = startWith({ kind: 'refused', error, why: 'No.' }, { isAlone });
      await assert.rejects(renewal.start(await held(), PATIENCE), (fault) => {
        assert.equal((fault as { error?: string }).error, error);
        return failsWith(reason, message)(fault);
      });
    });
});

test('no try is made that would begin when time is up', async () => {
  mock.method(Math, 'random', () => 1);
  const later = (afterMs?: number) => startWith({ kind: 'later', afterMs, why: 'Away.' });
  for (const [reply, until] of [
    [later(), 200],
    [later(60_000), 60_000],
    [startWith({ kind: 'unclear', why: 'Away.' }), 200],
  ] as const)
    await assert.rejects(
      reply.start(await held(), { until: NOW * 1000 + until }),
      failsWith('unavailable', /^No token from https:\/\/tokens\.example: Away\. The grant is fine/),
    );
});

suite('a refresh that was sent before is sent again', () => {
  const pair: StoredTokens = {
    ...{ ...OWNER, accessToken: 'A1', scope: '', obtainedAt: NOW - 600, expiresAt: NOW - 1 },
    ...{ refreshToken: 'R1', refreshUntil: NOW + 600 },
  };
  /** What is presented. */
  async function renewed(retryWindowMs: number, ago: number): Promise<string[]> {
    const presented: string[] = [];
    const door = {
      token: async (form: Record<string, string>, { beforeSent }: Manner) => {
        await beforeSent?.();
        presented.push(form['refresh_token'] ?? '');
        return { kind: 'granted', json: { access_token: 'A2' } };
      },
      revoke: async (token: string) => void presented.push(`ends ${token}`),
    } as unknown as Door;
    const by = { ...ALONE, start: async (): Promise<Reply> => ({ kind: 'granted', json: { access_token: 'A2' } }) };
    const lock = await held();
    await lock.present('R1', NOW * 1000 - ago);
    await new Renewal({ ...OWNER, by, door, retryWindowMs }).renew(lock, pair, PATIENCE);
    return presented;
  }

  for (const [window, longest] of [
    [60_000, 50_000],
    [40_000, 30_000],
    [39_996, 29_997],
    [8_000, 6_000],
  ] as const)
    test(`within ${longest} ms of a window of ${window}`, async () => {
      assert.deepEqual(await renewed(window, longest), ['R1']);
      assert.deepEqual(await renewed(window, longest + 1), ['ends A1']);
    });
});

// What an answer of the server means for the credential that was presented.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { replyOf, replyOfNone } from '../../../sdk/client/src/door/reply.ts';
import { type Answer, NoAnswer } from '../../../sdk/client/src/door/send.ts';

const reply = (status: number, json?: Record<string, unknown>, more: Partial<Answer> = {}) =>
  replyOf({ status, json, retryAfter: undefined, ...more }, 'access_token');

suite('an answer', () => {
  test('with what was requested is a success', () => {
    const json = { access_token: 'A1' };
    assert.deepEqual(reply(200, json), { kind: 'granted', json });
    assert.deepEqual(replyOf({ status: 200, json: undefined, retryAfter: undefined }, undefined), {
      kind: 'granted',
      json: {},
    });
  });

  for (const [status, json] of [
    [200, {}],
    [200, { access_token: 1 }],
    [200, { access_token: '' }],
    [200, { access_token: 'a\nb' }],
    [200, { access_token: 'a\x7f' }],
    [201, { access_token: 'A1' }],
    [302, { error: 'moved' }],
    [400, {}],
    [400, { error: '' }],
    [399, { error: 'x' }],
    [500, { error: 'server_error' }],
    [504, {}],
  ] as const)
    test(`${status} ${JSON.stringify(json)}: it may have been done`, () => {
      assert.deepEqual(reply(status, json), { kind: 'unclear', why: `the server answered with status ${status}` });
    });

  test('without JSON says its status', () => {
    for (const status of [429, 502, 503])
      assert.deepEqual(reply(status), { kind: 'later', afterMs: undefined, why: `status ${status}` });
    assert.deepEqual(reply(500), { kind: 'unclear', why: 'the server answered with status 500' });
  });

  for (const [status, json] of [
    [429, { error: 'slow_down' }],
    [503, { error: 'temporarily_unavailable' }],
    [502, { error: 'of a proxy' }],
    [503, { error: 'of a proxy' }],
  ] as const)
    test(`${status}: nothing was done, the same may be sent again, after the seconds that the server says`, () => {
      const why = json.error;
      for (const [retryAfter, afterMs] of [
        [undefined, undefined],
        ['2', 2000],
        ['0', 0],
        ['-1', undefined],
        ['soon', undefined],
      ] as const)
        assert.deepEqual(reply(status, json, { retryAfter }), { kind: 'later', afterMs, why });
    });

  test('that refuses says why, in words that can be shown', () => {
    for (const status of [400, 401, 499])
      assert.deepEqual(reply(status, { error: 'invalid_grant', error_description: 'It\x1b[1m has ended.' }), {
        ...{ kind: 'refused', error: 'invalid_grant', why: 'It?[1m has ended.' },
      });
    assert.deepEqual(reply(400, { error: 'invalid_grant', error_description: 1 }), {
      ...{ kind: 'refused', error: 'invalid_grant', why: 'invalid_grant' },
    });
    const long = reply(400, { error: 'x', error_description: 'y'.repeat(20_000) });
    assert.equal('why' in long && long.why.length, 10_000);
  });
});

test('no answer: it may have been done only if the request was sent', () => {
  const none = (wasSent: boolean) => replyOfNone(new NoAnswer(wasSent, new Error('gone')));
  assert.deepEqual(none(true), { kind: 'unclear', why: 'gone' });
  assert.deepEqual(none(false), { kind: 'later', afterMs: undefined, why: 'gone' });
  const silent = Object.assign(new Error(''), { code: 'ECONNRESET' });
  assert.equal(new NoAnswer(true, silent).message, 'ECONNRESET');
  assert.equal(new NoAnswer(true, new Error('')).message, 'no answer');
});

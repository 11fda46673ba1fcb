// What an operator reads about a judged assertion: every check, and the setting that it depends on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AssertionJudge, printAssertionStep } from '../../src/assertions/assertion-judge.ts';
import { aTokenIssuer, keySetOf, OUR_ISSUER } from '../platform.ts';
import { NOW } from '../samples.ts';
import { judge, key, other, rsa, setOf } from './judged.ts';

test('a check names the setting that it depends on, if there is one', async () => {
  const { steps } = await judge(await key.sign(), { tokenIssuers: [aTokenIssuer({ algorithms: ['RS256'] })] });
  assert.deepEqual(steps.at(-1), {
    ...{ rule: 'algorithm', passed: false, about: 'assertion', words: 'alg is RS256, found "ES256"' },
    ...{ reason: 'assertion-algorithm-not-allowed', setting: 'algorithms' },
  });
  assert.equal(printAssertionStep(steps.at(-1) as never), 'FAIL algorithm: alg is RS256, found "ES256" {algorithms}');
  assert.deepEqual(Object.keys(steps[0] ?? {}), ['rule', 'passed', 'about', 'words', 'reason']);
  assert.equal(printAssertionStep(steps[0] as never), 'pass form: it is a JWT in compact form');
});

test('the issuer that was found, and why an assertion cannot be read', async () => {
  const words = async (text: string, ...labels: string[]) =>
    (await judge(text, { tokenIssuers: labels.map((label) => aTokenIssuer({ label })) })).steps.at(-1)?.words ?? '';
  assert.match(await words('x'), /^it is a JWT in compact form: /);
  assert.equal(await words(await key.sign()), 'iss is that of one token issuer, found none');
  assert.equal(await words(await key.sign(), 'a', 'b'), 'iss is that of one token issuer, found a, b');
});

test('whether keys were known, or fetched for this assertion, and why they could not be', async () => {
  const [known, newer] = [setOf(keySetOf(rsa)), setOf(keySetOf(rsa, key))];
  const found = async (text: string, { before, newest }: { before?: typeof known; newest?: typeof known }) => {
    const keys = { keysOf: async () => before, newestKeys: async () => newest, failureOf: () => 'HTTP 503' };
    const { outcome, steps } = await new AssertionJudge({ keys, ourIssuer: OUR_ISSUER, now: () => NOW }).judge(text, [
      aTokenIssuer(),
    ]);
    const words = steps.filter(({ rule }) => rule.startsWith('key')).map(printAssertionStep);
    return [outcome.ok ? 'accepted' : outcome.refusal.reason, ...words];
  };
  const fits = 'pass key: a key has its kid and fits its alg';
  const areKnown = 'pass keys: the keys of ci are known';
  const fetched = 'keys: the keys of ci were fetched just now, for one that is not known';
  assert.deepEqual(await found(await rsa.sign(), { before: known }), ['accepted', areKnown, fits]);
  const newKey = await found(await key.sign(), { before: known, newest: newer });
  assert.deepEqual(newKey, ['accepted', areKnown, `pass ${fetched}`, fits]);
  const notFetched = await found(await key.sign(), { before: known });
  assert.deepEqual(notFetched, ['assertion-keys-unavailable', areKnown, `FAIL ${fetched}: HTTP 503`]);
  const nameless = { kid: undefined } as never;
  assert.deepEqual(await found(await rsa.sign({}, nameless), { before: known }), ['accepted', areKnown, fits]);
  assert.deepEqual(await found(await key.sign({}, nameless), { before: known, newest: newer }), newKey);
  const forged = await found(await other.sign(), { before: newer });
  assert.deepEqual(forged, ['assertion-not-authentic', areKnown, fits], 'its key is known: nothing is fetched');
  const none = await found(await key.sign(), {});
  assert.deepEqual(none, ['assertion-keys-unavailable', 'FAIL keys: the keys of ci are known: HTTP 503']);
});

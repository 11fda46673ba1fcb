// What an operator reads about a judged assertion: every check, and the setting that it depends on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { printAssertionStep } from '../../src/assertions/assertion-judge.ts';
import { aTokenIssuer } from '../platform.ts';
import { judge, key } from './judged.ts';

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

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { format, inspect } from 'node:util';
import { Secret } from '../../src/tokens/secret.ts';

test('a secret cannot be printed', () => {
  const secret = new Secret('canary-4711');
  const prints = [
    `${secret}`,
    String(secret),
    ['a', secret].join(''),
    JSON.stringify({ secret }),
    inspect(secret, { depth: 9, showHidden: true }),
    format('%s %o %j', secret, secret, secret),
    JSON.stringify(Object.entries(secret)),
  ];
  for (const print of prints) assert.ok(!print.includes('4711'), print);
  assert.equal(secret.reveal(), 'canary-4711');
});

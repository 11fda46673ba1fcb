import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemRandom } from '../../src/system.ts';
import { drawResourceServerSecret, isResourceServerSecret } from '../../src/tokens/resource-server-secret.ts';

test('a secret has a prefix and 32 random bytes, and only its hash recognises it', () => {
  const { secret, hash } = drawResourceServerSecret(systemRandom);
  const other = drawResourceServerSecret(systemRandom);
  assert.match(secret.reveal(), /^tsc_[A-Za-z0-9_-]{43}$/);
  assert.equal(Buffer.from(secret.reveal().slice(4), 'base64url').length, 32);
  assert.ok(isResourceServerSecret(secret.reveal(), [other.hash, hash]));
  assert.ok(!isResourceServerSecret(secret.reveal(), [other.hash]));
  for (const text of ['', hash, secret.reveal().slice(0, -1), `${secret.reveal()} `]) {
    assert.ok(!isResourceServerSecret(text, [hash]), text);
  }
});

test('without a secret nothing is accepted, not even the empty text', () => {
  for (const text of ['', 'x']) assert.ok(!isResourceServerSecret(text, []));
});

// Signing keys are published, sign and are retired while two services on one PostgreSQL serve.
// Only in test:all: every kind of act
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rolloutFor } from '../../lab/chaos/postgres-signing-keys.ts';
import { seconds } from '../../src/core/time.ts';

test('a key is published, signs and is retired on two nodes, and a verifier that fetches keys once an hour refuses no token', async () => {
  const { checks, did, refused } = await rolloutFor(4);
  assert.deepEqual(refused, []);
  assert.ok(did.added >= 2 && did.signs >= 1 && did.removed >= 1, JSON.stringify(did));
  assert.ok(did.waits >= 5, `the command waits for a node that lacks the key: ${JSON.stringify(did)}`);
  assert.ok(checks > 5_000, `${checks}`);
});

test('a key that signs as soon as it is published is refused by them: the check above would notice', async () => {
  const { did, refused } = await rolloutFor(25 / 24, { publishedFor: seconds(0), copiedAfter: 0 });
  assert.equal(did.signs, 1);
  assert.match(refused.join('\n'), /JWKSNoMatchingKey/);
});

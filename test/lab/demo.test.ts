import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTessera } from '../../lab/demo/contestants.ts';
import { runOne } from '../../lab/demo/run.ts';

test('the demonstration with Tessera: no client is logged out, no pair forks, no token works after revocation', async () => {
  const result = await runOne(startTessera, { seed: 4, clients: 12, seconds: 6 }, () => undefined);
  const { loggedOut, forked, tried, workedAfterRevocation, counts } = result;
  assert.deepEqual({ loggedOut, forked, workedAfterRevocation }, { loggedOut: 0, forked: 0, workedAfterRevocation: 0 });
  assert.ok(counts.dropped + counts.cut > 0, 'answers were lost');
  assert.ok(tried > 0, 'tokens were tried after revocation');
});

// Only in test:all: drill
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shareTokenFile } from '../../lab/chaos/token-file.ts';
import { Seeded } from '../seeded.ts';

test('processes that share a token file lose no grant to expiries, kill -9, a restart and a full disk', async () => {
  assert.equal(await shareTokenFile(3, new Seeded(7), { processes: 5 }), 0);
});

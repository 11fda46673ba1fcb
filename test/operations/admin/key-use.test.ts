import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Event } from '../../../src/core/event.ts';
import { epochSeconds, seconds } from '../../../src/core/time.ts';
import { keyUse } from '../../../src/operations/admin/key-use.ts';
import { attempts } from '../../../src/store/tables/attempts.ts';
import { NOW } from '../../samples.ts';
import { administration } from './admin-samples.ts';

const LIFETIME = seconds(90);

test('tokens of a key may live for one lifetime after it last stopped minting', async (t) => {
  const { store } = await administration(t);
  const at = (offset: number) => epochSeconds(NOW + offset);
  const note = (event: Event) => store.change(attempts, 'x', () => ({ outcome: undefined, events: [event] }));
  const until = async (id: number) => (await keyUse(id, LIFETIME, store)).tokensUntil;
  assert.equal(await until(1), undefined, 'it never stopped');
  await note({ type: 'administered', at: at(1), detail: { did: 'key minting', before: 1 } });
  assert.equal(await until(1), at(1) + LIFETIME);
  await note({ type: 'administered', at: at(2), detail: { did: 'key minting', before: 2 } });
  await note({ type: 'revoked', at: at(3), detail: { before: 1 } });
  await note({ type: 'administered', at: at(4) });
  assert.equal(await until(1), at(1) + LIFETIME, 'none of these is about it');
  await note({ type: 'administered', at: at(5), detail: { did: 'key minting', before: 1 } });
  assert.equal(await until(1), at(5) + LIFETIME, 'the last time counts');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acted, type Event } from '../../../src/core/event.ts';
import { epochSeconds, seconds } from '../../../src/core/time.ts';
import { keyUse } from '../../../src/operations/admin/mac-keys.ts';
import { attempts } from '../../../src/store/tables/attempts.ts';
import { NOW, OPERATOR } from '../../samples.ts';
import { administration } from './admin-samples.ts';

const LIFETIME = seconds(90);

test('tokens of a key may live for one lifetime after it last stopped minting', async (t) => {
  const { store } = await administration(t);
  const at = (offset: number) => epochSeconds(NOW + offset);
  const note = (event: Event) => store.change(attempts, 'x', () => ({ outcome: undefined, events: [event] }));
  const until = async (id: number) => (await keyUse(id, LIFETIME, store)).tokensUntil;
  assert.equal(await until(1), undefined, 'it never stopped');
  const stops = (before: number, moment: number) =>
    note(acted({ kind: 'key', id: '9', did: 'minting', before }, { at: at(moment), by: OPERATOR }));
  await stops(1, 1);
  assert.equal(await until(1), at(1) + LIFETIME);
  await stops(2, 2);
  await note({ type: 'revoked', at: at(3), detail: { reason: 'by-caller' } });
  await note(acted({ kind: 'key', id: '1', did: 'minting' }, { at: at(4), by: OPERATOR }));
  assert.equal(await until(1), at(1) + LIFETIME, 'none of these is about it');
  await stops(1, 5);
  assert.equal(await until(1), at(5) + LIFETIME, 'the last time counts');
  await note(acted({ kind: 'key', id: '3', did: 'minting' }, { at: at(6), by: OPERATOR }));
  assert.equal(await until(1), at(6) + LIFETIME, 'a store that was put back meets a key that it does not know');
  assert.equal(await until(2), at(6) + LIFETIME);
});

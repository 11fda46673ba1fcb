// A new key reaches the nodes one after the other. A token presented to a node that lacks its key gets
// "retry later", never a refusal.

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Readiness } from '../../src/doors/ops/readiness.ts';
import type { AdminOutcome } from '../../src/operations/admin/admin.ts';
import { addToKeyring, markMinting, mintWithKey } from '../../src/operations/admin/mac-keys.ts';
import { NodeReporter } from '../../src/operations/upkeep/report-node.ts';
import { Timekeeper } from '../../src/operations/upkeep/timekeeper.ts';
import { storeOf } from '../../src/store/change.ts';
import { systemClock } from '../../src/system.ts';
import { firstKey, Keyring, mintWith, type StoredKey } from '../../src/tokens/keyring.ts';
import { given, prepare } from '../given.ts';
import {
  accepted,
  aNode,
  anotherNode,
  answer,
  check,
  confirmed,
  issue,
  type Node,
  redeem,
  refresh,
  revoke,
} from '../node.ts';
import { OPERATOR } from '../samples.ts';
import { postgresDatabase } from '../store/postgres-database.ts';

const clock = systemClock;
let keys: readonly StoredKey[];
let [ahead, behind] = [] as unknown as [Node, Node];

const database = given(() => postgresDatabase());
prepare(async () => {
  keys = firstKey();
  ahead = await aNode(storeOf(await database.open()), { keyring: new Keyring(keys), clock });
  behind = await anotherNode(storeOf(await database.open()), { keyring: new Keyring(keys), clock });
  await markMinting(ahead.keyring.minting, undefined, { store: ahead.store, by: OPERATOR });
});
after(() => Promise.all([ahead, behind].map(({ store }) => store.close())));

const admin = () => ({ store: ahead.store, by: OPERATOR });

function administered<T>(outcome: AdminOutcome<T>): T {
  return outcome.ok ? outcome.value : assert.fail(outcome.refusal.reason);
}

test('mint is refused while a running node lacks the key; nodes that have left do not count', async () => {
  const reporters = [new NodeReporter('ahead', ahead), new NodeReporter('behind', behind)] as const;
  for (const reporter of reporters) await reporter.report(clock.now);
  keys = administered(await addToKeyring(keys, admin()));
  ahead.keyring.exchange(keys);
  await reporters[0].report(clock.now);

  const refused = await mintWithKey(keys, { id: 2 }, admin());
  assert.ok(!refused.ok);
  assert.equal(refused.refusal.reason, 'key-not-everywhere');
  assert.match(refused.refusal.about, /^behind \(last reported \d+ s ago, counts for \d+ s more\)$/);
  behind.keyring.exchange(keys);
  await reporters[1].report(clock.now);
  administered(await mintWithKey(keys, { id: 2 }, admin()));

  keys = administered(await addToKeyring(mintWith(keys, 2), admin()));
  ahead.keyring.exchange(keys);
  await reporters[0].report(clock.now);
  assert.equal((await mintWithKey(keys, { id: 3 }, admin())).ok, false);
  administered(await mintWithKey(keys, { id: 3, force: true }, admin()));
  await reporters[1].leave();
  administered(await mintWithKey(keys, { id: 3 }, admin()));
});

test('a node without the key of a token replies KeyMissing (503), and nothing is spent', async () => {
  const before = await issue(behind);
  ahead.keyring.exchange(mintWith(keys, 3)); // marked by the test above
  const pair = await issue(ahead);
  const device = await confirmed(ahead);
  const moved = accepted(await refresh(ahead, before)); // under the new key, from a token of the old one
  const missing = { name: 'KeyMissing', id: 3 };
  await assert.rejects(check(behind, pair), missing);
  await assert.rejects(refresh(behind, pair), missing);
  await assert.rejects(revoke(behind, pair), missing);
  await assert.rejects(redeem(behind, device), missing);
  await assert.rejects(refresh(behind, before), missing, 'a retry whose pair the old key cannot repeat');

  behind.keyring.exchange(mintWith(keys, 3));
  accepted(await check(behind, pair));
  accepted(await refresh(behind, pair));
  accepted(await redeem(behind, device));
  accepted(await refresh(behind, moved));
});

test('a token with an unknown key id is refused, and causes at most one store query per second', async () => {
  const stranger = await anotherNode(ahead.store, {
    keyring: new Keyring([{ ...firstKey()[0], id: 77 } as StoredKey]),
    clock,
  });
  const pair = await issue(stranger);
  let loads = 0;
  const store = {
    ...behind.store,
    load: ((...args) => {
      loads++;
      return behind.store.load(...args);
    }) as typeof behind.store.load,
  };
  for (let n = 0; n < 20; n++)
    assert.equal(await answer(check({ ...behind, store }, pair)), 'access-token-not-authentic');
  assert.ok(loads <= 3, `${loads} loads`);
});

test('readiness names the missing key', async () => {
  const failing: string[] = [];
  const news = {
    failing: (name: string, { reason }: { reason: string }) => void failing.push(`${name}: ${reason}`),
    holdsAgain: () => undefined,
    clocksApart: () => undefined,
  };
  const keyring = new Keyring(firstKey());
  const timekeeper = await Timekeeper.begin(behind);
  await new Readiness({ ...behind, keyring, timekeeper }, news).look();
  assert.deepEqual(failing, ['keys: this node lacks key 1, 2, 3, which is in use']);
  await new Readiness({ ...behind, timekeeper }, news).look();
  assert.equal(failing.length, 1);
});

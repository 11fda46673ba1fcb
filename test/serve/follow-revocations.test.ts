// A new list is applied to the grants once: afterwards all grants of its entries have ended.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import type { ApprovedIssuer } from '../../src/core/issuer.ts';
import { CertificateJudge } from '../../src/pki/judge/certificate-judge.ts';
import { RevocationFollower } from '../../src/serve/follow-revocations.ts';
import { storeOf } from '../../src/store/change.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { makeAuthority } from '../authority.ts';
import { anotherNode, TestClock } from '../node.ts';
import { approve, CRL_REQUIRED, NOW } from '../pki/approved.ts';
import { sqliteDatabase } from '../store/sqlite-database.ts';

const root = makeAuthority({ name: 'Root' });
const serials = Array.from({ length: 50 }, (_, index) => Uint8Array.of(1, index));
const using = approve(root, { revocation: CRL_REQUIRED });

/** Signed once: signing it again would make a different list. */
const lists = [40, 42, 50].map((count) => root.crl({ revoked: serials.slice(0, count), number: count }));
const listOf = (count: number) => lists[[40, 42, 50].indexOf(count)] ?? assert.fail('no such list');

async function scene(t: TestContext) {
  const clock = new TestClock(NOW);
  const database = await sqliteDatabase(clock.now);
  t.after(() => database.remove());
  const node = await anotherNode(storeOf(await database.open()), { clock });
  const state = { lookups: 0, issuers: [using] as readonly ApprovedIssuer[] };
  const page: typeof node.store.page = (table, query) => {
    if ((table as unknown) === grants) state.lookups++;
    return node.store.page(table, query);
  };
  const ports = {
    clock,
    store: { ...node.store, page },
    registry: {
      get issuers() {
        return state.issuers;
      },
    },
  };
  /** Starts what a process runs. */
  const start = (machine = 'here') => {
    const judge = new CertificateJudge({ now: clock.now, fetch: async () => assert.fail('nothing to fetch') });
    const follower = new RevocationFollower(judge, ports, machine);
    const publish = (count: number) => judge.revocation.useFiles([listOf(count)]);
    /** Lookups within a minute. */
    const aMinute = async () => {
      state.lookups = 0;
      for (let second = 0; second < 60; second += 2) {
        clock.move(2);
        await follower.follow();
      }
      return state.lookups;
    };
    return { judge, publish, aMinute };
  };
  return { state, start };
}

suite('grants of certificates that a revocation list names', () => {
  test('are searched three times for a new list, then skipped', async (t) => {
    const { start } = await scene(t);
    const { publish, aMinute } = start();
    publish(50);
    assert.equal(await aMinute(), 150);
    assert.equal(await aMinute(), 0);
  });

  test('are searched only for new entries when a list replaces another', async (t) => {
    const { start } = await scene(t);
    const { publish, aMinute } = start();
    publish(40);
    assert.equal(await aMinute(), 120);
    publish(42);
    assert.equal(await aMinute(), 6);
  });

  test('are not searched again when other issuers are added or removed', async (t) => {
    const { state, start } = await scene(t);
    const { publish, aMinute } = start();
    publish(50);
    await aMinute();
    state.issuers = [using, approve(makeAuthority({ name: 'Other' }))];
    assert.equal(await aMinute(), 0);
  });

  test('are not searched again after a restart on the same machine', async (t) => {
    const { start } = await scene(t);
    const before = start();
    before.publish(50);
    await before.aMinute();
    const restarted = start();
    restarted.publish(50);
    assert.equal(await restarted.aMinute(), 0);
    const elsewhere = start('elsewhere');
    elsewhere.publish(50);
    assert.equal(await elsewhere.aMinute(), 150);
  });

  test('are searched again when lists count again after a pause, as grants were made meanwhile', async (t) => {
    const { state, start } = await scene(t);
    const { publish, aMinute } = start();
    publish(50);
    await aMinute();
    state.issuers = [approve(root, { revocation: { ...CRL_REQUIRED, crl: 'off' } })];
    assert.equal(await aMinute(), 0);
    state.issuers = [using];
    assert.equal(await aMinute(), 150);
  });

  test('are searched after a restart if the search was not finished', async (t) => {
    const { state, start } = await scene(t);
    const before = start();
    before.publish(50);
    state.issuers = [approve(root, { revocation: { ...CRL_REQUIRED, crl: 'off' } })];
    await before.aMinute();
    state.issuers = [using];
    const restarted = start();
    restarted.publish(50);
    assert.equal(await restarted.aMinute(), 150);
  });
});

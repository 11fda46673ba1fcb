// How many lists are fetched and kept, whatever certificates name.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { suite, test } from 'node:test';
import { epochSeconds } from '../../src/core/time.ts';
import { contextTag } from '../../src/pki/der/der.ts';
import { write, writeContext, writeSequence } from '../../src/pki/der/der-write.ts';
import { CertificateJudge } from '../../src/pki/judge/certificate-judge.ts';
import type { ListLimits } from '../../src/pki/revocation/kept-lists.ts';
import { EXTENSION } from '../../src/pki/x509/extensions.ts';
import { type Issued, makeAuthority } from '../authority.ts';
import { distributionPoint } from '../list-server.ts';
import { extension } from '../signed-der.ts';
import { approve, CRL_REQUIRED, NOW, worded } from './approved.ts';

const HOUR = 3600;
const root = makeAuthority({ name: 'Root' });
const caller = root.issue();
const issuers = [approve(root, { revocation: CRL_REQUIRED })];

/** A list that is valid for ten hours from now. */
const fresh = { thisUpdate: '2026-11-15T12:00:00Z', nextUpdate: '2026-11-15T22:00:00Z' };

suite('URLs fetched because of certificates', () => {
  const pointsAt = (...urls: string[]) =>
    extension(
      EXTENSION.crlDistributionPoints,
      writeSequence(
        ...urls.map((url) =>
          writeSequence(writeContext(0, writeContext(0, write(contextTag(6, 'primitive'), Buffer.from(url))))),
        ),
      ),
    );
  const urls = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => `http://crl.test/${from + index}.crl`);

  /** `good`: the only address that has a list; all have the list of the state otherwise. */
  function visits(good?: string) {
    const visited: string[] = [];
    const refusals: string[] = [];
    const state = { now: NOW, list: undefined as Uint8Array | undefined };
    const judge = new CertificateJudge({
      now: () => state.now,
      fetch: async (url) => {
        visited.push(url);
        if (url === good) return new Response(new Uint8Array(root.crl(fresh)));
        return state.list ? new Response(new Uint8Array(state.list)) : new Response('', { status: 404 });
      },
      logRefused: (_, why) => void refusals.push(why),
    });
    const present = (...points: string[]) =>
      judge.judge(root.issue({ keys: caller.keys, extensions: [pointsAt(...points)] }).chain, issuers);
    return { visited, refusals, state, judge, present };
  }

  test('are at most four per certificate', async () => {
    const { visited, present } = visits();
    await present(...urls(0, 350));
    assert.deepEqual(visited.sort(), urls(0, 4));
  });

  test('beyond the fourth are not used, and the refusal says so', async () => {
    const last = async (count: number) => {
      const { judge, present } = visits(`http://crl.test/${count - 1}.crl`);
      const judgement = await present(...urls(0, count));
      await judge.revocation.renewLists();
      return [worded(judgement), judgement.steps.at(-1)?.words];
    };
    assert.deepEqual((await last(4))[0], 'accepted caller');
    assert.deepEqual(await last(6), [
      'certificate-revocation-unknown: crl-unknown',
      'there is no CRL from its issuer; of the 6 addresses of lists that it names, only the first 4 are used',
    ]);
  });

  test('back off when dead: a few tries in eight minutes, not one a minute', async () => {
    const { visited, state, judge, present } = visits();
    await present('http://crl.test/dead.crl');
    for (let second = 0; second < 480; second += 10) {
      state.now = epochSeconds(NOW + second);
      await judge.revocation.renewLists();
      await new Promise(setImmediate);
    }
    assert.equal(visited.length, 3);
  });
});

suite('an issuer with many lists', () => {
  const ifAvailable = [approve(root, { revocation: { ...CRL_REQUIRED, crl: 'if-available' } })];
  const shards = (count: number) =>
    Array.from({ length: count }, (_, number) => {
      const url = `http://crl.test/${number}.crl`;
      const name = write(contextTag(6, 'primitive'), Buffer.from(url));
      const scope = writeSequence(writeContext(0, writeContext(0, name)));
      const revoked = root.issue({ keys: caller.keys, extensions: [distributionPoint(url)] });
      const good = root.issue({ keys: caller.keys, extensions: [distributionPoint(url)] });
      const extensions = [extension(EXTENSION.issuingDistributionPoint, scope, true)];
      return { url, revoked, good, list: root.crl({ ...fresh, extensions, revoked: [revoked.serial] }) };
    });

  function sharded(count: number, limits: Partial<ListLimits>) {
    const all = shards(count);
    const state = { now: NOW, requests: 0, isDown: false };
    const logged: string[] = [];
    const judge = new CertificateJudge({
      now: () => state.now,
      limits,
      fetch: async (url) => {
        state.requests++;
        const list = all.find((shard) => shard.url === url)?.list;
        return state.isDown ? new Response('', { status: 503 }) : new Response(new Uint8Array(list ?? []));
      },
      logLimit: (limit) => void logged.push(limit),
    });
    const ask = async (chain: readonly Uint8Array[], by = ifAvailable) => worded(await judge.judge(chain, by));
    return { all, state, logged, judge, ask };
  }

  test('refuses every revoked certificate, in whatever order they come', async () => {
    const { all, ask, state, judge } = sharded(64, {});
    for (const { good } of all) assert.equal(await ask(good.chain), 'accepted caller');
    for (const { revoked } of all.toReversed())
      assert.equal(await ask(revoked.chain), 'certificate-revoked: crl-revoked');
    assert.equal(state.requests, 64);
    assert.deepEqual(judge.revocation.limitsReached, []);
  });

  test('refuses them beyond the limit of addresses too, and reports the limit', async () => {
    const { all, ask, judge, state, logged } = sharded(20, { addressesPerIssuer: 8 });
    for (const { revoked } of all) assert.equal(await ask(revoked.chain), 'certificate-revoked: crl-revoked');
    assert.equal(judge.revocation.lists.length, 8);
    assert.equal(judge.revocation.dropped, 12);
    assert.match(
      judge.revocation.limitsReached.join(),
      /^certificates name more revocation lists than revocation.addressesPerIssuer \(8\) allows$/,
    );
    assert.equal(logged.length, 1, 'logged once, not for each list');
    const { revoked, good } = all[0] ?? assert.fail();
    assert.equal(await ask(revoked.chain), 'certificate-revoked: crl-revoked', 'a dropped list is fetched again');
    state.isDown = true;
    state.now = epochSeconds(NOW + 61);
    const other = all[3] ?? assert.fail();
    assert.equal(await ask(other.good.chain), 'accepted caller', 'without the list, the policy decides');
    assert.equal(await ask(other.good.chain, issuers), 'certificate-revocation-unknown: crl-unknown');
    assert.equal(await ask(good.chain, issuers), 'accepted caller', 'lists in use stay');
    state.now = epochSeconds(NOW + 2 * HOUR);
    assert.deepEqual(judge.revocation.limitsReached, []);
  });

  test('refuses them beyond the limit of memory too: the list that was not needed for longest is dropped', async () => {
    const { all, ask, judge, logged } = sharded(20, { totalBytes: 10 * 4_700 });
    const [{ good: hot } = assert.fail()] = all;
    for (const { revoked } of all) {
      assert.equal(await ask(revoked.chain), 'certificate-revoked: crl-revoked');
      await ask(root.issue({ keys: caller.keys, extensions: [distributionPoint('http://crl.test/0.crl')] }).chain);
    }
    assert.ok(judge.revocation.lists.length >= 8 && judge.revocation.lists.length < 20);
    assert.match(logged.join(), /^certificates name more revocation lists than revocation.totalBytes/);
    const before = judge.revocation.dropped;
    assert.equal(await ask(hot.chain, issuers), 'accepted caller');
    assert.equal(judge.revocation.dropped, before, 'the list in use was not dropped');
  });

  test('uses a list of exactly the largest size, and none that is an octet larger', async () => {
    const [{ good, list } = assert.fail()] = shards(1);
    for (const [listBytes, expected] of [
      [list.length, 'accepted caller'],
      [list.length - 1, 'certificate-revocation-unknown: crl-unknown'],
    ] as const) {
      const fetch = async () => new Response(new Uint8Array(list));
      const judge = new CertificateJudge({ now: () => NOW, limits: { listBytes }, fetch });
      assert.equal(worded(await judge.judge(good.chain, issuers)), expected);
    }
  });

  test('refuses every revoked certificate of a burst that exceeds the limit, and keeps to the limit afterwards', async () => {
    const { all, ask, judge } = sharded(9, { addressesPerIssuer: 8 });
    const verdicts = await Promise.all(all.map(({ revoked }) => ask(revoked.chain)));
    assert.deepEqual(new Set(verdicts), new Set(['certificate-revoked: crl-revoked']));
    await judge.revocation.renewLists();
    assert.equal(judge.revocation.lists.length, 8);
  });

  for (const limits of [{ addressesPerIssuer: 1 }, { totalBytes: 6_000 }]) {
    test(`judges by both lists that a path needs, with room for one: ${Object.keys(limits)}`, async () => {
      const between = root.makeIntermediate({ extensions: [distributionPoint('http://crl.test/root.crl')] });
      const [leaf, good] = [1, 2].map(() =>
        between.issue({ extensions: [distributionPoint('http://crl.test/between.crl')] }),
      ) as [Issued, Issued];
      for (const slow of ['root', 'between']) {
        const judge = new CertificateJudge({
          now: () => NOW,
          limits,
          fetch: async (url) => {
            if (url.includes(slow)) await new Promise(setImmediate);
            const list = url.includes('root') ? root.crl(fresh) : between.crl({ ...fresh, revoked: [leaf.serial] });
            return new Response(new Uint8Array(list));
          },
        });
        assert.equal(worded(await judge.judge(leaf.chain, ifAvailable)), 'certificate-revoked: crl-revoked', slow);
        assert.equal(worded(await judge.judge(leaf.chain, ifAvailable)), 'certificate-revoked: crl-revoked', 'again');
        assert.equal(
          worded(await judge.judge(good.chain, issuers)),
          'accepted caller',
          'no list is dropped while needed',
        );
      }
    });
  }

  for (const limits of [{ addressesPerIssuer: 8 }, { totalBytes: 10 * 4_700 }]) {
    test(`displaces no list of another issuer: ${Object.keys(limits)}`, async () => {
      const other = makeAuthority({ name: 'Other' });
      const both = [...ifAvailable, { ...approve(other, { revocation: CRL_REQUIRED }), label: 'OTHER' }];
      const { all } = sharded(20, {});
      const visited: string[] = [];
      const judge = new CertificateJudge({
        now: () => NOW,
        limits,
        fetch: async (url) => {
          visited.push(url);
          const shard = all.find((each) => each.url === url);
          if (url.includes('other')) return new Response(new Uint8Array(other.crl(fresh)));
          return shard ? new Response(new Uint8Array(shard.list)) : new Response('', { status: 404 });
        },
      });
      const elsewhere = () => other.issue({ extensions: [distributionPoint('http://crl.test/other.crl')] }).chain;
      const [{ revoked, url } = assert.fail()] = all;
      assert.equal(worded(await judge.judge(elsewhere(), both)), 'accepted caller');
      assert.equal(worded(await judge.judge(revoked.chain, both)), 'certificate-revoked: crl-revoked');
      for (let dead = 0; dead < 20; dead++) {
        const points = [distributionPoint(`http://crl.test/dead${dead}.crl`)];
        await judge.judge(root.issue({ keys: caller.keys, extensions: points }).chain, both);
      }
      assert.equal(worded(await judge.judge(revoked.chain, both)), 'certificate-revoked: crl-revoked');
      assert.equal(visited.filter((visit) => visit === url).length, 1, 'dead addresses displace no list either');
      for (const shard of all) await judge.judge(shard.good.chain, both);
      assert.equal(worded(await judge.judge(elsewhere(), both)), 'accepted caller');
      assert.equal(visited.filter((visit) => visit.includes('other')).length, 1);
    });
  }

  test('does not load lists from the store for which there is no room, until a caller needs one', async () => {
    const { all } = sharded(6, {});
    const rows = all.map(({ url, list }) => {
      const mark = hash('sha256', list);
      return { url, mark, askedAt: NOW, checkedAt: NOW, renewAt: epochSeconds(NOW + HOUR) };
    });
    const loaded: string[] = [];
    const judge = new CertificateJudge({
      now: () => NOW,
      limits: { totalBytes: 4 * 4_700 },
      fetch: async () => assert.fail('the store has it'),
      exchange: {
        named: () => undefined,
        isWanted: () => true,
        news: async () => rows,
        find: async (url) => rows.find((row) => row.url === url),
        contents: async (url) => {
          loaded.push(url);
          return new Uint8Array(all.find((shard) => shard.url === url)?.list ?? []);
        },
        byOne: async (_, work) => Boolean(await work()) || true,
        share: async () => undefined,
      },
    });
    for (let round = 0; round < 5; round++) await judge.revocation.followLists(ifAvailable);
    assert.ok(loaded.length <= all.length, `${loaded.length} loads`);
    assert.equal(judge.revocation.dropped, 0);
    for (const { revoked } of all)
      assert.equal(worded(await judge.judge(revoked.chain, ifAvailable)), 'certificate-revoked: crl-revoked');
    loaded.length = 0;
    for (let round = 0; round < 5; round++) await judge.revocation.followLists(ifAvailable);
    assert.deepEqual(loaded, []);
  });

  test('says once, not for each list, why none applies', async () => {
    const { all, ask, judge } = sharded(64, {});
    for (const { good } of all) await ask(good.chain);
    const outsider = root.issue({ keys: caller.keys });
    const { steps: unknown } = await judge.judge(outsider.chain, issuers);
    assert.equal(unknown.at(-1)?.words, 'the CRL is for another distribution point');
  });
});

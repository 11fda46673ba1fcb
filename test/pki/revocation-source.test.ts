// Lists are fetched once, renewed before they expire, and not used after that.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { epochSeconds } from '../../src/core/time.ts';
import { ALONE } from '../../src/outbound/shared-download.ts';
import { TAG } from '../../src/pki/der/der.ts';
import { write } from '../../src/pki/der/der-write.ts';
import { CertificateJudge, type JudgePorts } from '../../src/pki/judge/certificate-judge.ts';
import { EXTENSION } from '../../src/pki/x509/extensions.ts';
import { makeAuthority } from '../authority.ts';
import { distributionPoint } from '../list-server.ts';
import { ecKeys, extension } from '../signed-der.ts';
import { approve, CRL_REQUIRED, NOW, worded } from './approved.ts';

const HOUR = 3600;
const root = makeAuthority({ name: 'Root' });
const points = distributionPoint('http://crl.test/ca.crl');
const caller = root.issue({ extensions: [points] });
const issuers = [approve(root, { revocation: CRL_REQUIRED })];

/** A list that is valid for ten hours from now. */
const fresh = { thisUpdate: '2026-11-15T12:00:00Z', nextUpdate: '2026-11-15T22:00:00Z' };
const later = { thisUpdate: '2026-11-15T20:00:00Z', nextUpdate: '2026-11-16T06:00:00Z' };

const after = (count: number) => new Date((NOW + count) * 1000).toISOString();

function scene(ports: Partial<JudgePorts> = {}) {
  const state = { now: NOW, requests: 0, serve: (): Uint8Array | undefined => root.crl(fresh) };
  const refusals: string[] = [];
  const judge = new CertificateJudge({
    now: () => state.now,
    fetch: async () => {
      state.requests++;
      const body = state.serve();
      return body ? new Response(new Uint8Array(body)) : new Response('', { status: 503 });
    },
    logRefused: (_, why) => void refusals.push(why),
    ...ports,
  });
  const judgeAt = (after: number, chain = caller.chain) => {
    state.now = epochSeconds(NOW + after);
    return judge.judge(chain, issuers);
  };
  const ask = async (after: number, chain = caller.chain) => worded(await judgeAt(after, chain));
  return { state, judge, judgeAt, ask, refusals };
}

suite('a list from a distribution point', () => {
  test('is fetched once for many callers at the same time', async () => {
    const { state, ask } = scene();
    await Promise.all([ask(0), ask(0), ask(0)]);
    assert.equal(state.requests, 1);
  });

  test('is renewed before it expires, and new entries are refused', async () => {
    const { state, judge, ask } = scene();
    assert.equal(await ask(0), 'accepted caller');
    const { lists } = judge.revocation;
    state.now = epochSeconds(NOW + 7 * HOUR);
    await judge.revocation.renewLists();
    assert.equal(state.requests, 1);
    assert.equal(judge.revocation.lists, lists, 'nothing has changed: cached verdicts stay');
    state.serve = () => root.crl({ ...later, revoked: [caller.serial] });
    state.now = epochSeconds(NOW + 9 * HOUR);
    await judge.revocation.renewLists();
    await new Promise(setImmediate);
    assert.equal(state.requests, 2);
    assert.equal(await ask(9 * HOUR), 'certificate-revoked: crl-revoked');
  });

  test('that is the same as before is no failure: it is fetched again a minute later', async () => {
    const { state, judge, ask } = scene();
    const list = root.crl(fresh);
    state.serve = () => list;
    assert.equal(await ask(0), 'accepted caller');
    for (const seconds of [0, 59, 60]) {
      state.now = epochSeconds(NOW + 9 * HOUR + seconds);
      await judge.revocation.renewLists();
      await new Promise(setImmediate);
    }
    assert.equal(state.requests, 3);
  });

  test('goes on counting if the store, where other nodes leave theirs, is away when it is renewed', async () => {
    let isAway = false;
    const find = async () => (isAway ? Promise.reject(new Error('the store is away')) : undefined);
    const nothing = { named: () => undefined, isWanted: () => true, news: async () => undefined };
    const { state, judge, ask } = scene({ exchange: { ...ALONE, ...nothing, find, contents: find } });
    assert.equal(await ask(0), 'accepted caller');
    isAway = true;
    state.now = epochSeconds(NOW + 9 * HOUR);
    await judge.revocation.renewLists();
    await new Promise(setImmediate); // an unhandled rejection would end the process
    assert.equal(await ask(9 * HOUR), 'accepted caller');
  });

  test('that has expired is not used while a new one is fetched: the request waits', async () => {
    const { state, ask } = scene();
    assert.equal(await ask(0), 'accepted caller');
    state.serve = () => root.crl(later);
    assert.equal(await ask(11 * HOUR), 'accepted caller');
    assert.equal(state.requests, 2);
  });

  test('that cannot be renewed refuses after it expires, and is fetched again a minute later', async () => {
    const { state, ask } = scene();
    assert.equal(await ask(0), 'accepted caller');
    state.serve = () => undefined;
    assert.equal(await ask(9 * HOUR), 'accepted caller');
    assert.equal(await ask(11 * HOUR), 'certificate-revocation-unknown: crl-unknown');
    state.serve = () => root.crl(later);
    assert.equal(await ask(11 * HOUR + 61), 'accepted caller');
  });

  test('with an unknown signer replaces no other, is reported, and is fetched again ten minutes later', async () => {
    const { state, judge, judgeAt, ask, refusals } = scene();
    state.serve = () => makeAuthority({ name: 'Root' }).crl(fresh);
    assert.equal((await judgeAt(0)).steps.at(-1)?.words, 'the CRL is not signed by the issuer');
    state.serve = () => root.crl({ ...fresh, revoked: [caller.serial] });
    assert.equal(await ask(560), 'certificate-revocation-unknown: crl-unknown');
    assert.equal(await ask(600), 'certificate-revoked: crl-revoked');
    state.serve = () => makeAuthority({ name: 'Root' }).crl(later);
    state.now = epochSeconds(NOW + 9 * HOUR);
    await judge.revocation.renewLists();
    await new Promise(setImmediate);
    assert.equal(state.requests, 3);
    assert.equal(await ask(9 * HOUR), 'certificate-revoked: crl-revoked');
    assert.deepEqual(refusals, ['the CRL is not signed by the issuer', 'the CRL is not signed by the issuer']);
  });

  test('may be signed by another key of the issuer that the caller sends, and then replaces the previous one', async () => {
    const { state, judge, ask } = scene();
    const keys = ecKeys();
    const crlSign = extension(EXTENSION.keyUsage, write(TAG.bitString, Uint8Array.of(1, 0x02)), true);
    const signer = root.makeIntermediate({ subject: root.subject, keys, extensions: [crlSign] });
    const chain = [...caller.chain, signer.certificate];
    assert.equal(await ask(0), 'accepted caller');
    state.serve = () => root.crl({ ...later, keys });
    assert.equal(await ask(9 * HOUR, chain), 'accepted caller');
    await new Promise(setImmediate);
    assert.equal(judge.revocation.lists.length, 1);
    assert.equal(await ask(11 * HOUR, chain), 'accepted caller');
    assert.equal(await ask(11 * HOUR), 'certificate-revocation-unknown: crl-unknown', 'who does not send it');
    assert.equal(state.requests, 2);
  });

  for (const ahead of [6, 300]) {
    test(`dated ${ahead} seconds ahead is used: the clock of a CA may be fast`, async () => {
      const { state, ask } = scene();
      state.serve = () => root.crl({ ...fresh, thisUpdate: after(ahead) });
      assert.equal(await ask(0), 'accepted caller');
    });
  }

  test('that is not valid yet replaces no valid one, but revokes what it names, and is fetched again soon', async () => {
    const { state, judge, ask } = scene();
    assert.equal(await ask(0), 'accepted caller');
    const other = root.issue({ extensions: [points] });
    const ahead = {
      thisUpdate: after(9 * HOUR),
      nextUpdate: '2026-11-17T06:00:00Z',
      number: 2,
      revoked: [other.serial],
    };
    state.serve = () => root.crl(ahead);
    state.now = epochSeconds(NOW + 8 * HOUR);
    await judge.revocation.renewLists();
    await new Promise(setImmediate);
    assert.equal(judge.revocation.lists.length, 2);
    assert.equal(await ask(8 * HOUR + 1), 'accepted caller');
    assert.equal(await ask(8 * HOUR + 1, other.chain), 'certificate-revoked: crl-revoked');
    assert.equal(await ask(10 * HOUR + 1), 'accepted caller', 'the old list has ended, the new one has begun');
    assert.equal(state.requests, 3);
  });

  test('that is not valid yet, and the only one, refuses until it begins and not longer', async () => {
    const { state, ask } = scene();
    state.serve = () => root.crl({ ...later, thisUpdate: after(310) });
    assert.equal(await ask(0), 'certificate-revocation-unknown: crl-unknown');
    assert.equal(await ask(9), 'certificate-revocation-unknown: crl-unknown');
    assert.equal(await ask(10), 'accepted caller');
  });

  test('corrected by the CA replaces one that was dated too far ahead', async () => {
    const { state, judge, ask } = scene();
    state.serve = () => root.crl({ thisUpdate: '2027-11-15', nextUpdate: '2028-11-15', number: 2 });
    assert.equal(await ask(0), 'certificate-revocation-unknown: crl-unknown');
    state.serve = () => root.crl({ ...fresh, number: 3 });
    assert.equal(await ask(60), 'accepted caller');
    assert.equal(judge.revocation.lists.length, 1);
  });

  test('is not fetched for an issuer that ignores lists', async () => {
    const { state, judge } = scene();
    assert.equal(worded(await judge.judge(caller.chain, [approve(root)])), 'accepted caller');
    assert.equal(state.requests, 0);
  });

  test('is fetched for approved issuers only, never for strangers', async () => {
    const { state, judge } = scene();
    await judge.judge(makeAuthority({ name: 'Root' }).issue({ extensions: [points] }).chain, issuers);
    assert.equal(state.requests, 0);
  });
});

suite('a list in a file', () => {
  test('that is not valid yet replaces no valid one', async () => {
    const { judge, ask } = scene();
    const bare = root.issue().chain;
    judge.revocation.useFiles([root.crl(fresh)]);
    assert.equal(await ask(0, bare), 'accepted caller');
    const ahead = root.crl({ thisUpdate: after(2 * HOUR), nextUpdate: '2026-11-17T06:00:00Z', number: 2 });
    judge.revocation.useFiles([ahead]);
    judge.revocation.useFiles([ahead, makeAuthority({ name: 'Other' }).crl()]);
    assert.equal(await ask(1, bare), 'accepted caller');
    assert.equal(await ask(11 * HOUR, bare), 'accepted caller');
    judge.revocation.useFiles([root.crl({ ...later, number: 3 })]);
    assert.equal(judge.revocation.lists.length, 1);
  });
});

suite('a stored list', () => {
  const delta = extension(EXTENSION.deltaCrlIndicator, write(TAG.integer, Uint8Array.of(1)), true);

  test('is not replaced by a delta or by a list of another CA at the same URL', async () => {
    const intermediate = root.makeIntermediate();
    const both = [approve(root, { intermediates: [intermediate.certificate], revocation: CRL_REQUIRED })];
    for (const next of [
      root.crl({ ...later, number: 9, extensions: [delta] }),
      intermediate.crl({ ...later, number: 9 }),
    ]) {
      const { state, judge } = scene();
      state.serve = () => root.crl({ ...fresh, revoked: [caller.serial] });
      assert.equal(worded(await judge.judge(caller.chain, both)), 'certificate-revoked: crl-revoked');
      state.serve = () => next;
      state.now = epochSeconds(NOW + 9 * HOUR);
      await judge.revocation.renewLists();
      await new Promise(setImmediate);
      assert.equal(worded(await judge.judge(caller.chain, both)), 'certificate-revoked: crl-revoked');
      assert.equal(judge.revocation.lists.length, 2);
    }
  });

  test('is dropped when its issuer is withdrawn, trusted or not', async () => {
    for (const serve of [root.crl(fresh), makeAuthority({ name: 'Root' }).crl(fresh)]) {
      const { state, judge } = scene();
      state.serve = () => serve;
      await judge.judge(caller.chain, issuers);
      await judge.revocation.renewLists();
      assert.equal(judge.revocation.lists.length, 1);
      await judge.revocation.followLists(issuers.map((issuer) => ({ ...issuer, enabled: false })));
      await judge.revocation.renewLists();
      assert.equal(judge.revocation.lists.length, 0);
    }
  });

  test('may be signed by a CA below an intermediate that the caller sends', async () => {
    const intermediate = root.makeIntermediate();
    const below = intermediate.issue({ extensions: [points] });
    const keys = ecKeys();
    const signer = intermediate.makeIntermediate({ subject: intermediate.subject, keys });
    const chain = [...below.chain, signer.certificate];
    // One list per issuer of the path, at the same address; the intermediate itself is not revoked.
    const lists = [root.crl({ ...fresh, nextUpdate: '2027-01-01' }), intermediate.crl({ ...fresh, keys })];
    const judge = new CertificateJudge({
      now: () => NOW,
      fetch: async () => new Response(new Uint8Array(lists[1] ?? [])),
    });
    judge.revocation.useFiles(lists.slice(0, 1));
    assert.equal(worded(await judge.judge(chain, issuers)), 'accepted caller');
    assert.equal(judge.revocation.lists.length, 2);
    await judge.revocation.renewLists();
    assert.equal(judge.revocation.lists.length, 2, 'who signed it is remembered');
  });
});

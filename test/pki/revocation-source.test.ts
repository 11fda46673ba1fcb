// Lists are fetched once, renewed before they end, and never served after.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { epochSeconds } from '../../src/core/time.ts';
import { CertificateJudge } from '../../src/pki/certificate-judge.ts';
import { TAG } from '../../src/pki/der.ts';
import { write } from '../../src/pki/der-write.ts';
import { EXTENSION } from '../../src/pki/extensions.ts';
import { ecKeys, extension, makeAuthority } from '../authority.ts';
import { distributionPoint } from '../list-server.ts';
import { approve, CRL_REQUIRED, NOW, worded } from './approved.ts';

const HOUR = 3600;
const root = makeAuthority({ name: 'Root' });
const points = distributionPoint('http://crl.test/ca.crl');
const caller = root.issue({ extensions: [points] });
const issuers = [approve(root, { revocation: CRL_REQUIRED })];

/** A list that holds for ten hours from now on. */
const fresh = { thisUpdate: '2026-11-15T12:00:00Z', nextUpdate: '2026-11-15T22:00:00Z' };
const later = { thisUpdate: '2026-11-15T20:00:00Z', nextUpdate: '2026-11-16T06:00:00Z' };

function scene() {
  const state = { now: NOW, requests: 0, serve: (): Uint8Array | undefined => root.crl(fresh) };
  const refusals: string[] = [];
  const judge = new CertificateJudge({
    now: () => state.now,
    fetch: async () => {
      state.requests++;
      const body = state.serve();
      return body ? new Response(new Uint8Array(body)) : new Response('', { status: 503 });
    },
    tellRefused: (_, why) => void refusals.push(why),
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

  test('is renewed by the timer before it ends, and what it newly revokes is refused', async () => {
    const { state, judge, ask } = scene();
    assert.equal(await ask(0), 'accepted caller');
    state.now = epochSeconds(NOW + 7 * HOUR);
    await judge.revocation.renewLists();
    assert.equal(state.requests, 1);
    state.serve = () => root.crl({ ...later, revoked: [caller.serial] });
    state.now = epochSeconds(NOW + 9 * HOUR);
    await judge.revocation.renewLists();
    await new Promise(setImmediate);
    assert.equal(state.requests, 2);
    assert.equal(await ask(9 * HOUR), 'certificate-revoked: crl-revoked');
  });

  test('that has ended is not served while another is fetched: the request waits', async () => {
    const { state, ask } = scene();
    assert.equal(await ask(0), 'accepted caller');
    state.serve = () => root.crl(later);
    assert.equal(await ask(11 * HOUR), 'accepted caller');
    assert.equal(state.requests, 2);
  });

  test('that cannot be renewed closes when it ends, and is asked for again a minute later', async () => {
    const { state, ask } = scene();
    assert.equal(await ask(0), 'accepted caller');
    state.serve = () => undefined;
    assert.equal(await ask(9 * HOUR), 'accepted caller');
    assert.equal(await ask(11 * HOUR), 'certificate-revocation-unknown: crl-unknown');
    state.serve = () => root.crl(later);
    assert.equal(await ask(11 * HOUR + 61), 'accepted caller');
  });

  test('that is signed by nobody we know displaces none, says why, and is asked for again ten minutes later', async () => {
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

  test('may be signed with another key of the issuer that the caller sends, and then takes the place of the one before', async () => {
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

  test('may be behind in number or in date, of an authority that lost count or set its clock right, but not in both', async () => {
    const earlyNoon = { thisUpdate: '2026-11-15T11:00:00Z', nextUpdate: '2026-11-16T06:00:00Z' };
    for (const [next, isTaken] of [
      [{ ...later, number: 3 }, true],
      [{ ...earlyNoon, number: 9 }, true],
      [{ ...fresh, number: 5 }, true],
      [{ ...earlyNoon, number: 5 }, false],
      [{ ...fresh, number: 4 }, false],
      [{ ...earlyNoon, number: 4 }, false],
    ] as const) {
      const { state, judge } = scene();
      state.serve = () => root.crl({ ...fresh, number: 5 });
      await judge.judge(caller.chain, issuers);
      const [before] = judge.revocation.lists;
      state.serve = () => root.crl(next);
      state.now = epochSeconds(NOW + 11 * HOUR);
      await judge.judge(caller.chain, issuers);
      assert.equal(judge.revocation.lists[0] !== before, isTaken, JSON.stringify(next));
    }
  });

  test('is fetched for approved issuers only: a stranger makes us visit nothing', async () => {
    const { state, judge } = scene();
    await judge.judge(makeAuthority({ name: 'Root' }).issue({ extensions: [points] }).chain, issuers);
    assert.equal(state.requests, 0);
  });
});

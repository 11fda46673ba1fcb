// Lists are fetched once, renewed before they end, and never served after.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { epochSeconds } from '../../src/core/time.ts';
import { CertificateJudge } from '../../src/pki/certificate-judge.ts';
import { contextTag } from '../../src/pki/der.ts';
import { write, writeContext, writeSequence } from '../../src/pki/der-write.ts';
import { EXTENSION } from '../../src/pki/extensions.ts';
import { extension, makeAuthority } from '../authority.ts';
import { approve, CRL_REQUIRED, NOW, worded } from './approved.ts';

const HOUR = 3600;
const root = makeAuthority({ name: 'Root' });
const point = writeContext(
  0,
  writeContext(0, write(contextTag(6, 'primitive'), Buffer.from('http://crl.test/ca.crl'))),
);
const points = extension(EXTENSION.crlDistributionPoints, writeSequence(writeSequence(point)));
const caller = root.issue({ extensions: [points] });
const issuers = [approve(root, { revocation: CRL_REQUIRED })];

/** A list that holds for ten hours from now on. */
const fresh = { thisUpdate: '2026-11-15T12:00:00Z', nextUpdate: '2026-11-15T22:00:00Z' };
const later = { thisUpdate: '2026-11-15T20:00:00Z', nextUpdate: '2026-11-16T06:00:00Z' };

function scene() {
  const state = { now: NOW, requests: 0, serve: (): Uint8Array | undefined => root.crl(fresh) };
  const judge = new CertificateJudge({
    now: () => state.now,
    fetch: async () => {
      state.requests++;
      const body = state.serve();
      return body ? new Response(new Uint8Array(body)) : new Response('', { status: 503 });
    },
  });
  const ask = async (after: number) => {
    state.now = epochSeconds(NOW + after);
    return worded(await judge.judge(caller.chain, issuers));
  };
  return { state, judge, ask };
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

  test('is fetched for approved issuers only: a stranger makes us visit nothing', async () => {
    const { state, judge } = scene();
    await judge.judge(makeAuthority({ name: 'Root' }).issue({ extensions: [points] }).chain, issuers);
    assert.equal(state.requests, 0);
  });
});

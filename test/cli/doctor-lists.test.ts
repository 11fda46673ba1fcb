// What `tessera doctor` says about revocation lists.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { examineContents } from '../../src/cli/doctor/contents.ts';
import { CertificateJudge } from '../../src/pki/judge/certificate-judge.ts';
import { FollowedRegistry } from '../../src/store/registry.ts';
import { SharedLists } from '../../src/store/shared-lists.ts';
import type { Store } from '../../src/store/store.ts';
import { makeAuthority } from '../authority.ts';
import { distributionPoint } from '../list-server.ts';
import { onSqlite } from '../operations/on-sqlite.ts';
import { approve, CRL_REQUIRED } from '../pki/approved.ts';

const root = makeAuthority();
const issuers = [approve(root, { revocation: CRL_REQUIRED })];

async function said(store: Store) {
  const findings = await examineContents(store, await FollowedRegistry.load(store));
  return findings.filter(({ about }) => about === 'revocation lists').map(({ verdict, says }) => [verdict, says]);
}

suite('tessera doctor', () => {
  test('reports lists that could not be fetched, and a limit that was reached', async (t) => {
    const { node } = await onSqlite(t);
    const state = { isDown: true };
    const judge = new CertificateJudge({
      now: node.clock.now,
      exchange: new SharedLists(node),
      limits: { addressesPerIssuer: 1 },
      fetch: async () => (state.isDown ? new Response('', { status: 503 }) : new Response(new Uint8Array(root.crl()))),
    });
    const present = (url: string) => judge.judge(root.issue({ extensions: [distributionPoint(url)] }).chain, issuers);
    assert.deepEqual(await said(node.store), []);
    await present('http://crl.test/1.crl');
    const failed = 'http://crl.test/1.crl: the response is HTTP 503';
    assert.deepEqual(await said(node.store), [['poor', failed]]);
    state.isDown = false;
    await present('http://crl.test/2.crl');
    const limit = 'certificates name more revocation lists than revocation.addressesPerIssuer (1) allows';
    assert.deepEqual(await said(node.store), [['poor', `limit: ${limit}, and 1 more failures`]]);
  });
});

// Whose grants doctor warns about before they end.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { examineContents } from '../../src/cli/doctor/contents.ts';
import type { Grant } from '../../src/core/grant.ts';
import { epochSeconds } from '../../src/core/time.ts';
import { FollowedRegistry } from '../../src/store/registry.ts';
import { openSqliteStore } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { integrations } from '../../src/store/tables/integrations.ts';
import { aGrant, anIdentity, anIntegration, hexOf, NOW } from '../samples.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const ENDING = { createdAt: epochSeconds(NOW - 2 * 86_400), refreshUntil: epochSeconds(NOW + 600) };
const BY_CERTIFICATE: Grant['origin'] = {
  kind: 'certificate',
  certificate: { certificate: hexOf(16), issuerKey: hexOf(16), key: hexOf(32) },
};

async function warnsAbout(difference: Partial<Grant>): Promise<boolean> {
  const folder = temporaryFolder('grants');
  const store = await openSqliteStore({ path: join(folder, 'tessera.db'), clock: () => NOW });
  try {
    const next = aGrant({ ...ENDING, ...difference });
    await store.change(integrations, next.clientId, () => ({ outcome: undefined, next: anIntegration() }));
    await store.change(identities, next.identityId, () => ({ outcome: undefined, next: anIdentity() }));
    await store.change(grants, next.id, () => ({ outcome: undefined, next }));
    const findings = await examineContents(store, await FollowedRegistry.load(store));
    return findings.some(({ about, verdict }) => about === 'grants' && verdict === 'poor');
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
}

test('doctor warns about grants that somebody has to renew, and about no others', async () => {
  assert.equal(await warnsAbout({ origin: { kind: 'device' }, refreshable: true }), true);
  assert.equal(await warnsAbout({ origin: { kind: 'device' }, refreshable: false }), true);
  assert.equal(await warnsAbout({ origin: BY_CERTIFICATE, refreshable: true }), true);
  assert.equal(await warnsAbout({ origin: BY_CERTIFICATE, refreshable: false }), false);
  assert.equal(await warnsAbout({ origin: { kind: 'device' }, createdAt: NOW }), false, 'a login for ten minutes');
});

test('doctor names an identity that has more grants than anybody honest', async (t) => {
  const folder = temporaryFolder('grants');
  const store = await openSqliteStore({ path: join(folder, 'tessera.db'), clock: () => NOW });
  t.after(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });
  const next = aGrant();
  await store.change(identities, next.identityId, () => ({ outcome: undefined, next: anIdentity() }));
  await store.change(grants, next.id, () => ({ outcome: undefined, next }));
  const registry = await FollowedRegistry.load(store);
  const named = async (times: number) => {
    const count: Store['count'] = async (table, column) =>
      new Map([...(await store.count(table, column))].map(([value, rows]) => [value, rows * times]));
    return (await examineContents({ ...store, count }, registry)).filter(({ about }) => about === 'callers');
  };
  assert.deepEqual(await named(1), []);
  const [finding] = await named(60_000);
  assert.match(JSON.stringify(finding), new RegExp(`${next.identityId.slice(-13, -1)}.* has 60000 grants`));
});

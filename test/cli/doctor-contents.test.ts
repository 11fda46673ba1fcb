// What doctor warns of in a store: grants that end, callers with too many, resource servers and names that nothing finds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { examineContents } from '../../src/cli/doctor/contents.ts';
import type { Grant } from '../../src/core/grant.ts';
import type { ApprovedIssuer } from '../../src/core/issuer.ts';
import { epochSeconds } from '../../src/core/time.ts';
import { FollowedRegistry } from '../../src/store/registry.ts';
import type { Store } from '../../src/store/store.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { integrations } from '../../src/store/tables/integrations.ts';
import { issuers } from '../../src/store/tables/issuers.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { makeAuthority } from '../authority.ts';
import { ISSUER, put } from '../node.ts';
import { administration } from '../operations/admin/admin-samples.ts';
import { aGrant, anIdentity, anIntegration, aResourceServer, hexOf, NOW } from '../samples.ts';

/** The warnings about one thing. */
async function warnings(about: string, store: Store): Promise<string[]> {
  const findings = await examineContents(store, await FollowedRegistry.load(store));
  return findings.flatMap((each) => (each.about === about && each.verdict === 'poor' ? [each.says] : []));
}

test('doctor warns about grants that somebody has to renew, and about no others', async (t) => {
  const ending = { createdAt: epochSeconds(NOW - 2 * 86_400), refreshUntil: epochSeconds(NOW + 600) };
  const certificate = { certificate: hexOf(16), issuerKey: hexOf(16), key: hexOf(32) };
  const [byDevice, byCertificate] = [{ kind: 'device' }, { kind: 'certificate', certificate }] as const;
  const assertion = { tokenIssuer: 'ci', subject: hexOf(16) };
  const cases: [grant: Partial<Grant>, isWarned: boolean][] = [
    [{ origin: byDevice, refreshable: true }, true],
    [{ origin: byDevice, refreshable: false }, true],
    [{ origin: byCertificate, refreshable: true }, true],
    [{ origin: byCertificate, refreshable: false }, false],
    [{ origin: { kind: 'assertion', assertion }, refreshable: true }, false],
    [{ origin: { kind: 'exchange' }, refreshable: true }, false],
    [{ origin: byDevice, createdAt: NOW }, false], // a login for ten minutes
  ];
  for (const [grant, isWarned] of cases) {
    const { store } = await administration(t);
    await put(store, integrations, anIntegration());
    await put(store, identities, anIdentity());
    await put(store, grants, aGrant({ ...ending, ...grant }));
    const expected = isWarned ? ['1 live grant will end within 30 days'] : [];
    assert.deepEqual(await warnings('grants', store), expected, JSON.stringify(grant));
  }
});

test('doctor names an identity that has more grants than anybody honest', async (t) => {
  const { store } = await administration(t);
  await put(store, identities, anIdentity());
  await put(store, integrations, anIntegration());
  await put(store, grants, aGrant());
  const named = (times: number) => {
    const count: Store['count'] = async (table, column) =>
      new Map([...(await store.count(table, column))].map(([value, rows]) => [value, rows * times]));
    return warnings('callers', { ...store, count });
  };
  assert.deepEqual(await named(49_999), []);
  const [warning] = await named(50_000);
  assert.match(warning ?? '', new RegExp(`${aGrant().identityId.slice(-13, -1)}.* has 50000 grants`));
});

test('doctor counts principal names with capitals, which no issuer finds that compares like Active Directory', async (t) => {
  const { store } = await administration(t);
  for (const [index, upn] of ['Ada@corp.example', 'bob@corp.example', undefined].entries())
    await put(store, identities, anIdentity({ id: `corp:${index}` as never, ...(upn && { upn }) }));
  const { certificate } = makeAuthority();
  const cases: [issuer: Partial<ApprovedIssuer>, warning: string[]][] = [
    [{ upnComparison: 'active-directory' }, ['corp: 1 principal name of the directory with capitals']],
    [{ upnComparison: 'active-directory', identities: 'derived' }, []],
    [{}, []],
  ];
  for (const [issuer, warning] of cases) {
    await put(store, issuers, { ...ISSUER, certificate, ...issuer });
    assert.deepEqual(await warnings('issuers', store), warning, JSON.stringify(issuer));
  }
});

test('doctor names resource servers that can prove nothing', async (t) => {
  const { store } = await administration(t);
  const secrets = [{ hash: hexOf(32), createdAt: NOW }] as never;
  for (const [id, difference] of Object.entries({ a: {}, b: { secrets }, c: { identity: anIdentity().id }, d: {} }))
    await put(
      store,
      resourceServers,
      aResourceServer({ id: id as never, audience: `https://${id}` as never, ...difference }),
    );
  const problem = 'a, d: neither a secret nor an identity, so it cannot check tokens';
  assert.deepEqual(await warnings('resource servers', store), [problem]);
});

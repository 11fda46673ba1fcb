// What `tessera doctor` says about the keys of token issuers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { examineContents } from '../../src/cli/doctor/contents.ts';
import { FollowedRegistry } from '../../src/store/registry.ts';
import { keySets } from '../../src/store/tables/revocation-lists.ts';
import { tokenIssuers } from '../../src/store/tables/token-issuers.ts';
import { put } from '../node.ts';
import { onSqlite } from '../operations/on-sqlite.ts';
import { aTokenIssuer } from '../platform.ts';
import { NOW } from '../samples.ts';

test('keys that could not be fetched are reported with the reason of the last attempt', async (t) => {
  const { node } = await onSqlite(t);
  const said = async () => {
    const findings = await examineContents(node.store, await FollowedRegistry.load(node.store));
    return findings.filter(({ about }) => about.startsWith('token issuer')).map(({ verdict, says }) => [verdict, says]);
  };
  assert.deepEqual(await said(), []);
  await put(node.store, tokenIssuers, aTokenIssuer());
  assert.deepEqual(await said(), [['good', 'https://ci.example']]);
  const before = { name: 'ci earlier settings', checkedAt: NOW, failure: 'HTTP 404' } as const;
  await put(node.store, keySets, before);
  assert.deepEqual(await said(), [['poor', 'its keys could not be fetched: HTTP 404']]);
  await put(node.store, keySets, { name: 'ci settings of now', checkedAt: (NOW + 1) as typeof NOW });
  assert.deepEqual(await said(), [['good', 'https://ci.example']]);
  await put(node.store, tokenIssuers, aTokenIssuer({ enabled: false }));
  assert.deepEqual(await said(), []);
});

test('rules that admit everybody are reported', async (t) => {
  const { node } = await onSqlite(t);
  const open = {
    conditions: [{ claim: '/ref', test: { is: 'main' } }],
    identity: '{/sub}',
    identities: 'derived',
  } as const;
  await put(node.store, tokenIssuers, aTokenIssuer({ rules: [...aTokenIssuer().rules, open] }));
  const findings = await examineContents(node.store, await FollowedRegistry.load(node.store));
  const found = findings.filter(({ about }) => about === 'token issuer ci');
  assert.deepEqual(
    found.map(({ verdict, says }) => [verdict, says.slice(0, 36)]),
    [['poor', 'rule 2: no condition names an owner,']],
  );
});

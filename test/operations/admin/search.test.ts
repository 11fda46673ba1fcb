// One text finds whatever it names.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GrantId } from '../../../src/core/grant.ts';
import type { IdentityId } from '../../../src/core/identity.ts';
import { search } from '../../../src/operations/admin/search.ts';
import { grants } from '../../../src/store/tables/grants.ts';
import { identities } from '../../../src/store/tables/identities.ts';
import { put } from '../../node.ts';
import { aGrant, anIdentity, hexOf } from '../../samples.ts';
import { onSqlite } from '../on-sqlite.ts';

test('a part of a name finds the first 50 people', async (t) => {
  const { node } = await onSqlite(t);
  for (let n = 0; n < 60; n++)
    await put(
      node.store,
      identities,
      anIdentity({ id: `local:${hexOf(15)}${10 + n}` as IdentityId, userName: `person-${n}` }),
    );
  assert.equal((await search('person', node)).identities.length, 50);
});

test('a fingerprint finds the grants of that key, and those that are bound to that certificate', async (t) => {
  const { node } = await onSqlite(t);
  const [key, bound, other] = ['01', '02', '03'].map((end) => `${'0'.repeat(30)}${end}` as GrantId);
  const [ofKey, thumbprint] = [hexOf(32, 0x5a), hexOf(32, 0x5b)];
  const certificate = { certificate: hexOf(16), issuerKey: hexOf(16), key: ofKey };
  await put(node.store, grants, aGrant({ id: key as GrantId, origin: { kind: 'certificate', certificate } }));
  await put(node.store, grants, aGrant({ id: bound as GrantId, bindings: [{ since: 0, thumbprint }] }));
  await put(node.store, grants, aGrant({ id: other as GrantId }));
  const found = async (text: string) => (await search(text, node)).grants.map(({ id }) => id);
  assert.deepEqual(await found(ofKey), [key]);
  assert.deepEqual(
    await found(thumbprint.toUpperCase().replaceAll(/(..)(?=.)/g, '$1:')),
    [bound],
    'as openssl prints it',
  );
  assert.deepEqual(await found(hexOf(32, 0x5c)), []);
});

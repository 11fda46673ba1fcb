import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GrantId } from '../../src/core/grant.ts';
import type { ClientId } from '../../src/core/integration.ts';
import { epochSeconds } from '../../src/core/time.ts';
import { type GrantsWish, listGrants } from '../../src/operations/admin/list-grants.ts';
import type { Ports } from '../../src/operations/ports.ts';
import type { Store } from '../../src/store/store.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { addKey, firstKey, Keyring, mintWith } from '../../src/tokens/keyring.ts';
import { accepted, answer, BOB, put } from '../node.ts';
import { ADA, aGrant, NOW } from '../samples.ts';
import { onSqlite } from './on-sqlite.ts';

const grantId = (n: number) => n.toString(16).padStart(32, '0') as GrantId;
const ADAS: GrantsWish = { of: { identity: ADA }, limit: 3 };

/** Ten grants, the even ones Ada's, each ending a second after the one before it. */
async function tenGrants(node: Ports): Promise<void> {
  for (let n = 0; n < 10; n++) {
    const identityId = n % 2 ? BOB : ADA;
    const clientId = (n < 4 ? 'first' : 'second') as ClientId;
    await put(
      node.store,
      grants,
      aGrant({ id: grantId(n), identityId, clientId, refreshUntil: epochSeconds(NOW + n) }),
    );
  }
}

async function everyPage(wish: GrantsWish, node: Ports): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: string | undefined;
  do {
    const page = accepted(await listGrants({ ...wish, cursor }, node));
    pages.push(page.rows.map(({ id }) => id));
    cursor = page.next;
  } while (cursor !== undefined);
  return pages;
}

test('grants are listed in pages by identity, by integration and by end', async (t) => {
  const { node } = await onSqlite(t);
  await tenGrants(node);
  assert.deepEqual(await everyPage(ADAS, node), [[0, 2, 4].map(grantId), [6, 8].map(grantId)]);
  assert.deepEqual(
    await everyPage({ ...ADAS, limit: 5 }, node),
    [[0, 2, 4, 6, 8].map(grantId)],
    'one that is just full',
  );
  const second = { of: { integration: 'second' as ClientId }, limit: 6 };
  assert.deepEqual(await everyPage(second, node), [[4, 5, 6, 7, 8, 9].map(grantId)], 'no empty page at the end');
  const soon = { endingBefore: epochSeconds(NOW + 3), limit: 2 };
  assert.deepEqual(await everyPage(soon, node), [[0, 1].map(grantId), [2].map(grantId)]);
  assert.equal((await everyPage({}, node)).flat().length, 10);
});

test('a page never exceeds its maximum size', async (t) => {
  const { node } = await onSqlite(t);
  const asked: number[] = [];
  const page: Store['page'] = (table, query) => {
    asked.push(query.limit);
    return node.store.page(table, query);
  };
  const watched = { ...node, store: { ...node.store, page } };
  for (const limit of [1e9, Number.POSITIVE_INFINITY, 0, -1, Number.NaN, 2.7]) await listGrants({ limit }, watched);
  assert.deepEqual(asked, [501, 501, 51, 2, 51, 3]);
});

test('a forged, truncated, extended or altered cursor is refused before it reaches the store', async (t) => {
  const { node } = await onSqlite(t);
  await tenGrants(node);
  const { next = '' } = accepted(await listGrants(ADAS, node));
  const blind = { ...node, store: { ...node.store, page: () => assert.fail('the store was asked') } };
  const bytes = Buffer.from(next, 'base64url');
  const flipped = Array.from(bytes, (_, at) => bytes.with(at, (bytes[at] ?? 0) ^ 1));
  const altered = [
    ...flipped.map((each) => Buffer.from(each).toString('base64url')),
    `${next}A`,
    `${next}=`,
    ` ${next}`,
  ];
  const sql = ["' OR 1=1 --", '', '0', Buffer.from("\x01' OR 1=1").toString('base64url'), grantId(3)];
  const cut = Array.from({ length: next.length - 1 }, (_, length) => next.slice(0, length));
  for (const cursor of [...altered, ...sql, ...cut]) {
    assert.equal(await answer(listGrants({ ...ADAS, cursor }, blind)), 'cursor-not-authentic', cursor);
  }
});

test('a cursor of one list is refused by another', async (t) => {
  const { node } = await onSqlite(t);
  await tenGrants(node);
  const { next: cursor } = accepted(await listGrants(ADAS, node));
  const others: GrantsWish[] = [
    {},
    { of: { identity: BOB } },
    { of: { integration: ADA as string as ClientId } },
    { of: { identity: ADA }, endingBefore: NOW },
  ];
  for (const wish of others) assert.equal(await answer(listGrants({ ...wish, cursor }, node)), 'cursor-not-authentic');
  assert.equal(
    await answer(listGrants({ ...ADAS, limit: 100, cursor }, node)),
    'accepted',
    'another page size is fine',
  );
});

test('a cursor survives a key rotation, but not the retirement of its key', async (t) => {
  const keys = firstKey();
  const { node } = await onSqlite(t, { keyring: new Keyring(keys) });
  await tenGrants(node);
  const { next: cursor } = accepted(await listGrants(ADAS, node));
  const rotated = mintWith(addKey(keys, 2), 2);
  assert.equal(await answer(listGrants({ ...ADAS, cursor }, { ...node, keyring: new Keyring(rotated) })), 'accepted');
  const retired = new Keyring(rotated.slice(1));
  assert.equal(await answer(listGrants({ ...ADAS, cursor }, { ...node, keyring: retired })), 'cursor-not-authentic');
});

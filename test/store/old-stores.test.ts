// Stores made by the real code of earlier versions stay readable.
// Only in test:all: every setting and language of PostgreSQL
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, suite, type TestContext, test } from 'node:test';
import { EVENT_TYPES } from '../../src/core/event.ts';
import type { FeedState } from '../../src/core/feed.ts';
import { type Grant, grantState } from '../../src/core/grant.ts';
import { firstPage, itemsAfter } from '../../src/operations/feed/read-feed.ts';
import { eventPages, rows } from '../../src/store/pages.ts';
import type { Store } from '../../src/store/store.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { integrations } from '../../src/store/tables/integrations.ts';
import { issuers } from '../../src/store/tables/issuers.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { keyMarks, signingKeys } from '../../src/store/tables/signing-keys.ts';
import { readHistory } from '../../src/store/tables/store-history.ts';
import { tokenIssuers } from '../../src/store/tables/token-issuers.ts';
import { Commands } from '../cli/commands.ts';
import {
  OLD_STORES,
  type OldStore,
  openOldStore,
  openPlaced,
  placeOldKeyring,
  placeOldStore,
  type StoredEvent,
} from './old-stores.ts';

/** What an operator could do: everything that the source of that version writes as `did`. */
const DONE_IN_0_1 = [
  'identity added',
  'identity derived',
  'identity disabled',
  'identity enabled',
  'integration changed',
  'integration disabled',
  'integration enabled',
  'integration registered',
  'issuer approved',
  'issuer withdrawn',
  'key added',
  'key minting',
  'key retired',
  'password set',
];

const ADDED_IN_0_2 = [
  'clock accepted',
  'identity changed',
  'identity removed',
  'integration removed',
  'issuer changed',
  'old resource server secret dropped',
  'resource server changed',
  'resource server registered',
  'resource server removed',
  'resource server secret made',
  'resource server secrets replaced',
  'rollback accepted',
  'signing key added',
  'signing key removed',
  'signing key signs',
  'store taken back',
  'token issuer added',
  'token issuer changed',
  'token issuer removed',
];

const REASONS = [
  'by-caller',
  'by-holder',
  'by-operator',
  'certificate-revoked',
  'restored',
  'reuse',
  'rolled-back-store',
];

const commands = new Commands({ isApart: true });
after(() => commands.close());

const NO_SERVICE = ['--set', 'listeners=[{ port: 8080 }]'];

function run({ address }: Pick<OldStore, 'address'>, ...args: string[]) {
  return commands.run([...args, '--set', `store=${address}`, ...NO_SERVICE], { folder: '/' });
}

async function opened(t: TestContext, open: Promise<Store>): Promise<Store> {
  const store = await open;
  t.after(() => store.close());
  return store;
}

suite('the fixtures have events of every kind', () => {
  const all = {
    '0.1': { stores: ['0.1/everything'], done: DONE_IN_0_1 },
    '0.2': { stores: ['0.2/everything', '0.2/put-back'], done: [...DONE_IN_0_1, ...ADDED_IN_0_2].sort() },
  } as const;
  for (const [version, { stores, done }] of Object.entries(all))
    test(`of ${version}`, async () => {
      const stored = (await Promise.all(stores.map(placeOldStore))).flatMap((old) => old.stored);
      assert.deepEqual(distinct(stored.map(({ type }) => type)), [...EVENT_TYPES].sort());
      assert.deepEqual(distinct(membersOf(stored, 'administered', 'did')), done);
      assert.deepEqual(distinct(membersOf(stored, 'revoked', 'reason')), REASONS);
      const kinds = version === '0.1' ? ['certificate', 'device'] : ['assertion', 'certificate', 'device'];
      assert.deepEqual(distinct(membersOf(stored, 'issued', 'by')), kinds);
    });
});

function membersOf(stored: readonly StoredEvent[], type: string, member: string): string[] {
  return stored.filter((event) => event.type === type).map(({ detail }) => String(JSON.parse(detail ?? '{}')[member]));
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}

for (const name of ['0.1/everything', '0.2/everything', '0.1/copy', '0.2/copy'] as const)
  test(`the keyring of ${name} belongs to the store`, async () => {
    const old = await placeOldStore(name);
    const { status, stderr } = await run(old, 'keyring', 'list', '--set', `keyring=${placeOldKeyring(name)}`);
    assert.equal(status, 0, stderr);
  });

for (const name of OLD_STORES)
  suite(`the store ${name}`, () => {
    test('is opened, and every event is read', async (t) => {
      const old = await placeOldStore(name);
      const store = await opened(t, openPlaced(old));
      const read = (await Array.fromAsync(eventPages(store, 10))).flat();
      const common = ({ sequence, at, type }: Pick<StoredEvent, 'sequence' | 'at' | 'type'>) => ({
        sequence,
        at,
        type,
      });
      assert.deepEqual(read.map(common), old.stored.map(common));
    });

    test('`tessera events` prints every event', async () => {
      const old = await placeOldStore(name);
      const json = await run(old, 'events', '--after', '0', '--json');
      assert.equal(json.status, 0, json.stderr);
      const printed = linesOf(json.printed).map((line) => (JSON.parse(line) as StoredEvent).sequence);
      assert.deepEqual(
        printed,
        old.stored.map(({ sequence }) => sequence),
      );
      const table = await run(old, 'events', '--after', '0');
      assert.equal(table.status, 0, table.stderr);
      assert.equal(linesOf(table.printed).length, old.stored.length);
    });

    test('its revocation feed has every revoked grant in its stream', async (t) => {
      const store = await opened(t, openOldStore(name));
      const revoked = (await rowsOf(store)).filter((grant) => grant.revoked).map(({ id }) => id);
      const items = await itemsAfter({ epoch: 1, sequence: 0 }, 1_000, store);
      assert.deepEqual(grantsIn(items.map(({ state }) => state)), revoked.sort());
      const { states } = await firstPage(store);
      const known = await Array.fromAsync(rows(store, integrations), ({ clientId }) => clientId);
      assert.deepEqual(
        known.filter(
          (id) => !states.some((state) => state.about === 'integration' && state.integration.clientId === id),
        ),
        [],
      );
    });
  });

function linesOf(text: string): string[] {
  return text.trimEnd().split('\n');
}

function rowsOf(store: Store): Promise<Grant[]> {
  return Array.fromAsync(rows(store, grants));
}

function grantsIn(states: readonly (FeedState | undefined)[]): string[] {
  return states.flatMap((state) => (state?.about === 'grant' ? [state.grantId] : [])).sort();
}

async function idOf(store: Store, userName: string): Promise<string> {
  const found = (await Array.fromAsync(rows(store, identities))).find((identity) => identity.userName === userName);
  return found?.id ?? assert.fail(`there is no ${userName}`);
}

for (const version of ['0.1', '0.2'] as const) {
  test(`a snapshot of the feed of ${version} has what ended, and not what works again`, async (t) => {
    const store = await opened(t, openOldStore(`${version}/after`));
    const { states } = await firstPage(store);
    const revoked = (await rowsOf(store)).filter((grant) => grant.revoked).map(({ id }) => id);
    assert.ok(revoked.length >= 3);
    assert.deepEqual(grantsIn(states), revoked.sort());
    const allowed = async (userName: string) => {
      const mark = hash('sha256', await idOf(store, userName));
      return states.flatMap((state) =>
        state.about === 'identity' && state.identity === mark ? [state.isAllowed] : [],
      );
    };
    assert.deepEqual([await allowed('gone'), await allowed('reopened')], [[false], [true]]);
    const enabled = (clientId: string) =>
      states.flatMap((state) =>
        state.about === 'integration' && state.integration.clientId === clientId ? [state.integration.enabled] : [],
      );
    assert.ok(enabled('gone').length > 0 && enabled('gone').every((is) => !is));
    assert.ok(enabled('reopened').length > 0 && enabled('reopened').every((is) => is));
  });

  test(`a copy of ${version} is restored: what ended since stays ended, and what began again works`, async (t) => {
    const [copy, old] = [await placeOldStore(`${version}/copy`), await placeOldStore(`${version}/after`)];
    const path = old.address.slice('sqlite:'.length);
    const file = join(dirname(path), 'copy.db');
    copyFileSync(copy.address.slice('sqlite:'.length), file);
    const before = await openPlaced(old);
    const revoked = (await rowsOf(before)).filter((grant) => grant.revoked).map(({ id }) => id);
    await before.close();
    const keyring = `keyring=${placeOldKeyring(`${version}/copy`)}`;
    const { status, printed, stderr } = await run(old, 'restore', file, '--set', keyring);
    assert.equal(status, 0, stderr);
    assert.match(printed, new RegExp(`Carried over ${revoked.length} revocations`));
    const store = await opened(t, openPlaced(old));
    const now = await store.now();
    const live = (await rowsOf(store)).filter((grant) => grantState(grant, now) === 'live').map(({ id }) => id);
    assert.ok(live.length > 0);
    assert.deepEqual(
      live.filter((id) => revoked.includes(id)),
      [],
    );
    const standing = {
      identity: async (name: string) => (await store.load(identities, await idOf(store, name))).found?.row.enabled,
      integration: async (name: string) => (await store.load(integrations, name)).found?.row.enabled,
      issuer: async (name: string) => (await store.load(issuers, name)).found?.row.enabled,
    };
    for (const [kind, isEnabled] of Object.entries(standing))
      assert.deepEqual([await isEnabled('gone'), await isEnabled('reopened')], [false, true], kind);
    assert.deepEqual(
      (await Array.fromAsync(rows(store, keyMarks))).map(({ id, retired }) => [id, retired]),
      [
        [1, true],
        [2, false],
      ],
    );
    if (version === '0.1') return; // nothing could be removed
    const removed = await idOf(await opened(t, openOldStore('0.2/copy')), 'removed');
    assert.deepEqual((await store.load(identities, removed)).found?.row, {
      id: removed,
      enabled: false,
      mayUseApi: false,
      groups: [],
    });
    assert.equal((await store.load(integrations, 'removed')).found?.row.removed, true);
    const jobs = async (label: string) => (await store.load(tokenIssuers, label)).found?.row.enabled;
    assert.deepEqual([await jobs('gone-jobs'), await jobs('reopened-jobs')], [false, true]);
    const api = async (id: string) => (await store.load(resourceServers, id)).found?.row;
    assert.deepEqual([(await api('gone-api'))?.removed, (await api('reopened-api'))?.removed], [true, undefined]);
    assert.deepEqual((await api('replaced-api'))?.secrets, []);
    const keys = await Array.fromAsync(rows(store, signingKeys));
    const states = keys.map(({ algorithm, removedAt }) => `${algorithm} ${removedAt ? 'removed' : 'published'}`);
    assert.deepEqual(states.toSorted(), ['ES256 published', 'EdDSA removed']);
  });
}

test('the history of a store that was put back under 0.2 has every act that it lost', async (t) => {
  const old = await placeOldStore('0.2/put-back');
  const store = await opened(t, openPlaced(old));
  const { epoch, rollback } = await readHistory(store);
  assert.ok(rollback);
  assert.equal(epoch, 2, 'an earlier one was accepted');
  assert.deepEqual(
    rollback.lost.map(({ sequence }) => sequence),
    Array.from({ length: rollback.seen - rollback.found }, (_, n) => rollback.found + 1 + n),
  );
  const { status, printed, stderr } = await run(old, 'store', 'history', '--json');
  assert.equal(status, 0, stderr);
  const { worksAgain } = JSON.parse(printed) as { worksAgain: readonly { kind: string; id: string }[] };
  const back = worksAgain.map(({ kind, id }) => `${kind} ${id}`).filter((each) => !each.startsWith('grant '));
  const published = rollback.lost.flatMap(({ type, detail }) =>
    type === 'administered' && detail.kind === 'signing-key' && detail.did === 'removed' ? [detail.id] : [],
  );
  const gone = [
    `identity ${await idOf(store, 'gone')}`,
    `identity ${await idOf(store, 'removed')}`,
    'integration gone',
    'integration removed',
    'issuer gone',
    'token-issuer gone-jobs',
    'resource-server gone-api',
    ...published.map((id) => `signing-key ${id}`),
  ];
  assert.deepEqual(back.toSorted(), gone.toSorted());
  const revoked = rollback.lost.flatMap(({ type, subjectId }) => (type === 'revoked' ? [subjectId ?? ''] : []));
  const grantsBack = worksAgain.filter(({ kind }) => kind === 'grant').map(({ id }) => id);
  assert.deepEqual(grantsBack.toSorted(), revoked.toSorted());

  const accepted = await run(old, 'store', 'accept-rollback', '--end-again');
  assert.equal(accepted.status, 0, accepted.stderr);
  const again = JSON.parse((await run(old, 'store', 'history', '--json')).printed) as { worksAgain: unknown[] };
  assert.deepEqual(again.worksAgain, []);
  assert.equal((await readHistory(store)).rollback, undefined);
  const ended = await store.load(tokenIssuers, 'gone-jobs');
  assert.equal(ended.found?.row.enabled, false);
});

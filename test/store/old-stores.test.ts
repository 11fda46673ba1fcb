// Stores made by the real code of earlier versions stay readable.
// Only in test:all: every setting and language of PostgreSQL
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import { EVENT_TYPES } from '../../src/core/event.ts';
import { itemsAfter } from '../../src/operations/feed/read-feed.ts';
import { firstPage } from '../../src/operations/feed/snapshot.ts';
import { eventPages, rows } from '../../src/store/pages.ts';
import { integrations } from '../../src/store/tables/integrations.ts';
import { Commands } from '../cli/commands.ts';
import {
  grantsIn,
  OLD_STORES,
  type OldStore,
  opened,
  openOldStore,
  openPlaced,
  placeOldKeyring,
  placeOldStore,
  rowsOf,
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

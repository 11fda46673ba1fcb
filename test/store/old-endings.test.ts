// What had ended in stores of earlier versions stays ended: in the feed, after a restore, and after a rollback.
// Only in test:all: every setting and language of PostgreSQL
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { grantState } from '../../src/core/grant.ts';
import { firstPage } from '../../src/operations/feed/snapshot.ts';
import { rows } from '../../src/store/pages.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { integrations } from '../../src/store/tables/integrations.ts';
import { issuers } from '../../src/store/tables/issuers.ts';
import { keyMarks } from '../../src/store/tables/key-marks.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { signingKeys } from '../../src/store/tables/signing-keys.ts';
import { readHistory } from '../../src/store/tables/store-history.ts';
import { tokenIssuers } from '../../src/store/tables/token-issuers.ts';
import { Commands } from '../cli/commands.ts';
import {
  grantsIn,
  idOf,
  type OldStore,
  opened,
  openOldStore,
  openPlaced,
  placeOldKeyring,
  placeOldStore,
  rowsOf,
} from './old-stores.ts';

const commands = new Commands({ isApart: true });
after(() => commands.close());

const NO_SERVICE = ['--set', 'listeners=[{ port: 8080 }]'];

function run({ address }: Pick<OldStore, 'address'>, ...args: string[]) {
  return commands.run([...args, '--set', `store=${address}`, ...NO_SERVICE], { folder: '/' });
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

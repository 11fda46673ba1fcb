// Identities of a directory elsewhere while it is away, slow, or broken.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DirectoryAway, Overloaded } from '../../src/core/faults.ts';
import type { Identity, IdentityId } from '../../src/core/identity.ts';
import { seconds } from '../../src/core/time.ts';
import type { Directory } from '../../src/directory/directory.ts';
import { sideBySide } from '../../src/directory/side-by-side.ts';
import { findNamed, type NameQuery, recheck, settle } from '../../src/operations/grant/seen-identity.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { answer, NO_DIRECTORY, put } from '../node.ts';
import { aGrant, anIdentity, hexOf, NOW } from '../samples.ts';
import { later } from '../store/conformance/rows.ts';
import { onSqlite } from './on-sqlite.ts';

const idOf = (label: string, n: number) => `${label}:${hexOf(16, n)}` as IdentityId;
const EVE = anIdentity({ id: idOf('corp', 1), userName: 'eve', seenAt: NOW });
const away = async () => Promise.reject(new DirectoryAway('it is away'));

async function scene(t: TestContext, corp: Partial<Directory>, again: () => Promise<Identity | undefined> = away) {
  const { node, clock } = await onSqlite(t);
  const times = { recheckAfter: seconds(300), trustFor: seconds(1000) };
  const elsewhere = { times, again } as never;
  const directory = { ...NO_DIRECTORY, label: 'corp', elsewhere, ...corp };
  return { ports: { store: node.store, directories: sideBySide(NO_DIRECTORY, [directory]) }, clock };
}

const named = (name: string): NameQuery => ({ by: 'byUserName', name, directories: ['corp'], of: 'certificate' });

test('while a directory is away, its rows are used as last seen, as long as they are trusted', async (t) => {
  const { ports, clock } = await scene(t, { byUserName: away });
  const { seenAt: _, ...unseen } = EVE;
  await put(ports.store, identities, EVE);
  await put(ports.store, identities, { ...EVE, id: idOf('other', 1) });
  await put(ports.store, identities, { ...unseen, id: idOf('corp', 2) });
  const found = await findNamed(named('eve'), ports);
  assert.deepEqual(found.ok && found.value, EVE);
  await assert.rejects(findNamed(named('adam'), ports), DirectoryAway);
  clock.move(999);
  assert.equal(await answer(findNamed(named('eve'), ports)), 'accepted');
  clock.move(1);
  await assert.rejects(findNamed(named('eve'), ports), DirectoryAway);
});

test('a directory that is broken is not taken for one that is away', async (t) => {
  const { ports } = await scene(t, { byUserName: async () => Promise.reject(new TypeError('broken')) });
  await put(ports.store, identities, EVE);
  await assert.rejects(findNamed(named('eve'), ports), TypeError);
});

test('what a directory finds is kept; what it does not, or finds twice, is refused', async (t) => {
  const { seenAt: _, ...unseen } = EVE;
  const answers: Record<string, Identity[]> = { eve: [unseen], twin: [unseen, unseen] };
  const { ports } = await scene(t, { byUserName: async (name) => answers[name] ?? [] });
  const found = await findNamed(named('eve'), ports);
  assert.deepEqual(found.ok && found.value, EVE);
  assert.deepEqual((await ports.store.load(identities, EVE.id)).found?.row, EVE);
  assert.equal(await answer(findNamed(named('twin'), ports)), 'certificate-identity-ambiguous');
  assert.equal(await answer(findNamed({ ...named('adam'), of: 'assertion' }, ports)), 'assertion-identity-unknown');
});

const [trusted, old] = [later(NOW, 999), later(NOW, 1000)];

test('a holder is checked again, and may be used unchecked only as long as the row is trusted', async (t) => {
  const broken = new TypeError('broken');
  const cases: [what: string, again: () => Promise<Identity | undefined>, whenTrusted: unknown, whenOld: unknown][] = [
    ['is away', away, undefined, DirectoryAway],
    ['does not show the entry', async () => undefined, undefined, DirectoryAway],
    ['is asked too often', async () => Promise.reject(new Overloaded('')), undefined, DirectoryAway],
    ['is broken', async () => Promise.reject(broken), broken, broken],
  ];
  for (const [what, again, ...expected] of cases) {
    const { ports } = await scene(t, {}, again);
    for (const [n, now] of [trusted, old].entries()) {
      const checked = recheck(EVE, now, ports);
      const fault = expected[n];
      if (fault === undefined) await checked;
      else await assert.rejects(checked, fault as never, what);
    }
  }
});

test('a directory that does not answer delays a trusted holder by a second', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { ports } = await scene(t, {}, () => new Promise(() => undefined));
  let isDone = false;
  const checked = recheck(EVE, trusted, ports).then(() => {
    isDone = true;
  });
  t.mock.timers.tick(999);
  await new Promise(setImmediate);
  assert.equal(isDone, false);
  t.mock.timers.tick(1);
  await checked;
  void recheck(EVE, old, ports).then(() => assert.fail('it is used unchecked'));
  t.mock.timers.tick(10_000);
  await new Promise(setImmediate);
});

test('what the directory says now is kept', async (t) => {
  const { ports } = await scene(t, {}, async () => ({ ...EVE, groups: ['new'] }));
  await put(ports.store, identities, EVE);
  await recheck(EVE, trusted, ports);
  assert.deepEqual((await ports.store.load(identities, EVE.id)).found?.row.groups, ['new']);
});

test('whoever returns gets no grant back that a dying node left unrevoked', async (t) => {
  const { ports } = await scene(t, {});
  const grant = aGrant({ identityId: EVE.id });
  const isRevoked = async () => (await ports.store.load(grants, grant.id)).found?.row.revoked !== undefined;
  await put(ports.store, identities, EVE);
  await put(ports.store, grants, grant);
  const changed = { ...EVE, groups: ['new'] };
  assert.deepEqual([(await settle(EVE.id, changed, ports))?.groups, await isRevoked()], [['new'], false]);
  await put(ports.store, identities, { ...EVE, enabled: false, endedAt: NOW });
  const returned = await settle(EVE.id, EVE, ports);
  assert.deepEqual([returned?.enabled, returned?.endedAt, await isRevoked()], [true, undefined, true]);
  assert.equal((await settle(EVE.id, undefined, ports))?.enabled, false);
});

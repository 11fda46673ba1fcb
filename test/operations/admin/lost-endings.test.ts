// Which acts end something again after the store was put back, for every act of every kind.
// Only in test:all: every kind of act
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { suite, test } from 'node:test';
import { type Act, actWords, type EndingKind, KINDS, type Kind } from '../../../src/core/act.ts';
import type { Integration } from '../../../src/core/integration.ts';
import type { ResourceServer } from '../../../src/core/resource-server.ts';
import {
  endAgain,
  endingsFromActs,
  endingsFromCopy,
  type LostEnding,
  nameOf,
} from '../../../src/operations/admin/lost-endings.ts';
import { makeAuthority } from '../../authority.ts';
import { CLIENT } from '../../samples.ts';
import { administration } from './admin-samples.ts';
import {
  changesOf,
  didsOf,
  EXAMPLES,
  exampleOf,
  KIND_NAMES,
  lost,
  NAMES,
  NEWER,
  OLDER,
  rowIn,
  storeWith,
  without,
} from './ending-examples.ts';

test('there is an example of every act that ends something', () => {
  for (const kind of Object.keys(KINDS) as Kind[]) {
    const ends = kind in EXAMPLES ? exampleOf(kind as EndingKind).endings.map(({ act }) => act.did as string) : [];
    const all = Object.entries(KINDS[kind]).flatMap(([did, [life]]) => (life === 'ends' ? [did] : []));
    assert.deepEqual(all.toSorted(), ends.toSorted(), kind);
  }
});

test('every kind has a name', () => {
  for (const [kind, [one, many]] of Object.entries(NAMES))
    assert.partialDeepStrictEqual(nameOf(kind as LostEnding['kind']), { one, many });
  assert.equal(actWords({ kind: 'store', id: '', did: 'clock-accepted' }), 'store clock accepted');
  assert.equal(actWords({ kind: 'unknown', id: '', did: 'done', words: 'done' }), 'unknown thing done');
});

for (const kind of KIND_NAMES)
  suite(kind, () => {
    const { row, endings, opening } = exampleOf(kind);
    for (const { act, ended } of endings) {
      const did: string = act.did;

      test(`${did}: is found in a newer copy and in remembered acts, and ended again as before`, async (t) => {
        const [at, copy] = [await storeWith(t, kind), await storeWith(t, kind, ended)];
        const [ofCopy] = await endingsFromCopy(copy.store, at);
        const [remembered] = await endingsFromActs(lost([act]), at);
        // The rows do not say whether others came in their place.
        assert.deepEqual(await didsOf(endingsFromCopy(copy.store, at)), [
          did === 'secrets-replaced' ? 'secret-dropped' : did,
        ]);
        for (const ending of [ofCopy, remembered]) {
          const fresh = await storeWith(t, kind);
          assert.ok(ending);
          await endAgain([ending], fresh);
          assert.deepEqual(await rowIn(fresh.store, kind), without({ ...row, ...ended }));
          const [event] = await fresh.store.newestEvents({ count: 1 });
          assert.equal(event?.type === 'administered' && event.detail.kind, kind);
          fresh.pass(60);
          assert.deepEqual(await endingsFromActs(lost([act]), fresh), [], 'once');
          assert.deepEqual(await endingsFromCopy(copy.store, fresh), [], 'once');
        }
      });

      for (const open of opening)
        test(`${did}, then ${open.did}: works`, async (t) => {
          const at = await storeWith(t, kind);
          assert.deepEqual(await didsOf(endingsFromActs(lost([act, open]), at)), []);
          assert.deepEqual(await didsOf(endingsFromActs(lost([act, open, act]), at)), [did], 'and ended again');
        });

      for (const change of changesOf(kind))
        test(`${did}, then ${change.did}: has ended`, async (t) => {
          assert.deepEqual(await didsOf(endingsFromActs(lost([act, change]), await storeWith(t, kind))), [did]);
        });
    }

    test('other acts end nothing', async (t) => {
      const at = await storeWith(t, kind);
      assert.deepEqual(await didsOf(endingsFromActs(lost([...opening, ...changesOf(kind)]), at)), []);
      assert.deepEqual(await didsOf(endingsFromCopy((await storeWith(t, kind)).store, at)), []);
    });

    test('what the store does not know does not work', async (t) => {
      const at = await administration(t);
      assert.deepEqual(await endingsFromActs(lost(endings.map(({ act }) => act)), at), []);
      assert.deepEqual(await endingsFromCopy((await storeWith(t, kind, endings[0]?.ended)).store, at), []);
    });
  });

suite('an id that was given to another', () => {
  const other = makeAuthority({ name: 'Other' }).certificate;

  test('an issuer: the former authority has ended', async (t) => {
    const at = await storeWith(t, 'issuer');
    const acts = [
      { kind: 'issuer', id: 'corp', did: 'withdrawn' },
      { kind: 'issuer', id: 'corp', did: 'approved', fingerprint: hash('sha256', other) },
    ] as const;
    assert.deepEqual(await didsOf(endingsFromActs(lost(acts), at)), ['withdrawn']);
    const copy = await storeWith(t, 'issuer', { certificate: other });
    assert.deepEqual(await didsOf(endingsFromCopy(copy.store, at)), ['withdrawn']);
  });

  test('an issuer whose certificate was renewed is the same', async (t) => {
    const keys = makeAuthority({ name: 'Root' });
    const renewed = makeAuthority({ name: 'Root', keys: keys.keys }).certificate;
    const at = await storeWith(t, 'issuer', { certificate: keys.certificate });
    const copy = await storeWith(t, 'issuer', { certificate: renewed });
    assert.deepEqual(await didsOf(endingsFromCopy(copy.store, at)), []);
  });

  test('a token issuer: the former platform has ended', async (t) => {
    const at = await storeWith(t, 'token-issuer');
    const acts = [
      { kind: 'token-issuer', id: 'ci', did: 'removed' },
      { kind: 'token-issuer', id: 'ci', did: 'added', issuer: 'https://other.example', rules: 1 },
    ] as const;
    assert.deepEqual(await didsOf(endingsFromActs(lost(acts), at)), ['removed']);
    const copy = await storeWith(t, 'token-issuer', { issuer: 'https://other.example' });
    assert.deepEqual(await didsOf(endingsFromCopy(copy.store, at)), ['removed']);
  });

  test('a resource server that was disabled and enabled again: it works, and secrets that were dropped do not', async (t) => {
    const at = await storeWith(t, 'resource-server');
    const acts = [
      { kind: 'resource-server', id: 'orders-api', did: 'secret-dropped', ended: [OLDER.hash.slice(0, 16)] },
      { kind: 'resource-server', id: 'orders-api', did: 'disabled', changed: {} },
      { kind: 'resource-server', id: 'orders-api', did: 'enabled', changed: {} },
    ] as const;
    await endAgain(await endingsFromActs(lost(acts), at), at);
    const row = (await rowIn(at.store, 'resource-server')) as unknown as ResourceServer;
    assert.deepEqual([row.enabled, row.secrets], [true, [NEWER]]);
  });

  test('a resource server that was registered again: it works, and its former secrets do not', async (t) => {
    const at = await storeWith(t, 'resource-server');
    const acts = [
      { kind: 'resource-server', id: 'orders-api', did: 'removed' },
      { kind: 'resource-server', id: 'orders-api', did: 'registered', audience: 'urn:x', resources: 'orders' },
    ] as const;
    await endAgain(await endingsFromActs(lost(acts), at), at);
    const row = (await rowIn(at.store, 'resource-server')) as unknown as ResourceServer;
    assert.deepEqual([row.enabled, row.removed, row.secrets], [true, undefined, []]);
  });

  test('an integration that was enabled or registered again: it works, and former keys do not', async (t) => {
    for (const [first, then, secrets] of [
      ['disabled', 'enabled', 2],
      ['removed', 'registered', undefined],
    ] as const) {
      const at = await storeWith(t, 'integration');
      const acts = ['key-removed', first, then].map((did) => ({ kind: 'integration', id: CLIENT, did, ended: ['k1'] }));
      await endAgain(await endingsFromActs(lost(acts as unknown as Act[]), at), at);
      const row = (await rowIn(at.store, 'integration')) as unknown as Integration;
      assert.deepEqual([row.enabled, row.keys, row.secrets?.length], [true, undefined, secrets]);
    }
  });
});

suite('an integration that became confidential since then stays so, without its key or secret', () => {
  const before = { confidential: false, keys: undefined, secrets: undefined };
  const made = [
    { did: 'key-added', key: 'k1' },
    { did: 'changed', changed: { confidential: { after: true } } },
  ] as const;

  for (const deed of made)
    test(`as its remembered act "${deed.did}" says`, async (t) => {
      const at = await storeWith(t, 'integration', before);
      const acts = lost([{ kind: 'integration', id: CLIENT, ...deed }]);
      await endAgain(await endingsFromActs(acts, at), at);
      assert.partialDeepStrictEqual(await rowIn(at.store, 'integration'), { confidential: true, enabled: true });
      assert.deepEqual(await endingsFromActs(acts, at), [], 'once');
    });

  test('as a newer copy says', async (t) => {
    const [at, copy] = [await storeWith(t, 'integration', before), await storeWith(t, 'integration')];
    await endAgain(await endingsFromCopy(copy.store, at), at);
    assert.partialDeepStrictEqual(await rowIn(at.store, 'integration'), { confidential: true, enabled: true });
    assert.deepEqual(await endingsFromCopy(copy.store, at), [], 'once');
  });

  test('and one that was public stays public', async (t) => {
    const at = await storeWith(t, 'integration', before);
    const copy = await storeWith(t, 'integration', before);
    assert.deepEqual(await endingsFromCopy(copy.store, at), []);
    const renamed = { kind: 'integration', id: CLIENT, did: 'changed', changed: { name: { after: 'x' } } } as const;
    assert.deepEqual(await endingsFromActs(lost([renamed]), at), []);
  });
});

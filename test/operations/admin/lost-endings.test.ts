// Which acts end something again after the store was put back, for every act of every kind. The tables here are independent of those
// in src/core.
// Only in test:all: every kind of act
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { suite, type TestContext, test } from 'node:test';
import { type Act, actWords, type EndingKind, type FactsOf, KINDS, type Kind } from '../../../src/core/act.ts';
import { acted } from '../../../src/core/event.ts';
import type { Integration } from '../../../src/core/integration.ts';
import { type ResourceServer, secretMark } from '../../../src/core/resource-server.ts';
import type { RowOf } from '../../../src/core/rules/endings.ts';
import type { LostAct } from '../../../src/core/store-history.ts';
import {
  endAgain,
  endingsFromActs,
  endingsFromCopy,
  type LostEnding,
  nameOf,
} from '../../../src/operations/admin/lost-endings.ts';
import type { Store } from '../../../src/store/store.ts';
import type { Table } from '../../../src/store/table.ts';
import { identities, passkeys } from '../../../src/store/tables/identities.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { issuers } from '../../../src/store/tables/issuers.ts';
import { resourceServers } from '../../../src/store/tables/resource-servers.ts';
import { keyMarks, signingKeys } from '../../../src/store/tables/signing-keys.ts';
import { tokenIssuers } from '../../../src/store/tables/token-issuers.ts';
import { makeAuthority } from '../../authority.ts';
import { ISSUER, put } from '../../node.ts';
import { aTokenIssuer } from '../../platform.ts';
import {
  ADA,
  anIdentity,
  anIntegration,
  aPasskey,
  aResourceServer,
  CLIENT,
  hexOf,
  NOW,
  OPERATOR,
} from '../../samples.ts';
import { administration } from './admin-samples.ts';

const { certificate } = makeAuthority({ name: 'Root' });
const OLDER = { hash: hexOf(32, 1), createdAt: NOW, endsAt: NOW };
const NEWER = { hash: hexOf(32, 2), createdAt: NOW, endsAt: NOW };

const KEYS = { from: 'file', set: '{"keys":[{"kid":"k1"}]}' } as const;
interface Example<K extends EndingKind> {
  readonly table: Table<RowOf[K]>;
  readonly row: RowOf[K];
  /** Each act that ends it, and what is different then. */
  readonly ends: { readonly [D in keyof FactsOf[K]]?: { readonly facts: FactsOf[K][D]; readonly ended: object } };
  /** Acts after which it works as before. */
  readonly opens: { readonly [D in keyof FactsOf[K]]?: FactsOf[K][D] };
}

const EXAMPLES: { readonly [K in EndingKind]: Example<K> } = {
  identity: {
    table: identities,
    row: anIdentity({ email: 'ada@example.com' }),
    ends: {
      disabled: { facts: {}, ended: { enabled: false } },
      removed: {
        facts: { userName: 'ada' },
        ended: { enabled: false, mayUseApi: false, groups: [], userName: undefined, email: undefined },
      },
    },
    opens: { enabled: {}, added: { userName: 'ada' }, derived: { source: 'common-name' } },
  },
  passkey: {
    table: passkeys,
    row: { identityId: ADA, keys: [aPasskey('aa'), aPasskey('bb')] },
    ends: { removed: { facts: { ended: ['aa'], names: ['phone'] }, ended: { keys: [aPasskey('bb')] } } },
    opens: {}, // a passkey is never registered twice
  },
  integration: {
    table: integrations,
    row: anIntegration({ keys: KEYS, secrets: [OLDER, NEWER] }),
    ends: {
      'key-removed': { facts: { ended: ['k1'] }, ended: { keys: undefined } },
      'secret-dropped': { facts: { ended: [secretMark(OLDER)] }, ended: { secrets: [NEWER] } },
      disabled: { facts: {}, ended: { enabled: false } },
      removed: { facts: {}, ended: { enabled: false, removed: true, keys: undefined, secrets: undefined } },
    },
    opens: {}, // it works with other keys and secrets then, see below
  },
  issuer: {
    table: issuers,
    row: { ...ISSUER, certificate },
    ends: { withdrawn: { facts: {}, ended: { enabled: false } } },
    opens: { approved: { fingerprint: hash('sha256', certificate) } },
  },
  'token-issuer': {
    table: tokenIssuers,
    row: aTokenIssuer(),
    ends: { removed: { facts: {}, ended: { enabled: false } } },
    opens: { added: { issuer: aTokenIssuer().issuer, rules: 1 } },
  },
  'resource-server': {
    table: resourceServers,
    row: aResourceServer({ secrets: [OLDER, NEWER], identity: ADA }),
    ends: {
      disabled: { facts: { changed: {} }, ended: { enabled: false } },
      'secrets-replaced': { facts: { ended: [secretMark(OLDER), secretMark(NEWER)] }, ended: { secrets: [] } },
      'secret-dropped': { facts: { ended: [secretMark(OLDER)] }, ended: { secrets: [NEWER] } },
      removed: { facts: {}, ended: { enabled: false, secrets: [], identity: undefined, removed: true } },
    },
    opens: {}, // it works with other secrets then, see below
  },
  'signing-key': {
    table: signingKeys,
    row: { id: 'es256-1', algorithm: 'ES256', publicKey: { kty: 'EC' }, publishedAt: NOW, signsFrom: NOW },
    ends: { removed: { facts: {}, ended: { removedAt: NOW } } },
    opens: { added: { state: 'published' } },
  },
  key: {
    table: keyMarks,
    row: { id: 1, fingerprint: 'aa', retired: false },
    ends: { retired: { facts: {}, ended: { retired: true } } },
    opens: { added: {}, minting: {} },
  },
};

/** For people: one, and several. */
const NAMES: { readonly [K in LostEnding['kind']]: readonly [one: string, many: string] } = {
  grant: ['grant', 'grants'],
  identity: ['identity', 'identities'],
  passkey: ['passkey', 'passkeys'],
  integration: ['integration', 'integrations'],
  issuer: ['issuer', 'issuers'],
  'token-issuer': ['token issuer', 'token issuers'],
  'resource-server': ['resource server', 'resource servers'],
  'signing-key': ['signing key', 'signing keys'],
  key: ['key', 'keys'],
};

const KIND_NAMES = Object.keys(EXAMPLES) as EndingKind[];

function exampleOf(kind: EndingKind) {
  const { table, row, ends, opens } = EXAMPLES[kind] as unknown as Example<'identity'>;
  const id = table.keyOf(row);
  const act = (did: string, facts: object) => ({ kind, id, did, ...facts }) as unknown as Act;
  const endings = Object.entries(ends).map(([did, { facts, ended }]) => ({ act: act(did, facts), ended }));
  return { table, row, id, endings, opening: Object.entries(opens).map(([did, facts]) => act(did, facts)) };
}

/** Of what authenticates: its dropped keys and secrets stay dropped. */
const OPENS_WITHOUT_SECRETS = ['registered', 'enabled'];

/** All other acts of the kind. Their facts do not matter. */
function changesOf(kind: EndingKind): Act[] {
  const { id, endings, opening } = exampleOf(kind);
  const known = [...endings.map(({ act }) => act), ...opening].map(({ did }) => did as string);
  const others = Object.keys(KINDS[kind]).filter((did) => !known.includes(did) && !OPENS_WITHOUT_SECRETS.includes(did));
  return others.map((did) => ({ kind, id, did, key: 'another' }) as unknown as Act);
}

function lost(acts: readonly Act[]): LostAct[] {
  return acts.map((act, n) => ({ ...acted(act, { at: NOW, by: OPERATOR }), sequence: n + 1 }));
}

async function storeWith(t: TestContext, kind: EndingKind, difference: object = {}) {
  const admin = await administration(t);
  const { table, row } = exampleOf(kind);
  await put(admin.store, table, { ...row, ...difference });
  return admin;
}

const rowIn = async (store: Store, kind: EndingKind) => {
  const { table, id } = exampleOf(kind);
  return (await store.load(table, id)).found?.row;
};

function without(row: object): object {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));
}

async function didsOf(endings: Promise<readonly LostEnding[]>): Promise<string[]> {
  return (await endings).map((each) => ('did' in each ? each.did : each.kind));
}

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
      { kind: 'resource-server', id: 'orders-api', did: 'secret-dropped', ended: [secretMark(OLDER)] },
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
    for (const [first, then, secrets] of [['disabled', 'enabled', 2] as const, ['removed', 'registered', 0] as const]) {
      const at = await storeWith(t, 'integration');
      const acts = ['key-removed', first, then].map((did) => ({ kind: 'integration', id: CLIENT, did, ended: ['k1'] }));
      await endAgain(await endingsFromActs(lost(acts as unknown as Act[]), at), at);
      const row = (await rowIn(at.store, 'integration')) as unknown as Integration;
      assert.deepEqual([row.enabled, row.keys, row.secrets?.length], [true, undefined, secrets]);
    }
  });
});

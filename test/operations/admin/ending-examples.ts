// An example of every act that ends something, and stores with one. Independent of the tables in src/core.
import { hash } from 'node:crypto';
import type { TestContext } from 'node:test';
import { type Act, type EndingKind, type FactsOf, KINDS } from '../../../src/core/act.ts';
import { acted } from '../../../src/core/event.ts';
import type { RowOf } from '../../../src/core/rules/endings.ts';
import type { LostAct } from '../../../src/core/store-history.ts';
import type { LostEnding } from '../../../src/operations/admin/lost-endings.ts';
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
import { ADA, anIdentity, anIntegration, aPasskey, aResourceServer, hexOf, NOW, OPERATOR } from '../../samples.ts';
import { administration } from './admin-samples.ts';

const { certificate } = makeAuthority({ name: 'Root' });
export const OLDER = { hash: hexOf(32, 1), createdAt: NOW, endsAt: NOW };
export const NEWER = { hash: hexOf(32, 2), createdAt: NOW, endsAt: NOW };

const KEYS = { from: 'file', set: '{"keys":[{"kid":"k1"}]}' } as const;
interface Example<K extends EndingKind> {
  readonly table: Table<RowOf[K]>;
  readonly row: RowOf[K];
  /** Each act that ends it, and what is different then. */
  readonly ends: { readonly [D in keyof FactsOf[K]]?: { readonly facts: FactsOf[K][D]; readonly ended: object } };
  /** Acts after which it works as before. */
  readonly opens: { readonly [D in keyof FactsOf[K]]?: FactsOf[K][D] };
}

export const EXAMPLES: { readonly [K in EndingKind]: Example<K> } = {
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
    row: anIntegration({ confidential: true, keys: KEYS, secrets: [OLDER, NEWER] }),
    ends: {
      'key-removed': { facts: { ended: ['k1'] }, ended: { keys: undefined } },
      'secret-dropped': { facts: { ended: [OLDER.hash.slice(0, 16)] }, ended: { secrets: [NEWER] } },
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
      'secrets-replaced': {
        facts: { ended: [OLDER.hash.slice(0, 16), NEWER.hash.slice(0, 16)] },
        ended: { secrets: [] },
      },
      'secret-dropped': { facts: { ended: [OLDER.hash.slice(0, 16)] }, ended: { secrets: [NEWER] } },
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
export const NAMES: { readonly [K in LostEnding['kind']]: readonly [one: string, many: string] } = {
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

export const KIND_NAMES = Object.keys(EXAMPLES) as EndingKind[];

export function exampleOf(kind: EndingKind) {
  const { table, row, ends, opens } = EXAMPLES[kind] as unknown as Example<'identity'>;
  const id = table.keyOf(row);
  const act = (did: string, facts: object) => ({ kind, id, did, ...facts }) as unknown as Act;
  const endings = Object.entries(ends).map(([did, { facts, ended }]) => ({ act: act(did, facts), ended }));
  return { table, row, id, endings, opening: Object.entries(opens).map(([did, facts]) => act(did, facts)) };
}

/** Of what authenticates: its dropped keys and secrets stay dropped. */
const OPENS_WITHOUT_SECRETS = ['registered', 'enabled'];

/** All other acts of the kind. Their facts do not matter. */
export function changesOf(kind: EndingKind): Act[] {
  const { id, endings, opening } = exampleOf(kind);
  const known = [...endings.map(({ act }) => act), ...opening].map(({ did }) => did as string);
  const others = Object.keys(KINDS[kind]).filter((did) => !known.includes(did) && !OPENS_WITHOUT_SECRETS.includes(did));
  return others.map((did) => ({ kind, id, did, key: 'another' }) as unknown as Act);
}

export function lost(acts: readonly Act[]): LostAct[] {
  return acts.map((act, n) => ({ ...acted(act, { at: NOW, by: OPERATOR }), sequence: n + 1 }));
}

export async function storeWith(t: TestContext, kind: EndingKind, difference: object = {}) {
  const admin = await administration(t);
  const { table, row } = exampleOf(kind);
  await put(admin.store, table, { ...row, ...difference });
  return admin;
}

export const rowIn = async (store: Store, kind: EndingKind) => {
  const { table, id } = exampleOf(kind);
  return (await store.load(table, id)).found?.row;
};

export function without(row: object): object {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== undefined));
}

export async function didsOf(endings: Promise<readonly LostEnding[]>): Promise<string[]> {
  return (await endings).map((each) => ('did' in each ? each.did : each.kind));
}

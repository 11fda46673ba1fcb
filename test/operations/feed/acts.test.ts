// What followers of the revocation feed hear of every act. This table is independent of the one in src/core/act.ts.
// Only in test:all: every kind of act
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { suite, type TestContext, test } from 'node:test';
import { type DeedOf, type FactsOf, KINDS, type Kind } from '../../../src/core/act.ts';
import { acted } from '../../../src/core/event.ts';
import type { FeedState } from '../../../src/core/feed.ts';
import type { Identity, IdentityId } from '../../../src/core/identity.ts';
import { seconds } from '../../../src/core/time.ts';
import { enableIntegration, removeIntegration } from '../../../src/operations/admin/acts/integration.ts';
import { acceptRollback } from '../../../src/operations/admin/after-restore.ts';
import { acceptClock } from '../../../src/operations/admin/check-clock.ts';
import {
  addIdentity,
  changeIdentity,
  enableIdentity,
  inviteToPasskey,
  removeIdentity,
  removePasskey,
  setPassword,
} from '../../../src/operations/admin/identities.ts';
import { addIntegrationKeys, removeIntegrationKey } from '../../../src/operations/admin/integration-keys.ts';
import { addToKeyring, mintWithKey, retireKey } from '../../../src/operations/admin/mac-keys.ts';
import {
  dropIntegrationSecrets,
  dropOldSecret,
  makeIntegrationSecret,
  makeResourceServerSecret,
} from '../../../src/operations/admin/secrets.ts';
import { addSigningKeyTo, retireSigningKey, signWithKey } from '../../../src/operations/admin/signing-keys.ts';
import { firstPage, itemsAfter } from '../../../src/operations/feed/read-feed.ts';
import { storeDerived } from '../../../src/operations/grant/seen-identity.ts';
import { acceptEndings, recordState } from '../../../src/operations/upkeep/walk-directories.ts';
import { takeBack } from '../../../src/store/move.ts';
import { attempts } from '../../../src/store/tables/attempts.ts';
import { passkeys } from '../../../src/store/tables/identities.ts';
import { HISTORY, storeHistory } from '../../../src/store/tables/store-history.ts';
import { firstKey, type StoredKey } from '../../../src/tokens/keyring.ts';
import { Secret } from '../../../src/tokens/secret.ts';
import {
  approveIssuer,
  changeIntegration,
  changeIssuer,
  changeResourceServer,
  changeTokenIssuer,
  registerIntegration,
  registerResourceServer,
  registerTokenIssuer,
  removeResourceServer,
  removeTokenIssuer,
  withdrawIssuer,
} from '../../administer.ts';
import { makeAuthority } from '../../authority.ts';
import { accepted } from '../../node.ts';
import { keySetOf, OUR_ISSUER, platformKey } from '../../platform.ts';
import { anIdentity, aPasskey } from '../../samples.ts';
import { administration } from '../admin/admin-samples.ts';

const CONFIRMED = { isConfirmed: true, everyNodeKnows: async () => undefined };
const DAY = seconds(86_400);
const PASSWORD = new Secret('correct horse battery staple');
const authority = makeAuthority({ name: 'Root' });
const platform = await platformKey();

/** Administration with a keyring, and one of each kind of thing. */
async function scene(t: TestContext) {
  const admin = { ...(await administration(t)), ourIssuer: OUR_ISSUER, issuer: OUR_ISSUER };
  let keys: readonly StoredKey[] = firstKey();
  const storeKeys = (next: readonly StoredKey[]) => {
    keys = next;
  };
  const ada = accepted(await addIdentity({ userName: 'ada' }, admin));
  accepted(await registerIntegration('till', { scope: 'sales:read' }, admin));
  return { ...admin, ada, keys: () => keys, storeKeys };
}

type Scene = Awaited<ReturnType<typeof scene>>;

function approve({ store, by }: Scene) {
  return approveIssuer(
    {
      label: 'corp',
      pem: authority.pem,
      identitySources: ['common-name'],
      identities: 'directory',
      profile: 'rfc5280',
      revocation: { crl: 'off', ocsp: 'off', crlFiles: [], endGrants: true },
    },
    { store, by },
  );
}

const RULES = [{ when: { '/repository': 'acme/app' }, identity: '{/sub}' }];

function addPlatform(at: Scene) {
  const named = { label: 'ci', issuer: 'https://ci.example' };
  return registerTokenIssuer(named, { rules: RULES, keys: { from: 'file', set: keySetOf(platform) } }, at);
}

function addKey(at: Scene) {
  return addIntegrationKeys('till', { file: keySetOf(platform) }, at);
}

function allowSecrets(at: Scene) {
  return changeIntegration('till', { flows: { secret: true } }, at);
}

function makeSecret(at: Scene) {
  return makeIntegrationSecret('till', DAY, at);
}

function register(at: Scene) {
  return registerResourceServer('orders-api', { audience: 'urn:orders', resources: ['orders'] }, at);
}

const draw = (at: Scene, replaces = false) => makeResourceServerSecret('orders-api', { replaces }, at);

async function addSigning(at: Scene): Promise<string> {
  return accepted(await addSigningKeyTo(at.keys(), 'ES256', at)).id;
}

const sign = (id: string, at: Scene) => signWithKey({ id, publishedFor: DAY, force: true }, at);

async function addSecondKey(at: Scene): Promise<void> {
  at.storeKeys(accepted(await addToKeyring(at.keys(), at)));
}

async function mintWithSecond(at: Scene): Promise<void> {
  at.storeKeys(accepted(await mintWithKey(at.keys(), { id: 2 }, at)));
}

/** As a later release would write it. */
function ofLaterRelease(columns: object, at: Scene): Promise<void> {
  return at.store.change(attempts, 'none', (_, now) => ({
    outcome: undefined,
    events: [
      { type: 'administered', at: now, ...columns, detail: { kind: 'policy', did: 'tightened', by: at.by } as never },
    ],
  }));
}

/** People register passkeys in a browser. */
function passkeyAct(deed: DeedOf<'passkey'>, { store, by, ada }: Scene): Promise<void> {
  const act = { ...deed, kind: 'passkey', id: ada.id } as const;
  return store.change(attempts, 'none', (_, at) => ({ outcome: undefined, events: [acted(act, { at, by })] }));
}

function addPasskey({ store, ada }: Scene): Promise<void> {
  const next = { identityId: ada.id, keys: [aPasskey()] };
  return store.change(passkeys, ada.id, () => ({ outcome: undefined, next }));
}

interface Told {
  /** What was done before. */
  readonly first?: (at: Scene) => Promise<unknown>;
  readonly act: (at: Scene) => Promise<unknown>;
  readonly hears: (at: Scene) => Hears;
}
type Hears = Readonly<Record<string, unknown>> | undefined;

const nothing = (): Hears => undefined;
const adaIs =
  (allowed: boolean) =>
  ({ ada }: Scene) => ({
    about: 'identity',
    identity: hash('sha256', ada.id),
    isAllowed: allowed,
  });
const tillIs = (integration: object) => () => ({
  about: 'integration',
  integration: { clientId: 'till', ...integration },
});
const ordersChanged = () => ({ about: 'resource-server', id: 'orders-api' });

const TOLD: { readonly [K in Kind]: { readonly [D in keyof FactsOf[K]]: Told } } = {
  identity: {
    // No token can be of an identity that is new.
    added: { act: (at) => addIdentity({ userName: 'bob' }, at), hears: nothing },
    derived: {
      act: (at) => storeDerived(anIdentity({ id: 'CORP:carl' as IdentityId }), 'common-name', at),
      hears: nothing,
    },
    changed: { act: ({ ada, ...at }) => changeIdentity(ada.id, { mayUseApi: false }, at), hears: adaIs(false) },
    'password-set': { act: ({ ada, ...at }) => setPassword(ada.id, PASSWORD, at), hears: nothing },
    enabled: {
      first: ({ ada, ...at }) => enableIdentity(ada.id, false, at),
      act: ({ ada, ...at }) => enableIdentity(ada.id, true, at),
      hears: adaIs(true),
    },
    disabled: { act: ({ ada, ...at }) => enableIdentity(ada.id, false, at), hears: adaIs(false) },
    removed: { act: ({ ada, ...at }) => removeIdentity(ada.id, CONFIRMED, at), hears: adaIs(false) },
  },
  passkey: {
    added: { act: (at) => passkeyAct({ did: 'added', key: 'aa', name: 'phone' }, at), hears: nothing },
    copied: { act: (at) => passkeyAct({ did: 'copied', key: 'aa', name: 'phone' }, at), hears: nothing },
    invited: { act: ({ ada, ...at }) => inviteToPasskey(ada.id, at), hears: nothing },
    removed: { first: addPasskey, act: ({ ada, ...at }) => removePasskey(ada.id, { all: true }, at), hears: nothing },
  },
  integration: {
    registered: {
      act: (at) => registerIntegration('kiosk', { scope: 'sales:read' }, at),
      hears: () => ({ about: 'integration', integration: { clientId: 'kiosk', enabled: true } }),
    },
    changed: { act: (at) => changeIntegration('till', { name: 'Till' }, at), hears: tillIs({ name: 'Till' }) },
    // Issued tokens stay.
    'key-added': { act: addKey, hears: nothing },
    'key-removed': { first: addKey, act: (at) => removeIntegrationKey('till', 'k1', at), hears: nothing },
    'secret-made': { first: allowSecrets, act: makeSecret, hears: nothing },
    'secret-dropped': {
      first: async (at) => {
        await allowSecrets(at);
        return makeSecret(at);
      },
      act: (at) => dropIntegrationSecrets('till', { all: true }, at),
      hears: nothing,
    },
    enabled: {
      first: (at) => enableIntegration('till', false, at),
      act: (at) => enableIntegration('till', true, at),
      hears: tillIs({ enabled: true }),
    },
    disabled: { act: (at) => enableIntegration('till', false, at), hears: tillIs({ enabled: false }) },
    removed: {
      act: (at) => removeIntegration('till', CONFIRMED, at),
      hears: tillIs({ enabled: false, removed: true }),
    },
  },
  // Grants stay when an authority or a platform ends.
  issuer: {
    approved: { act: approve, hears: nothing },
    changed: {
      first: approve,
      act: (at) => changeIssuer('corp', { profile: 'strict', revocation: {} }, at),
      hears: nothing,
    },
    withdrawn: { first: approve, act: (at) => withdrawIssuer('corp', at), hears: nothing },
  },
  'token-issuer': {
    added: { act: addPlatform, hears: nothing },
    changed: {
      first: addPlatform,
      act: (at) => changeTokenIssuer('ci', { maxAssertionLifetime: seconds(60) }, at),
      hears: nothing,
    },
    removed: { first: addPlatform, act: (at) => removeTokenIssuer('ci', at), hears: nothing },
  },
  // A stream of this resource server ends if what it may know or how it proves itself has changed.
  'resource-server': {
    registered: { act: register, hears: ordersChanged },
    changed: {
      first: register,
      act: (at) => changeResourceServer('orders-api', { name: 'Orders' }, at),
      hears: ordersChanged,
    },
    disabled: {
      first: register,
      act: (at) => changeResourceServer('orders-api', { enabled: false }, at),
      hears: ordersChanged,
    },
    enabled: {
      first: async (at) => [await register(at), await changeResourceServer('orders-api', { enabled: false }, at)],
      act: (at) => changeResourceServer('orders-api', { enabled: true }, at),
      hears: ordersChanged,
    },
    'secret-made': { first: register, act: (at) => draw(at), hears: ordersChanged },
    'secrets-replaced': { first: register, act: (at) => draw(at, true), hears: ordersChanged },
    'secret-dropped': {
      first: async (at) => [await register(at), await draw(at), await draw(at)],
      act: (at) => dropOldSecret('orders-api', at),
      hears: ordersChanged,
    },
    removed: { first: register, act: (at) => removeResourceServer('orders-api', CONFIRMED, at), hears: ordersChanged },
  },
  // Verifiers find new keys by themselves.
  'signing-key': {
    added: { act: addSigning, hears: nothing },
    signs: { first: addSigning, act: async (at) => sign(await addSigning(at), at), hears: nothing },
    removed: {
      act: async (at) => {
        const id = await addSigning(at);
        await sign(await addSigning(at), at);
        accepted(await retireSigningKey(at.keys(), { id, atOnce: true }, at));
      },
      hears: () => ({ about: 'keys' }),
    },
  },
  key: {
    added: { act: addSecondKey, hears: nothing },
    minting: { first: addSecondKey, act: mintWithSecond, hears: nothing },
    retired: {
      first: async (at) => [await addSecondKey(at), await mintWithSecond(at)],
      act: (at) => retireKey(at.keys(), { id: 1, accessTokenLifetime: DAY, atOnce: true }, at),
      hears: nothing,
    },
  },
  directory: {
    away: { act: (at) => recordState({ did: 'away', why: 'no answer' }, 'corp', at), hears: nothing },
    alarm: { act: (at) => recordState({ did: 'alarm', living: 20, ended: 15 }, 'corp', at), hears: nothing },
    'endings-accepted': {
      act: ({ store, by }) => acceptEndings({ label: 'corp' } as never, { store, by, directories: {} as never }),
      hears: nothing,
    },
  },
  store: {
    'rollback-accepted': {
      first: ({ store }) =>
        store.change(storeHistory, HISTORY, (_, noticedAt) => ({
          outcome: undefined,
          next: { epoch: 1, rollback: { noticedAt, seen: 9, found: 5, lost: [], unlisted: 0 } },
        })),
      act: acceptRollback,
      hears: nothing,
    },
    'clock-accepted': { act: acceptClock, hears: nothing },
    'taken-back': {
      first: ({ store }) =>
        store.change(attempts, 'this store was moved away', (_, now) => ({
          outcome: undefined,
          next: { about: 'this store was moved away', count: 1, endsAt: (now + 9) as typeof now },
        })),
      act: ({ store, by }) =>
        takeBack(store, (at) => ({
          type: 'administered',
          at,
          detail: { kind: 'store', id: '', did: 'taken-back', by },
        })),
      hears: nothing,
    },
  },
  unknown: { done: { act: (at) => ofLaterRelease({ identityId: at.ada.id }, at), hears: adaIs(true) } },
};

/** What a follower hears of the last act. */
async function heard(at: Scene, act: (at: Scene) => Promise<unknown>) {
  const [before] = await at.store.newestEvents({ count: 1 });
  await act(at);
  const items = await itemsAfter({ epoch: 1, sequence: before?.sequence ?? 0 }, 100, at.store);
  const events = await at.store.events({ after: before?.sequence ?? 0, limit: 100, acts: true });
  const done = events.flatMap(({ type, detail }) => (type === 'administered' ? [`${detail.kind} ${detail.did}`] : []));
  return { done, states: items.map(({ state }) => state) };
}

for (const kind of Object.keys(KINDS) as Kind[])
  suite(kind, () => {
    for (const did of Object.keys(KINDS[kind])) {
      const { first, act, hears } = (TOLD[kind] as Readonly<Record<string, Told>>)[did] as Told;
      test(`${did}: ${hears === nothing ? 'a follower hears nothing' : 'a follower hears what is so now'}`, async (t) => {
        const at = await scene(t);
        await first?.(at);
        const { done, states } = await heard(at, act);
        assert.equal(done.at(-1), `${kind} ${did}`);
        const expected = hears(at);
        if (!expected)
          return assert.deepEqual(
            states.filter((state) => state !== undefined),
            [],
          );
        assert.partialDeepStrictEqual(states.at(-1), expected);
        if (expected['about'] === 'resource-server') return; // never in a snapshot
        const { states: all } = await firstPage(at.store);
        const same = all.filter((state) => keyOf(state) === keyOf(expected as never));
        assert.ok(same.length > 0);
        for (const state of same) assert.partialDeepStrictEqual(state, expected);
      });
    }
  });

function keyOf(state: FeedState): string {
  if (state.about === 'identity') return state.identity;
  return state.about === 'integration' ? state.integration.clientId : state.about;
}

test('an act of a later release tells followers what is so now, of what it names', async (t) => {
  const at = await scene(t);
  const integration = await heard(at, () => ofLaterRelease({ clientId: 'till' }, at));
  assert.partialDeepStrictEqual(integration.states, [{ about: 'integration', integration: { clientId: 'till' } }]);
  assert.deepEqual((await heard(at, () => ofLaterRelease({}, at))).states, [undefined]);
});

test('a password that is set after an identity was disabled does not hide that from a new follower', async (t) => {
  const at = await scene(t);
  const { id }: Identity = at.ada;
  accepted(await enableIdentity(id, false, at));
  accepted(await setPassword(id, PASSWORD, at));
  const { states } = await firstPage(at.store);
  assert.partialDeepStrictEqual(
    states.filter((state) => state.about === 'identity'),
    [{ identity: hash('sha256', id), isAllowed: false }],
  );
});

// Every act, how it is done, and what followers of the feed are told about it. Independent of the table in src/core/act.ts.
import { hash } from 'node:crypto';
import type { FactsOf, Kind } from '../../../src/core/act.ts';
import type { IdentityId } from '../../../src/core/identity.ts';
import { seconds } from '../../../src/core/time.ts';
import { enableIntegration, removeIntegration } from '../../../src/operations/admin/acts/work/integration.ts';
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
import { removeIntegrationKey } from '../../../src/operations/admin/integration-keys.ts';
import { retireKey } from '../../../src/operations/admin/mac-keys.ts';
import { dropIntegrationSecrets, dropOldSecret } from '../../../src/operations/admin/secrets.ts';
import { retireSigningKey } from '../../../src/operations/admin/signing-keys.ts';
import { storeDerived } from '../../../src/operations/grant/seen-identity.ts';
import { acceptEndings, recordState } from '../../../src/operations/upkeep/walk-directories.ts';
import { takeBack } from '../../../src/store/move.ts';
import { attempts } from '../../../src/store/tables/attempts.ts';
import { HISTORY, storeHistory } from '../../../src/store/tables/store-history.ts';
import {
  changeIntegration,
  changeIssuer,
  changeResourceServer,
  changeTokenIssuer,
  registerIntegration,
  removeResourceServer,
  removeTokenIssuer,
  withdrawIssuer,
} from '../../administer.ts';
import { accepted } from '../../node.ts';
import { anIdentity } from '../../samples.ts';
import {
  addKey,
  addPasskey,
  addPlatform,
  addSecondKey,
  addSigning,
  allowSecrets,
  approve,
  CONFIRMED,
  DAY,
  draw,
  makeSecret,
  mintWithSecond,
  ofLaterRelease,
  PASSWORD,
  passkeyAct,
  register,
  type Scene,
  sign,
} from './scene.ts';

export interface Told {
  /** What was done before. */
  readonly first?: (at: Scene) => Promise<unknown>;
  readonly act: (at: Scene) => Promise<unknown>;
  readonly hears: (at: Scene) => Hears;
}
type Hears = Readonly<Record<string, unknown>> | undefined;

export const nothing = (): Hears => undefined;
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

export const TOLD: { readonly [K in Kind]: { readonly [D in keyof FactsOf[K]]: Told } } = {
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
      act: (at) =>
        retireKey(at.keys(), { id: 1, accessTokenLifetime: DAY, siblingWindow: seconds(0), atOnce: true }, at),
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

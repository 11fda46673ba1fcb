// A service with one of each kind of thing, and short names for what operators do to them.
import type { TestContext } from 'node:test';
import type { DeedOf } from '../../../src/core/act.ts';
import { acted } from '../../../src/core/event.ts';
import { seconds } from '../../../src/core/time.ts';
import { addIdentity } from '../../../src/operations/admin/add-identity.ts';
import { addIntegrationKeys } from '../../../src/operations/admin/integration-keys.ts';
import { makeIntegrationSecret } from '../../../src/operations/admin/integration-secret.ts';
import { addToKeyring, mintWithKey } from '../../../src/operations/admin/mac-keys.ts';
import { makeResourceServerSecret } from '../../../src/operations/admin/resource-server-secret.ts';
import { addSigningKeyTo, signWithKey } from '../../../src/operations/admin/signing-keys.ts';
import { attempts } from '../../../src/store/tables/attempts.ts';
import { passkeys } from '../../../src/store/tables/passkeys.ts';
import { firstKey, type StoredKey } from '../../../src/tokens/keyring.ts';
import { Secret } from '../../../src/tokens/secret.ts';
import {
  approveIssuer,
  changeIntegration,
  registerIntegration,
  registerResourceServer,
  registerTokenIssuer,
} from '../../administer.ts';
import { makeAuthority } from '../../authority.ts';
import { accepted } from '../../node.ts';
import { keySetOf, OUR_ISSUER, platformKey } from '../../platform.ts';
import { aPasskey } from '../../samples.ts';
import { administration } from '../admin/admin-samples.ts';

export const CONFIRMED = { isConfirmed: true, everyNodeKnows: async () => undefined };
export const DAY = seconds(86_400);
export const PASSWORD = new Secret('correct horse battery staple');
export const authority = makeAuthority({ name: 'Root' });
export const platform = await platformKey();

/** Administration with a keyring, and one of each kind of thing. */
export async function scene(t: TestContext) {
  const admin = { ...(await administration(t)), ourIssuer: OUR_ISSUER, issuer: OUR_ISSUER };
  let keys: readonly StoredKey[] = firstKey();
  const storeKeys = (next: readonly StoredKey[]) => {
    keys = next;
  };
  const ada = accepted(await addIdentity({ userName: 'ada' }, admin));
  accepted(await registerIntegration('till', { scope: 'sales:read' }, admin));
  return { ...admin, ada, keys: () => keys, storeKeys };
}

export type Scene = Awaited<ReturnType<typeof scene>>;

export function approve({ store, by }: Scene) {
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

export function addPlatform(at: Scene) {
  const named = { label: 'ci', issuer: 'https://ci.example' };
  return registerTokenIssuer(named, { rules: RULES, keys: { from: 'file', set: keySetOf(platform) } }, at);
}

export function addKey(at: Scene) {
  return addIntegrationKeys('till', { file: keySetOf(platform) }, at);
}

export function allowSecrets(at: Scene) {
  return changeIntegration('till', { flows: { secret: true } }, at);
}

export function makeSecret(at: Scene) {
  return makeIntegrationSecret('till', DAY, at);
}

export function register(at: Scene) {
  return registerResourceServer('orders-api', { audience: 'urn:orders', resources: ['orders'] }, at);
}

export const draw = (at: Scene, replaces = false) => makeResourceServerSecret('orders-api', { replaces }, at);

export async function addSigning(at: Scene): Promise<string> {
  return accepted(await addSigningKeyTo(at.keys(), 'ES256', at)).id;
}

export const sign = (id: string, at: Scene) => signWithKey({ id, publishedFor: DAY, force: true }, at);

export async function addSecondKey(at: Scene): Promise<void> {
  at.storeKeys(accepted(await addToKeyring(at.keys(), at)));
}

export async function mintWithSecond(at: Scene): Promise<void> {
  at.storeKeys(accepted(await mintWithKey(at.keys(), { id: 2 }, at)));
}

/** As a later release would write it. */
export function ofLaterRelease(columns: object, at: Scene): Promise<void> {
  return at.store.change(attempts, 'none', (_, now) => ({
    outcome: undefined,
    events: [
      { type: 'administered', at: now, ...columns, detail: { kind: 'policy', did: 'tightened', by: at.by } as never },
    ],
  }));
}

/** People register passkeys in a browser. */
export function passkeyAct(deed: DeedOf<'passkey'>, { store, by, ada }: Scene): Promise<void> {
  const act = { ...deed, kind: 'passkey', id: ada.id } as const;
  return store.change(attempts, 'none', (_, at) => ({ outcome: undefined, events: [acted(act, { at, by })] }));
}

export function addPasskey({ store, ada }: Scene): Promise<void> {
  const next = { identityId: ada.id, keys: [aPasskey()] };
  return store.change(passkeys, ada.id, () => ({ outcome: undefined, next }));
}

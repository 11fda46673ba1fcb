// Which resource server learns what, as test/permissions.md has it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { IdentityId } from '../../src/core/identity.ts';
import type { Audience, ResourceServerId } from '../../src/core/resource-server.ts';
import { seconds } from '../../src/core/time.ts';
import { enableIdentity } from '../../src/operations/admin/identities.ts';
import { dropOldSecret, makeIntegrationSecret, makeResourceServerSecret } from '../../src/operations/admin/secrets.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { changeIntegration, changeResourceServer, removeResourceServer } from '../administer.ts';
import { rowsBelow } from '../permission-table.ts';
import { ADA, anIdentity, anIntegration, aResourceServer, OPERATOR, scopeOf } from '../samples.ts';
import { bearer, type Caller, callerOver, reachOf } from './caller.ts';
import { FEED } from './feed-scene.ts';
import { INTROSPECT, IntrospectionScene, ORDERS, ORDERS_SECRET_HASH, STOCK } from './introspection-scene.ts';
import { basic, type Fields, postForm } from './oauth-steps.ts';
import { registryFollows } from './registry-follows.ts';
import { clientId, PUBLIC_URL } from './service.ts';
import { CLIENT, forged, pairByCertificate, refreshed, revoke } from './steps.ts';

const PROOFS = rowsBelow('### Whose proof is taken', ['Proof', 'Introspection', 'Revocation feed']);
const TOKENS = rowsBelow('### What it learns of a token', ['Token', 'Of orders-api', 'Of stock-api']);

const EVE = 'local:{0a1b2c3d-0000-4000-8000-00000000e7e0}' as IdentityId;
let scene: IntrospectionScene;
let mallory: Caller;
let eve: Caller;
const proofs: Record<string, { readonly headers?: Fields; readonly caller?: Caller }> = {};
const tokens: Record<string, string> = {};

const admin = () => ({ ...scene.service.ports, by: OPERATOR, issuer: PUBLIC_URL });
const bySecret = (id: string, secret: string) => ({ headers: basic(id, secret) });
const byToken = (token: string) => ({ headers: bearer(token).headers as Fields });

async function secretOf(id: string) {
  const made = await makeResourceServerSecret(id, { replaces: false }, admin());
  return bySecret(id, made.ok ? made.value.reveal() : assert.fail(made.refusal.reason));
}

async function makeServers(): Promise<void> {
  for (const id of ['rotating', 'disabled', 'removed', 'run', 'spoken-for']) {
    const difference = id === 'spoken-for' ? { identity: ADA } : {};
    const server = { id: id as ResourceServerId, audience: `urn:${id}` as Audience, resources: [id], ...difference };
    await scene.service.put(resourceServers, aResourceServer(server));
  }
}

async function makeSecrets(): Promise<void> {
  proofs['a dropped secret of it'] = await secretOf('rotating');
  await secretOf('rotating');
  await dropOldSecret('rotating', admin());
  proofs['a second secret of it'] = await secretOf('rotating');
  proofs['a secret of it'] = bySecret(ORDERS.id, ORDERS.secret);
  proofs['a forged secret'] = bySecret(ORDERS.id, `${ORDERS.secret}x`);
  proofs['the hash of its secret'] = bySecret(ORDERS.id, ORDERS_SECRET_HASH);
  proofs['a secret of another resource server'] = bySecret(ORDERS.id, STOCK.secret);
  await scene.service.register(anIntegration({ clientId: clientId('runs'), flows: { secret: true } as never }));
  await changeIntegration('runs', { resourceServer: 'run' }, admin());
  const made = await makeIntegrationSecret('runs', seconds(86_400), admin());
  proofs['a secret of the integration that it runs'] = bySecret('run', made.ok ? made.value.secret.reveal() : '');
  assert.ok(made.ok);
  proofs['a secret of it, which is disabled'] = await secretOf('disabled');
  assert.ok((await changeResourceServer('disabled', { enabled: false }, admin())).ok);
  proofs['a secret of it, which was removed'] = await secretOf('removed');
  assert.ok((await removeResourceServer('removed', { isConfirmed: true }, admin())).ok);
}

async function makeTokensOfServers(): Promise<void> {
  const { ada, service } = scene;
  const scope = scopeOf('introspection:use;stock:read');
  for (const accessTokenFormat of ['opaque', 'jwt'] as const)
    await service.register(
      anIntegration({ clientId: clientId(`speaks-${accessTokenFormat}`), accessTokenFormat, scope }),
    );
  const pair = (asked: string, caller = ada, by = 'speaks-opaque') => pairByCertificate(caller, by, asked);
  const own = await pair('introspection:use');
  proofs['an access token of its identity for the service'] = byToken(own.access_token);
  proofs['its refresh token'] = byToken(own.refresh_token);
  proofs['the same as a JWT'] = byToken((await pair('introspection:use', ada, 'speaks-jwt')).access_token);
  const revoked = await pair('introspection:use');
  await revoke(scene.stranger, revoked.access_token);
  proofs['the same, revoked'] = byToken(revoked.access_token);
  proofs['an access token of its identity for a server'] = byToken((await pair('stock:read')).access_token);
  const both = await pair('introspection:use;stock:read');
  proofs['an access token of its identity for both'] = byToken(both.access_token);
  const other = await pair('introspection:use', mallory);
  proofs['an access token of another identity for the service'] = byToken(other.access_token);
}

async function makeTokens(): Promise<void> {
  const { ada, service } = scene;
  const both = async (integration = CLIENT, caller = ada) =>
    (await pairByCertificate(caller, integration)).access_token;
  for (const id of ['short', 'off']) await service.register(anIntegration({ clientId: clientId(id) }));
  assert.ok((await changeIntegration('short', { overrides: { accessTokenLifetime: seconds(60) } }, admin())).ok);
  await registryFollows();
  tokens['an expired access token'] = await both('short');
  service.pass(60);
  const spent = await pairByCertificate(ada);
  await refreshed(scene.stranger, spent);
  tokens['the one before a refresh, which has not expired'] = spent.access_token;
  const pair = await pairByCertificate(ada);
  tokens['an access token for both'] = pair.access_token;
  tokens['the refresh token'] = pair.refresh_token;
  tokens['an altered access token'] = forged(pair.access_token);
  tokens['an access token for orders-api'] = (await pairByCertificate(ada, CLIENT, 'orders:read')).access_token;
  tokens['a revoked access token'] = await both();
  await revoke(scene.stranger, tokens['a revoked access token'] ?? '');
  tokens['an access token of an identity that is disabled'] = await both(CLIENT, eve);
  assert.ok((await enableIdentity(EVE, false, admin())).ok);
  tokens['an access token by an integration that is disabled'] = await both('off');
  assert.ok((await changeIntegration('off', { enabled: false }, admin())).ok);
  tokens['a secret of a resource server'] = ORDERS.secret;
}

before(async () => {
  scene = await IntrospectionScene.open({ signing: 'ES256' });
  const { service } = scene;
  const callerOf = (commonName: string) =>
    callerOver('HTTP/1.1', reachOf(service, service.authority.issue({ commonName })));
  [mallory, eve] = [callerOf('mallory'), callerOf('eve')];
  await service.put(identities, anIdentity({ id: EVE, userName: 'eve' }));
  proofs['none'] = {};
  proofs['a certificate of its identity'] = { caller: scene.ada };
  proofs['a certificate of another identity'] = { caller: mallory };
  await makeServers();
  await makeSecrets();
  await makeTokensOfServers();
  await makeTokens();
  await registryFollows();
});
after(async () => {
  mallory.close();
  eve.close();
  await scene.close();
});

for (const { Proof, Introspection, 'Revocation feed': feed } of PROOFS)
  test(`${Proof}: introspection ${Introspection}, revocation feed ${feed}`, async () => {
    const { headers = {}, caller = scene.stranger } = proofs[Proof] ?? assert.fail(Proof);
    const token = tokens['an access token for both'] ?? '';
    const said = ({ status }: { readonly status: number }) => (status === 200 ? 'served' : `${status}`);
    const [introspected, followed] = [
      await postForm(caller, INTROSPECT, { token }, headers),
      await caller.ask({ path: FEED, headers }),
    ];
    assert.deepEqual([said(introspected), said(followed)], [Introspection, feed]);
    if (headers['authorization']?.startsWith('Bearer') && feed === '401')
      for (const answer of [introspected, followed])
        assert.equal(answer.headers['www-authenticate'], 'Bearer realm="tessera", error="invalid_token"');
  });

for (const { Token, ...learned } of TOKENS)
  test(`${Token}: ${learned['Of orders-api']} for orders-api, ${learned['Of stock-api']} for stock-api`, async () => {
    for (const server of [ORDERS, STOCK]) {
      const { text, json } = await scene.introspect(tokens[Token] ?? assert.fail(Token), server);
      const expected = learned[`Of ${server.id}` as keyof typeof learned];
      assert.equal(json['active'] ? 'active' : 'inactive', expected, server.id);
      if (expected === 'inactive') assert.equal(text, '{"active":false}');
    }
  });

// Tokens of every kind where they do not belong, and whom a JWT is for.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { tokenIssuers } from '../../src/store/tables/token-issuers.ts';
import { given, prepare } from '../given.ts';
import { claimsIn } from '../jwt-node.ts';
import { aTokenIssuer, claimsOf, platformKey, platformServer } from '../platform.ts';
import { anIntegration, ORDERS_AUDIENCE } from '../samples.ts';
import { ORDERS, ordersServer } from './introspection-scene.ts';
import { assertRefused, basic, type Fields, postForm } from './oauth-steps.ts';
import { registryFollows } from './registry-follows.ts';
import { clientId, PUBLIC_URL, startService } from './service.ts';
import { ASSERTION_GRANT, CLIENT, verify } from './steps.ts';

const JWT = 'outsider-jwt';
const PROOF = basic(ORDERS.id, ORDERS.secret);

const service = given(() => startService({ signing: 'ES256' }));
const ada = given(() => service.caller(service.ada));
prepare(async () => {
  const flows = { device: true, certificate: true, assertion: true };
  await service.register(anIntegration({ clientId: clientId(JWT), accessTokenFormat: 'jwt', flows }));
  await service.put(resourceServers, ordersServer(service));
  await registryFollows();
});

test('[RFC 7009 2.1, RFC 7662 2.1] a wrong token_type_hint does not hide a token', async () => {
  const fields = { client_id: JWT, grant_type: 'client_credentials' };
  for (const client_id of [JWT, CLIENT]) {
    const token = String((await postForm(ada, '/oauth2/token', { ...fields, client_id })).json['access_token']);
    const hint = { token, token_type_hint: 'refresh_token' };
    const seen = await postForm(ada, '/oauth2/introspect', hint, PROOF);
    assert.equal(seen.json['active'], true);
    const answer = await postForm(ada, '/oauth2/revoke', { client_id, ...hint });
    assert.equal(answer.status, 200);
    assert.equal((await verify(ada, token)).status, 401);
  }
});

test('[RFC 9068 3] aud is what resource names; without resource it follows from the scope, and our issuer for the rest', async () => {
  const issued = async (fields: Fields) => {
    const all = { client_id: JWT, grant_type: 'client_credentials', ...fields };
    return claimsIn(String((await postForm(ada, '/oauth2/token', all)).json['access_token']))['aud'];
  };
  assert.equal(await issued({ resource: ORDERS_AUDIENCE }), ORDERS_AUDIENCE);
  assert.equal(await issued({ scope: 'orders:read' }), ORDERS_AUDIENCE);
  assert.equal(await issued({ scope: 'stock:read' }), PUBLIC_URL);
  assert.deepEqual(await issued({}), [ORDERS_AUDIENCE, PUBLIC_URL].sort());
});

test('[RFC 9068 2.2.3, 3] a JWT is never ambiguous: each part of its scope belongs to one of its audiences, and each audience to a part', async () => {
  const served: Record<string, readonly string[]> = { [ORDERS_AUDIENCE]: ['orders'], [PUBLIC_URL]: ['stock'] };
  for (const fields of [{}, { scope: 'orders:read' }, { scope: 'stock:read' }, { resource: ORDERS_AUDIENCE }]) {
    const all = { client_id: JWT, grant_type: 'client_credentials', ...fields };
    const { scope, aud } = claimsIn(String((await postForm(ada, '/oauth2/token', all)).json['access_token']));
    const resources = new Set(
      String(scope)
        .split(' ')
        .map((item) => item.split(':')[0]),
    );
    const named = [aud].flat().flatMap((audience) => served[String(audience)] ?? []);
    assert.deepEqual(resources, new Set(named), JSON.stringify(fields));
  }
  const outside = { client_id: JWT, grant_type: 'client_credentials', scope: 'stock:read', resource: ORDERS_AUDIENCE };
  assertRefused(await postForm(ada, '/oauth2/token', outside), 400, 'invalid_target');
});

suite('key confusion', () => {
  test('[RFC 9068 5] an access token is not accepted as an assertion, nor an assertion as an access token', async () => {
    const key = await platformKey();
    using platform = await platformServer([key]);
    const keys = { from: 'discovery', allowedAddresses: ['127.0.0.1'] } as const;
    await service.put(tokenIssuers, aTokenIssuer({ issuer: platform.url, keys }));
    await registryFollows();
    const fields = { client_id: JWT, grant_type: 'client_credentials' };
    const own = String((await postForm(ada, '/oauth2/token', fields)).json['access_token']);
    const asserted = (assertion: string) =>
      postForm(ada, '/oauth2/token', { client_id: JWT, grant_type: ASSERTION_GRANT, assertion });
    assertRefused(await asserted(own), 400, 'invalid_grant');
    const now = Math.floor(Date.now() / 1000);
    const good = { ...claimsOf({}, now), iss: platform.url, aud: PUBLIC_URL };
    const typed = await key.sign(good, { typ: 'at+jwt' });
    assertRefused(await asserted(typed), 400, 'invalid_grant');
    const assertion = await key.sign(good);
    assert.equal((await asserted(assertion)).status, 200, 'the same claims as an assertion');
    // The claims of our own token, signed by the platform, under our kid and under its own.
    const [head = ''] = own.split('.');
    const ours = JSON.parse(Buffer.from(head, 'base64url').toString()) as Record<string, unknown>;
    for (const forged of [assertion, typed, await key.sign(claimsIn(own), ours), await key.sign(claimsIn(own))]) {
      assert.equal((await verify(ada, forged)).status, 401);
      const asked = await postForm(ada, '/oauth2/introspect', { token: forged }, PROOF);
      assert.equal(asked.text, '{"active":false}');
      assert.equal((await postForm(ada, '/oauth2/revoke', { client_id: JWT, token: forged })).status, 200);
    }
    assert.equal((await verify(ada, own)).status, 200, 'and the real one still works');
  });
});

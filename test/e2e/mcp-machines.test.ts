// Machines that call an MCP server: the providers for client_credentials and for enterprises of the official packages, unmodified. These are the
// client-credentials and cross-app-access scenarios of MCP, against this service.
// Only in test:all: libraries of others
import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { suite, test } from 'node:test';
import { SignJWT } from 'jose';
import type { ClientId } from '../../src/core/integration.ts';
import { epochSeconds } from '../../src/core/time.ts';
import { tokenIssuers } from '../../src/store/tables/token-issuers.ts';
import { systemClock, systemRandom } from '../../src/system.ts';
import { drawResourceServerSecret } from '../../src/tokens/resource-server-secret.ts';
import { AGENT } from '../doors/pages/asking-program.ts';
import { ADA } from '../doors/pages/running-service.ts';
import { given, prepare } from '../given.ts';
import { aTokenIssuer, claimsOf, keySetOf, platformKey } from '../platform.ts';
import { anIntegration } from '../samples.ts';
import type { MachineOrder } from './mcp-machine-client.ts';
import { example, McpScene } from './mcp-scene.ts';
import { registryFollows } from './registry-follows.ts';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const { secret, hash } = drawResourceServerSecret(systemRandom);
const now = systemClock.now();
const ROBOT = anIntegration({
  clientId: 'robot' as ClientId,
  flows: { device: false, certificate: false, secret: true, assertion: true },
  keys: { from: 'file', set: JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] }) },
  secrets: [{ hash, createdAt: now, endsAt: epochSeconds(now + 3600) }],
});
const itself = `integration:${createHash('sha256').update(`integration\0${ROBOT.clientId}`).digest('hex').slice(0, 32)}`;
const idp = await platformKey('idp');
const ENTERPRISE = 'https://idp.example';

const scene = given(() => McpScene.open({ integrations: [AGENT, ROBOT] }));
prepare(async () => {
  const row = aTokenIssuer({
    label: 'idp',
    issuer: ENTERPRISE,
    kind: 'enterprise',
    keys: { from: 'file', set: keySetOf(idp) },
    rules: [
      {
        conditions: [{ claim: '/tenant', test: { is: 'acme' } }],
        identity: '{/preferred_username}',
        identities: 'user-name',
      },
    ],
  });
  await scene.service.store.change(tokenIssuers, row.label, () => ({ outcome: undefined, next: row }));
  await registryFollows();
  await scene.serve(example('server.mjs'));
});

async function calledBy(order: Omit<MachineOrder, 'url'>): Promise<string | undefined> {
  const lines = await scene.converse(new URL('mcp-machine-client.ts', import.meta.url), { url: scene.url, ...order });
  return lines.at(-1)?.called;
}

for (const sdk of [2, 1] as const) {
  suite(`the official package ${sdk}.x calls a tool`, () => {
    const own = () => ({ clientId: 'robot', scope: 'orders:read', expectedIssuer: scene.service.url });

    test('PrivateKeyJwtProvider: client_credentials with its own key [RFC 7523 2.2]', async () => {
      const options = { ...own(), privateKey: pem, algorithm: 'ES256' };
      assert.equal(await calledBy({ sdk, provider: 'PrivateKeyJwtProvider', options }), itself);
    });

    test('ClientCredentialsProvider: client_credentials with a generated secret [RFC 6749 2.3.1]', async () => {
      const options = { ...own(), clientSecret: secret.reveal() };
      assert.equal(await calledBy({ sdk, provider: 'ClientCredentialsProvider', options }), itself);
    });

    test('StaticPrivateKeyJwtProvider: an assertion that was signed elsewhere', async () => {
      const claims = claimsOf({ iss: 'robot', sub: 'robot', aud: scene.service.url }, systemClock.now());
      const jwtBearerAssertion = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
      const options = { ...own(), jwtBearerAssertion };
      assert.equal(await calledBy({ sdk, provider: 'StaticPrivateKeyJwtProvider', options }), itself);
    });
  });
}

test('CrossAppAccessProvider: an assertion of an enterprise, for a person [ID-JAG 5]', async () => {
  const { url: aud } = scene.service;
  const asserted = { iss: ENTERPRISE, sub: 'u-1', aud, tenant: 'acme', preferred_username: 'ada', client_id: 'robot' };
  const claims = claimsOf({ ...asserted, resource: scene.url, scope: 'orders:read' }, systemClock.now());
  const assertion = await idp.sign(claims, { typ: 'oauth-id-jag+jwt' });
  const options = { clientId: 'robot', clientSecret: secret.reveal(), expectedIssuer: aud };
  assert.equal(await calledBy({ sdk: 2, provider: 'CrossAppAccessProvider', options, assertion }), ADA.id);
});

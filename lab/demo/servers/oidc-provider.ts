// oidc-provider with rotation, on SQLite, so that a restart loses nothing. Its grants are made by its own models.
//   oidc-provider.ts FILE GRACE GRANTS [ES256|RS256]     sends its port and the refresh tokens of GRANTS new grants to its parent
// Access tokens are opaque, or JWTs signed so.
import { generateKeyPairSync } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { sqliteAdapter } from './sqlite-adapter.ts';

process.once('disconnect', () => process.exit());
const [file = '', grace, grants, alg = 'opaque'] = process.argv.slice(2);
const isJwt = alg !== 'opaque';
const CLIENT_ID = 'bench';
const ACCOUNT_ID = 'ada';
const RESOURCE = 'https://orders.example.com';
const keys = [
  { ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }), alg: 'ES256' },
  { ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }), alg: 'RS256' },
];
const jwtsForApi = {
  enabled: isJwt,
  defaultResource: () => RESOURCE,
  useGrantedResource: () => true,
  getResourceServerInfo: () => ({ scope: 'orders', accessTokenFormat: 'jwt', jwt: { sign: { alg } } }),
};

const provider = new Provider('http://localhost', {
  adapter: sqliteAdapter(file, Number(grace)),
  clients: [
    {
      client_id: CLIENT_ID,
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: ['https://client.example/cb'],
    },
    {
      client_id: 'bench-api',
      client_secret: 'bench-secret-of-an-api',
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: [],
      response_types: [],
      redirect_uris: [],
    },
  ],
  jwks: { keys },
  scopes: ['openid', 'offline_access', 'orders'],
  findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
  rotateRefreshToken: true,
  features: {
    devInteractions: { enabled: false },
    introspection: { enabled: true, allowedPolicy: () => true },
    revocation: { enabled: true },
    resourceIndicators: jwtsForApi,
  },
  ttl: { AccessToken: 3600, RefreshToken: 86_400, Grant: 86_400, IdToken: 3600 },
});

const client = await provider.Client.find(CLIENT_ID);
const tokens: string[] = [];
for (let made = 0; made < Number(grants); made++) tokens.push(await newRefreshToken());
const server: Server = provider.listen(0, '127.0.0.1', () =>
  process.send?.({ port: (server.address() as AddressInfo).port, tokens }),
);

async function newRefreshToken(): Promise<string> {
  const grant = new provider.Grant({ accountId: ACCOUNT_ID, clientId: CLIENT_ID });
  grant.addOIDCScope('openid offline_access orders');
  grant.addResourceScope(RESOURCE, 'orders');
  const token = new provider.RefreshToken({
    accountId: ACCOUNT_ID,
    client,
    grantId: await grant.save(),
    scope: 'offline_access orders',
    ...(isJwt && { resource: RESOURCE }),
    gty: 'authorization_code',
    rotations: 0,
    iiat: Math.floor(Date.now() / 1000),
  });
  return token.save();
}

// oidc-provider with rotation, on SQLite, so that a restart loses nothing. Its grants are made by its own models.
//   oidc-provider.ts FILE GRACE GRANTS     sends its port and the refresh tokens of GRANTS new grants to its parent
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import { sqliteAdapter } from './sqlite-adapter.ts';

process.once('disconnect', () => process.exit());
const [file = '', grace, grants] = process.argv.slice(2);
const CLIENT_ID = 'bench';
const ACCOUNT_ID = 'ada';

const provider = new Provider('http://localhost', {
  adapter: sqliteAdapter(file, Number(grace)),
  clients: [
    {
      client_id: CLIENT_ID,
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: ['https://client.example/cb'],
    },
  ],
  scopes: ['openid', 'offline_access', 'orders'],
  findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
  rotateRefreshToken: true,
  features: { devInteractions: { enabled: false }, introspection: { enabled: true }, revocation: { enabled: true } },
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
  const token = new provider.RefreshToken({
    accountId: ACCOUNT_ID,
    client,
    grantId: await grant.save(),
    scope: 'offline_access orders',
    gty: 'authorization_code',
    rotations: 0,
    iiat: Math.floor(Date.now() / 1000),
  });
  return token.save();
}

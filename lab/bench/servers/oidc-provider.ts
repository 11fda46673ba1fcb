// oidc-provider with everything in memory: a peer that keeps nothing on disk. Grants are made by its own models.
//   oidc-provider.ts PORT CHAINS     sends CHAINS refresh tokens to its parent process
import { Provider } from 'oidc-provider';

const [port, chains] = process.argv.slice(2);
const CLIENT_ID = 'bench';
const ACCOUNT_ID = 'ada';
const SCOPE = 'openid offline_access orders';

/** A Map per model. Its built-in adapter keeps only the last 1,000 entries, so it would lose live grants. */
class MapAdapter {
  readonly #entries = new Map<string, { consumed?: number }>();

  async upsert(id: string, payload: object): Promise<void> {
    this.#entries.set(id, payload);
  }

  async find(id: string): Promise<object | undefined> {
    return this.#entries.get(id);
  }

  async consume(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry) entry.consumed = Math.floor(Date.now() / 1000);
  }

  async destroy(id: string): Promise<void> {
    this.#entries.delete(id);
  }

  async revokeByGrantId(): Promise<void> {
    throw new Error('no walk of the bench reuses a token');
  }
}

const provider = new Provider(`http://localhost:${port}`, {
  adapter: MapAdapter,
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
  features: { devInteractions: { enabled: false } },
  ttl: { AccessToken: 3600, RefreshToken: 86_400, Grant: 86_400, IdToken: 3600 },
});

const client = await provider.Client.find(CLIENT_ID);
const tokens: string[] = [];
for (let chain = 0; chain < Number(chains); chain++) tokens.push(await newRefreshToken());
provider.listen(Number(port), '127.0.0.1', () => process.send?.(tokens));

async function newRefreshToken(): Promise<string> {
  const grant = new provider.Grant({ accountId: ACCOUNT_ID, clientId: CLIENT_ID });
  grant.addOIDCScope(SCOPE);
  const grantId = await grant.save();
  const token = new provider.RefreshToken({
    accountId: ACCOUNT_ID,
    client,
    grantId,
    scope: 'offline_access orders',
    gty: 'authorization_code',
    rotations: 0,
    iiat: Math.floor(Date.now() / 1000),
  });
  return token.save();
}

// The servers of the demonstration: each in its own process, with a durable store, so that it can be killed and restarted.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../src/config/load.ts';
import { writeCertificates } from '../bench/certificates.ts';
import { RATES } from '../bench/contestants/tessera.ts';
import { fill } from '../bench/fill.ts';
import { ChildServer } from './child-server.ts';

export interface Contestant {
  readonly name: string;
  /** Another one after every restart, and 0 while it is down. */
  readonly port: number;
  /** One refresh token per client. */
  readonly tokens: readonly string[];
  readonly paths: { readonly token: string; readonly revoke: string };
  /** Whether this access token works, asked without the proxy. */
  works(accessToken: string): Promise<boolean>;
  /** Kills the process (SIGKILL) and starts it again; resolves when it answers. */
  restart(): Promise<void>;
  stop(): Promise<void>;
  /** Rejects if the process ends by itself. */
  readonly failed: Promise<never>;
}

export type StartContestant = (folder: string, clients: number) => Promise<Contestant>;

export const CLIENT_ID = 'bench';
const TESSERA = fileURLToPath(new URL('../bench/servers/tessera.ts', import.meta.url));
const OIDC_PROVIDER = fileURLToPath(new URL('servers/oidc-provider.ts', import.meta.url));

export const CONTESTANTS: readonly StartContestant[] = [
  startTessera,
  (folder, clients) => startOidcProvider('oidc-provider, rotation', folder, clients, 0),
  (folder, clients) => startOidcProvider('the same, 60 s grace', folder, clients, 60),
];

export async function startTessera(folder: string, clients: number): Promise<Contestant> {
  const sets = [
    `dataFolder=${folder}`,
    `listeners=${JSON.stringify([{ host: '127.0.0.1', port: 0 }])}`,
    'log.level=warn',
    ...RATES.flatMap((limit) => [`limits.${limit}.perMinute=1000000`, `limits.${limit}.burst=1000000`]),
  ];
  const { authority } = writeCertificates(folder);
  const { pairs } = await fill(loadConfig({ env: {}, sets }), authority, { known: clients });
  const name = 'Tessera';
  const server = new ChildServer(name);
  const begin = () => server.start(TESSERA, ['1', ...sets]);
  await begin();
  return contestant(name, server, begin, {
    tokens: pairs.map(({ refreshToken }) => refreshToken),
    paths: { token: '/oauth2/token', revoke: '/oauth2/revoke' },
    works: async (accessToken) => {
      const headers = { authorization: `Bearer ${accessToken}` };
      const answer = await fetch(`http://127.0.0.1:${server.port}/authsvc/Authorize/Verify`, { headers });
      return answer.status === 200;
    },
  });
}

async function startOidcProvider(name: string, folder: string, clients: number, grace: number): Promise<Contestant> {
  const server = new ChildServer(name);
  const begin = (grants: number) =>
    server.start(OIDC_PROVIDER, [join(folder, 'oidc-provider.db'), grace, grants].map(String));
  const { tokens = [] } = await begin(clients);
  return contestant(name, server, () => begin(0), {
    tokens,
    paths: { token: '/token', revoke: '/token/revocation' },
    works: async (accessToken) => {
      const body = new URLSearchParams({ client_id: CLIENT_ID, token: accessToken });
      const answer = await fetch(`http://127.0.0.1:${server.port}/token/introspection`, { method: 'POST', body });
      return ((await answer.json()) as { active?: boolean }).active === true;
    },
  });
}

function contestant(
  name: string,
  server: ChildServer,
  begin: () => Promise<unknown>,
  own: Pick<Contestant, 'tokens' | 'paths' | 'works'>,
): Contestant {
  return {
    ...own,
    name,
    get port() {
      return server.port;
    },
    failed: server.failed,
    restart: async () => {
      await server.kill();
      await begin();
    },
    stop: () => server.stop(),
  };
}

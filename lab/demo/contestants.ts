// The servers of the demonstration: each in its own process, with a durable store, so that it can be killed and restarted.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../src/config/load.ts';
import { writeCertificates } from '../bench/certificates.ts';
import { fill } from '../bench/fill.ts';
import { freePorts, readyAfter } from '../bench/ready.ts';
import type { TesseraArguments } from '../bench/servers/tessera.ts';

export interface Contestant {
  readonly name: string;
  readonly port: number;
  /** One refresh token per client. */
  readonly tokens: readonly string[];
  readonly paths: { readonly token: string; readonly revoke: string };
  /** Whether this access token works, asked without the proxy. */
  works(accessToken: string): Promise<boolean>;
  /** Kills the process (SIGKILL) and starts it again; resolves when it answers. */
  restart(): Promise<void>;
  stop(): Promise<void>;
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
  const [port = 0] = await freePorts(1);
  const limits = ['requestsPerAddress', 'checksPerAddress', 'requestsPerIntegration'];
  const sets = [
    `dataFolder=${folder}`,
    `listeners=${JSON.stringify([{ host: '127.0.0.1', port }])}`,
    ...limits.flatMap((limit) => [`limits.${limit}.perMinute=1000000`, `limits.${limit}.burst=1000000`]),
  ];
  const nothing = { known: 0, spread: 0, others: 0, ended: 0, deviceCodes: 0 };
  const { authority } = writeCertificates(folder);
  const { pairs } = await fill(loadConfig({ env: {}, sets }), authority, { ...nothing, known: clients });
  const args: TesseraArguments = { sets, workers: 1 };
  const process = await Restartable.start(async () => {
    const child = launch(TESSERA, [JSON.stringify(args)]);
    await readyAfter(port, '/readyz', performance.now());
    return child;
  });
  return {
    name: 'Tessera',
    port,
    tokens: pairs.map(({ refreshToken }) => refreshToken),
    paths: { token: '/oauth2/token', revoke: '/oauth2/revoke' },
    works: async (accessToken) => {
      const headers = { authorization: `Bearer ${accessToken}` };
      const answer = await fetch(`http://127.0.0.1:${port}/authsvc/Authorize/Verify`, { headers });
      return answer.status === 200;
    },
    restart: () => process.restart(),
    stop: () => process.stop(),
  };
}

async function startOidcProvider(name: string, folder: string, clients: number, grace: number): Promise<Contestant> {
  const [port = 0] = await freePorts(1);
  let tokens: string[] = [];
  const begin = async (grants: number) => {
    const child = launch(OIDC_PROVIDER, [port, join(folder, 'oidc-provider.db'), grace, grants].map(String));
    const [made] = (await once(child, 'message')) as [string[]];
    if (grants > 0) tokens = made;
    return child;
  };
  const process = await Restartable.start(() => begin(tokens.length > 0 ? 0 : clients));
  return {
    name,
    port,
    tokens,
    paths: { token: '/token', revoke: '/token/revocation' },
    works: async (accessToken) => {
      const body = new URLSearchParams({ client_id: CLIENT_ID, token: accessToken });
      const answer = await fetch(`http://127.0.0.1:${port}/token/introspection`, { method: 'POST', body });
      return ((await answer.json()) as { active?: boolean }).active === true;
    },
    restart: () => process.restart(),
    stop: () => process.stop(),
  };
}

function launch(file: string, args: readonly string[]): ChildProcess {
  const env = { ...process.env, NODE_ENV: 'production' };
  return spawn(process.execPath, [file, ...args], { env, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
}

class Restartable {
  readonly #begin: () => Promise<ChildProcess>;
  #child: ChildProcess;

  static async start(begin: () => Promise<ChildProcess>): Promise<Restartable> {
    return new Restartable(begin, await begin());
  }

  private constructor(begin: () => Promise<ChildProcess>, child: ChildProcess) {
    this.#begin = begin;
    this.#child = child;
  }

  async restart(): Promise<void> {
    await this.stop();
    this.#child = await this.#begin();
  }

  async stop(): Promise<void> {
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exit;
  }
}

// A service of two nodes behind one address, a resource server, and callers that end grants.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Guard, type VerifierOptions, verifier } from '../../../sdk/verify/src/verify.ts';
import { openStore } from '../../../src/open-store.ts';
import { publishKeys } from '../../../src/operations/admin/signing-keys.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import type { Store } from '../../../src/store/store.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { resourceServers } from '../../../src/store/tables/resource-servers.ts';
import { systemClock, systemRandom } from '../../../src/system.ts';
import { readKeyringFile } from '../../../src/tokens/keyring-file.ts';
import { drawResourceServerSecret } from '../../../src/tokens/resource-server-secret.ts';
import { type Caller, callerOver } from '../../../test/e2e/caller.ts';
import { clientId, type Home, makeHome, populate } from '../../../test/e2e/service.ts';
import { pairByCertificate } from '../../../test/e2e/steps.ts';
import { freePort } from '../../../test/free-port.ts';
import { anIntegration, aResourceServer, OPERATOR, ORDERS_AUDIENCE } from '../../../test/samples.ts';
import { type StandbyCluster, standbyCluster } from '../standby.ts';
import { Balancer } from './balancer.ts';

const ENTRY = fileURLToPath(new URL('../../../test/e2e/process-entry.ts', import.meta.url));
const MAIN = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));

export const STORES = ['sqlite', 'postgres'] as const;
export type StoreKind = (typeof STORES)[number];

const JWT_CLIENT = clientId('with-jwt');

export class FeedField {
  readonly options: VerifierOptions;
  readonly store: Store;
  readonly home: Home;
  readonly balancer = new Balancer();
  readonly caller: Caller;
  /** A primary and its standby, if the store is PostgreSQL. */
  readonly cluster: StandbyCluster | undefined;
  readonly #guards: Guard[] = [];
  readonly #port: number;
  #nodes: ChildProcess[] = [];

  static async start(kind: StoreKind): Promise<FeedField> {
    const [own, shown] = [await freePort(), await freePort()];
    const issuer = `https://localhost:${shown}`;
    const cluster = kind === 'postgres' ? await standbyCluster() : undefined;
    const home = makeHome({
      listeners: [{ tls: true, port: cluster ? 0 : own }],
      settings: {
        publicUrl: issuer,
        ...(cluster && { store: cluster.url }),
        limits: { stopTimeout: '3s', addressShare: 100, networkShare: 100 },
        tokens: { jwtLifetime: '3h' }, // no token may expire during a drill
      },
      signing: 'ES256',
    });
    const path = join(home.folder, 'tessera.db');
    const store = cluster
      ? await openStore(home.config, 'command')
      : await openSqliteStore({ path, clock: systemClock.now });
    const { secret, hash } = drawResourceServerSecret(systemRandom);
    await fill(store, home, hash);
    const resourceServer = { id: 'orders-api', secret: secret.reveal(), audience: ORDERS_AUDIENCE };
    const field = new FeedField({ issuer, resourceServer, ca: home.authority.pem }, store, home, cluster, own, shown);
    await field.balancer.listen(shown);
    await field.startNodes();
    return field;
  }

  private constructor(
    options: VerifierOptions,
    store: Store,
    home: Home,
    cluster: StandbyCluster | undefined,
    own: number,
    shown: number,
  ) {
    this.options = options;
    this.store = store;
    this.home = home;
    this.cluster = cluster;
    this.#port = own;
    const certificate = home.authority.issue({ commonName: 'ada' });
    this.caller = callerOver('HTTP/1.1', { port: shown, ca: home.authority.pem, certificate });
  }

  /** SQLite: two workers on one port. PostgreSQL: two nodes, each on its own. */
  async startNodes(): Promise<void> {
    if (!this.cluster) {
      const args = [MAIN, '--config', this.home.configFile, 'serve', '--workers', '2'];
      this.#nodes = [launch(args)];
      await lineOf(this.#nodes[0] as ChildProcess, /"msg":"ready"/, 2);
      this.balancer.targets = [this.#port];
      return;
    }
    this.#nodes = [1, 2].map(() => launch([ENTRY, this.home.configFile]));
    const found = await Promise.all(this.#nodes.map((node) => lineOf(node, /^listening .*:(\d+)$/)));
    this.balancer.targets = found.map(Number);
  }

  async stopNodes(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    await Promise.all(
      this.#nodes.map(async (node) => {
        if (node.exitCode !== null || node.signalCode !== null) return;
        const exit = once(node, 'exit');
        node.kill(signal);
        await exit;
      }),
    );
  }

  async guards(count: number): Promise<readonly Guard[]> {
    const made = await Promise.all(Array.from({ length: count }, () => verifier(this.options)));
    this.#guards.push(...made);
    return made;
  }

  async token(format: 'jwt' | 'opaque'): Promise<string> {
    const client = format === 'jwt' ? JWT_CLIENT : undefined;
    return (await pairByCertificate(this.caller, client, 'orders:read')).access_token;
  }

  closeGuards(): void {
    for (const guard of this.#guards.splice(0)) guard.close();
  }

  async remove(): Promise<void> {
    this.closeGuards();
    this.caller.close();
    this.balancer.close();
    await this.stopNodes();
    await this.store.close();
    await this.cluster?.remove();
    rmSync(this.home.folder, { recursive: true, force: true });
  }
}

async function fill(
  store: Store,
  home: Home,
  hash: ReturnType<typeof drawResourceServerSecret>['hash'],
): Promise<void> {
  await populate(store, home.authority);
  await publishKeys(readKeyringFile(join(home.folder, 'keyring.json')) ?? [], { store, by: OPERATOR });
  const server = aResourceServer({ secrets: [{ hash, createdAt: systemClock.now() }] });
  await store.change(resourceServers, server.id, () => ({ outcome: undefined, next: server }));
  const integration = anIntegration({ clientId: JWT_CLIENT, accessTokenFormat: 'jwt' });
  await store.change(integrations, JWT_CLIENT, () => ({ outcome: undefined, next: integration }));
}

function launch(args: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill('SIGKILL'));
  return child;
}

/** What the pattern captures in the line that matches for the `times`-th time. */
function lineOf(child: ChildProcess, pattern: RegExp, times = 1): Promise<string> {
  if (!child.stdout) throw new Error('the service has no stdout');
  const lines = createInterface({ input: child.stdout });
  let left = times;
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the service ended with ${code}`)));
    lines.on('line', (line) => {
      const match = pattern.exec(line);
      if (match && --left === 0) resolve(match[1] ?? '');
    });
  });
}

// A service of two nodes behind one address, a resource server, and callers that end grants.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
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
import { entryOf, Service, serveOf } from '../service.ts';
import { type StandbyCluster, standbyCluster } from '../standby.ts';
import { Balancer } from './balancer.ts';

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
  #nodes: readonly Service[] = [];

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
    this.#nodes = this.cluster
      ? await Promise.all([1, 2].map(() => Service.start(entryOf(this.home))))
      : [await Service.start(serveOf(this.home), { workers: 2 })];
    this.balancer.targets = this.cluster ? this.#nodes.map(({ port }) => port) : [this.#port];
  }

  async stopNodes(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    await Promise.all(this.#nodes.map((node) => (signal === 'SIGTERM' ? node.stop() : node.kill())));
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

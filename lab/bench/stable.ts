// All contestants by name. Each is started when a suite first needs it.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SigningAlgorithm } from '../../src/core/signing-key.ts';
import type { Contestant, Running } from './contestant.ts';
import { bareRefresh } from './contestants/bare-refresh.ts';
import { echo } from './contestants/echo.ts';
import { oidcProvider } from './contestants/oidc-provider.ts';
import { type RunningTessera, type TesseraOptions, tessera } from './contestants/tessera.ts';
import type { ClientTls } from './generator/generator.ts';

export type Name =
  | 'node:http echo'
  | 'fastify echo'
  | 'bare refresh, SQLite'
  | 'bare refresh, PostgreSQL'
  | 'fastify echo, 1 worker'
  | 'fastify echo, 2 workers'
  | 'Tessera, SQLite'
  | 'Tessera, SQLite, log off'
  | 'Tessera, SQLite, opaque'
  | 'Tessera, SQLite, ES256'
  | 'Tessera, SQLite, EdDSA'
  | 'Tessera, SQLite, RS256'
  | 'Tessera, SQLite, 1 worker'
  | 'Tessera, SQLite, 2 workers'
  | 'Tessera, SQLite, many grants'
  | 'Tessera, SQLite, sweeping'
  | 'Tessera, SQLite, events followed'
  | 'Tessera, PostgreSQL'
  | 'Tessera, PostgreSQL, 1 worker'
  | 'Tessera, PostgreSQL, 2 workers'
  | 'oidc-provider, in memory';

export interface StableOptions {
  readonly folder: string;
  readonly tls: ClientTls;
  readonly connections: number;
  /** Grants that the revoke and mixed loads may use up. */
  readonly toRevoke: number;
  readonly many: number;
}

export class Stable {
  readonly #contestants: Readonly<Record<Name, Contestant>>;
  readonly #running = new Map<Name, Running>();

  constructor(options: StableOptions) {
    this.#contestants = contestants(options);
  }

  async get(name: Name): Promise<Running> {
    const known = this.#running.get(name);
    if (known) return known;
    const running = await this.#contestants[name].start();
    this.#running.set(name, running);
    return running;
  }

  async tessera(): Promise<RunningTessera> {
    return (await this.get('Tessera, SQLite')) as RunningTessera;
  }

  async manyGrants(): Promise<RunningTessera> {
    return (await this.get('Tessera, SQLite, many grants')) as RunningTessera;
  }

  async stop(name: Name): Promise<void> {
    await this.#running.get(name)?.stop();
    this.#running.delete(name);
  }

  async stopAll(): Promise<void> {
    for (const name of [...this.#running.keys()]) await this.stop(name);
  }
}

/** The spread load refreshes one of this many grants, so that each is on another page. */
const SPREAD_SHARE = 10;

function contestants({ folder, tls, connections, toRevoke, many }: StableOptions): Record<Name, Contestant> {
  const known = 5 * connections;
  const place = (name: string): string => {
    const path = join(folder, name.replaceAll(/\W+/g, '-'));
    mkdirSync(path, { recursive: true });
    return path;
  };
  const own = (name: Name, difference: Partial<TesseraOptions> = {}): Contestant => {
    const filling = { known, others: 1000 };
    return tessera({ folder: place(name), certificates: folder, tls, filling, ...difference });
  };
  const jwt = (signing: SigningAlgorithm): Contestant =>
    own(`Tessera, SQLite, ${signing}`, { filling: { known, others: 1000, signing } });
  return {
    'node:http echo': echo({ stack: 'node', folder, tls }),
    'fastify echo': echo({ stack: 'fastify', folder, tls }),
    'fastify echo, 1 worker': echo({ stack: 'fastify', unpinned: true, folder, tls }),
    'fastify echo, 2 workers': echo({ stack: 'fastify', unpinned: true, workers: 2, folder, tls }),
    'Tessera, SQLite': own('Tessera, SQLite', {
      filling: { known: known + toRevoke, others: 1000, deviceCodes: connections },
    }),
    'Tessera, SQLite, log off': own('Tessera, SQLite, log off', { sets: ['log.level=warn'] }),
    'Tessera, SQLite, opaque': own('Tessera, SQLite, opaque'),
    'Tessera, SQLite, ES256': jwt('ES256'),
    'Tessera, SQLite, EdDSA': jwt('EdDSA'),
    'Tessera, SQLite, RS256': jwt('RS256'),
    'Tessera, SQLite, 1 worker': own('Tessera, SQLite, 1 worker', { unpinned: true }),
    'Tessera, SQLite, 2 workers': own('Tessera, SQLite, 2 workers', { unpinned: true, workers: 2 }),
    'Tessera, SQLite, many grants': own('Tessera, SQLite, many grants', {
      filling: { known, spread: many / SPREAD_SHARE, others: many - many / SPREAD_SHARE },
    }),
    'bare refresh, SQLite': bareRefresh({ folder: place('bare'), authority: tls.authority, known, others: 1000 }),
    'bare refresh, PostgreSQL': bareRefresh({
      folder: place('bare-postgres'),
      authority: tls.authority,
      known,
      others: 1000,
      postgres: true,
    }),
    'Tessera, SQLite, sweeping': own('Tessera, SQLite, sweeping', {
      filling: { known, others: 1000, ended: many / 2 },
      beside: 'sweep',
    }),
    'Tessera, SQLite, events followed': own('Tessera, SQLite, events followed', { beside: 'events' }),
    'Tessera, PostgreSQL': own('Tessera, PostgreSQL', { postgres: true }),
    'Tessera, PostgreSQL, 1 worker': own('Tessera, PostgreSQL, 1 worker', { postgres: true, unpinned: true }),
    'Tessera, PostgreSQL, 2 workers': own('Tessera, PostgreSQL, 2 workers', {
      postgres: true,
      unpinned: true,
      workers: 2,
    }),
    'oidc-provider, in memory': oidcProvider(connections),
  };
}

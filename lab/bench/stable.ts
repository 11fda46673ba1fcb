// All contestants by name. Each is started when a suite first needs it.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Contestant, Running } from './contestant.ts';
import { type BareOptions, bareRefresh } from './contestants/bare-refresh.ts';
import { echo } from './contestants/echo.ts';
import { type RunningTessera, type TesseraOptions, tessera } from './contestants/tessera.ts';
import type { ClientTls } from './generator/generator.ts';

export interface StableOptions {
  readonly folder: string;
  readonly tls: ClientTls;
  readonly connections: number;
  /** Grants that the revoke and mixed loads may use up. */
  readonly toRevoke: number;
  readonly many: number;
}

export const OURS = 'Tessera, SQLite';
export const MANY = 'Tessera, SQLite, many grants';
export type Name = keyof ReturnType<typeof contestants>;

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

  async tessera(name: typeof OURS | typeof MANY): Promise<RunningTessera> {
    return (await this.get(name)) as RunningTessera;
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

function contestants({ folder, tls, connections, toRevoke, many }: StableOptions) {
  const known = 5 * connections;
  const place = (name: string): string => {
    const path = join(folder, name.replaceAll(/\W+/g, '-'));
    mkdirSync(path, { recursive: true });
    return path;
  };
  const own = (name: string, difference: Partial<TesseraOptions> = {}): Contestant => {
    const filling = { known, others: 1000 };
    return tessera({ folder: place(name), certificates: folder, tls, filling, ...difference });
  };
  const bare = (name: string, difference: Pick<BareOptions, 'postgres' | 'isRecording'> = {}) =>
    bareRefresh({ folder: place(name), authority: tls.authority, known, others: 1000, ...difference });
  return {
    'fastify echo': echo({ folder, tls }),
    'fastify echo, 1 worker': echo({ unpinned: true, folder, tls }),
    'bare refresh, SQLite': bare('bare'),
    'bare, same rows, same log, SQLite': bare('recording', { isRecording: true }),
    'bare refresh, PostgreSQL': bare('bare-postgres', { postgres: true }),
    'bare, same rows, same log, PostgreSQL': bare('recording-postgres', { postgres: true, isRecording: true }),
    [OURS]: own('sqlite', { filling: { known: known + toRevoke, others: 1000, deviceCodes: connections } }),
    [MANY]: own('many', { filling: { known, spread: many / SPREAD_SHARE, others: many - many / SPREAD_SHARE } }),
    'Tessera, SQLite, 1 worker': own('1-worker', { unpinned: true }),
    'Tessera, SQLite, 2 workers': own('2-workers', { unpinned: true, workers: 2 }),
    'Tessera, PostgreSQL': own('postgres', { postgres: true }),
  };
}

// A Citus coordinator with two workers on this machine, from Debian's PostgreSQL.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { migratePostgres } from '../../src/store/postgres/open.ts';
import { Secret } from '../../src/tokens/secret.ts';
import { debianPrograms } from '../../test/store/debian-postgres.ts';
import { shippedSql } from '../../test/store/documented-sql.ts';
import { PostgresServer } from '../../test/store/postgres-server.ts';

const SETTINGS = [
  "shared_preload_libraries = 'citus'",
  "citus.node_conninfo = 'sslmode=disable'",
  'citus.recover_2pc_interval = 1s', // as docs/scale.md says
  'max_prepared_transactions = 200',
  'max_connections = 200',
  'citus.enable_statistics_collection = off',
];

/** Why there is no Citus here. */
export function citusMissing(): string | undefined {
  const shared = execFileSync(join(debianPrograms(), 'pg_config'), ['--sharedir'], { encoding: 'utf8' }).trim();
  const control = join(shared, 'extension', 'citus.control');
  return existsSync(control) ? undefined : `Citus is not installed: there is no ${control}`;
}

export class CitusCluster {
  readonly coordinator: PostgresServer;
  readonly workers: readonly PostgresServer[];

  private constructor(coordinator: PostgresServer, workers: readonly PostgresServer[]) {
    this.coordinator = coordinator;
    this.workers = workers;
  }

  static async start({ durable = true } = {}): Promise<CitusCluster> {
    const start = () => PostgresServer.start({ programs: debianPrograms(), settings: SETTINGS, durable });
    const [coordinator, ...workers] = await Promise.all([start(), start(), start()]);
    return new CitusCluster(coordinator as PostgresServer, workers);
  }

  /** A database as docs/scale.md describes it, without a schema. Roles exist once for all of them. */
  async database(name: string): Promise<void> {
    const { coordinator, workers } = this;
    for (const server of [coordinator, ...workers]) {
      await server.query(`CREATE DATABASE ${name}`);
      await server.query('CREATE EXTENSION citus', name);
    }
    const ports = new Map(
      [coordinator, ...workers].map(({ port }, n) => [n === 0 ? 'coordinator' : `worker-${n}`, port]),
    );
    const [settings, limits] = shippedSql('citus')
      .replaceAll(/'([a-z0-9-]+)\.example\.org', 5432/g, (_, host: string) => `'127.0.0.1', ${ports.get(host)}`)
      .split(/^(?=ALTER)/m);
    await coordinator.query(settings ?? '', name);
    const roles = shippedSql('roles')
      .replace(/^\\c .*$/m, '')
      .replaceAll('DATABASE tessera', `DATABASE ${name}`);
    await coordinator.query(await this.#withoutRoles(roles), name);
    await coordinator.query(limits ?? '', name);
  }

  async #withoutRoles(text: string): Promise<string> {
    const [found] = await this.coordinator.query("SELECT FROM pg_roles WHERE rolname = 'tessera_node'");
    return found ? text.replaceAll(/^CREATE ROLE.*$/gm, '') : text;
  }

  /** The command of the page. Without a layout: as on one server. */
  async migrate(name: string, layout?: 'citus') {
    const options = { url: new Secret(this.coordinator.url(name, 'tessera_owner')), environment: {} };
    return migratePostgres(options, layout);
  }

  url(name: string): string {
    return this.coordinator.url(name, 'tessera_node');
  }

  async remove(): Promise<void> {
    await Promise.all([this.coordinator, ...this.workers].map((server) => server.remove()));
  }
}

// Two services on PostgreSQL are under load when the schema is migrated, behind a transaction that has every table open for a
// minute, as pg_dump does. No request fails, and the migration ends soon after that transaction.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { composeService } from '../../src/compose/service.ts';
import { makeLog } from '../../src/log/log.ts';
import { storeOf } from '../../src/store/change.ts';
import { parseAddress } from '../../src/store/postgres/address.ts';
import { postgresBackEnd } from '../../src/store/postgres/back-end.ts';
import { connect } from '../../src/store/postgres/connection.ts';
import { Connections } from '../../src/store/postgres/connections.ts';
import { MIGRATIONS, migrate } from '../../src/store/postgres/migrations.ts';
import { systemClock } from '../../src/system.ts';
import { Secret } from '../../src/tokens/secret.ts';
import { makeHome, populate } from '../../test/e2e/service.ts';
import { freePort } from '../../test/free-port.ts';
import type { Seeded } from '../../test/seeded.ts';
import { PostgresServer } from '../../test/store/postgres-server.ts';
import { Broken } from './broken.ts';
import { SteadyCallers } from './handover/steady-callers.ts';

const EVENTS = 1_000_000;
const BEFORE = MIGRATIONS.findIndex(({ steps }) => steps.some((step) => step.includes('PARTITION BY'))) - 1;
const SOON_MS = 60_000;

/** `seconds`: how long the transaction stays open. */
export async function migrateUnderLoad(seconds: number, _chance: Seeded): Promise<number> {
  const broken = new Broken();
  const server = await PostgresServer.start({ durable: true });
  const address = parseAddress(new Secret(server.url()), {});
  await olderSchema(server);
  const ports = await Promise.all([freePort(), freePort()]);
  const home = makeHome({ listeners: [{ tls: true, doors: undefined }], settings: { store: server.url() } });
  const open = () => storeOf(postgresBackEnd(new Connections(address))); // without migrating first
  await populate(open(), home.authority);
  const log = makeLog({
    ...home.config.log,
    milliseconds: systemClock.milliseconds,
    destination: { write: () => undefined },
  });
  const services = await Promise.all(
    ports.map(async (port) => {
      const listeners = home.config.listeners.map((listener) => ({ ...listener, port }));
      const service = await composeService({ ...home.config, listeners }, open(), home.keyring, log);
      await service.listen();
      return service;
    }),
  );
  const certificate = home.authority.issue({ commonName: 'ada' });
  const callers = new SteadyCallers(ports.map((port) => ({ port, ca: home.authority.pem, certificate })));
  await callers.begun();

  const reader = await readerOfAll(server);
  const began = performance.now();
  const migrating = migrateByCommand(server);
  await pause(seconds * 1000);
  broken.where(migrating.hasEnded(), 'the migration did not wait for the transaction');
  const answeredMeanwhile = callers.answered;
  await reader.query('COMMIT');
  await reader.end();
  const status = await Promise.race([migrating.ended, pause(SOON_MS, 'too late')]);
  const tookMs = Math.round(performance.now() - began);
  broken.where(status !== 0, `tessera migrate-schema ended with ${status}`);
  await pause(2_000);
  const lost = await callers.stop();
  const { failures, again, answered } = callers;
  for (const failure of failures.slice(0, 5)) console.log(failure);
  broken.where(failures.length + again + lost > 0, 'requests failed');
  console.log(
    `migrated in ${tookMs} ms, behind a transaction of ${seconds} s: ${answered} requests answered (${answeredMeanwhile} behind it), ` +
      `${failures.length} failed, ${again} asked to come again (503), ${lost} tokens lost`,
  );
  await Promise.all(services.map((service) => service.stop()));
  await server.remove();
  rmSync(home.folder, { recursive: true });
  return broken.count;
}

/** As it was before the log had partitions, with a million events. */
async function olderSchema(server: PostgresServer): Promise<void> {
  const connection = await connect(parseAddress(new Secret(server.url()), {}));
  await migrate(connection, MIGRATIONS.slice(0, BEFORE));
  connection.close();
  await server.query(`INSERT INTO events (sequence, at, type, client_id, presenter)
    SELECT nextval('event_sequence'), 1700000000 + n / 100, 'refreshed', 'a client', '192.0.2.7 curl/8'
    FROM generate_series(1, ${EVENTS}) n`);
}

async function readerOfAll(server: PostgresServer): Promise<pg.Client> {
  const reader = new pg.Client({ connectionString: server.url(), application_name: 'pg_dump' });
  await reader.connect();
  await reader.query('BEGIN');
  await reader.query(`DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' LOOP
      EXECUTE format('LOCK TABLE %I IN ACCESS SHARE MODE', name);
    END LOOP; END $$`);
  return reader;
}

function migrateByCommand(server: PostgresServer) {
  const main = join(import.meta.dirname, '../../src/cli/main.ts');
  const args = ['--disable-warning=ExperimentalWarning', main, 'migrate-schema', '--as', server.url()];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const ended = once(child, 'exit').then(([status]) => status as number);
  return { ended, hasEnded: () => child.exitCode !== null };
}

// Two nodes of an older release are under load when the schema is migrated, behind a transaction that has every table open for a
// minute, as pg_dump does. No request fails, and the migration ends soon after that transaction.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import type { Authority } from '../../test/authority.ts';
import { makeHome } from '../../test/e2e/service.ts';
import { freePort } from '../../test/free-port.ts';
import type { Seeded } from '../../test/seeded.ts';
import { PostgresServer } from '../../test/store/postgres-server.ts';
import { Broken } from './broken.ts';
import { Instance } from './handover/instance.ts';
import { FOR_ANY_RELEASE, lastRelease, type Release, releaseAt } from './handover/release.ts';
import { SteadyCallers } from './handover/steady-callers.ts';

const EVENTS = 1_000_000;
const SOON_MS = 60_000;

/** `seconds`: how long the transaction stays open. `from`: the older release; the last one whose event log has no partitions. */
export async function migrateUnderLoad(
  seconds: number,
  _chance: Seeded,
  { from = lastRelease('0.2') }: { readonly from?: string | undefined } = {},
): Promise<number> {
  const broken = new Broken();
  const older = releaseAt(from);
  const server = await PostgresServer.start({ durable: true });
  const home = makeHome({ ...FOR_ANY_RELEASE, settings: { ...FOR_ANY_RELEASE.settings, store: server.url() } });
  await prepare(older, server, home.authority);
  const ports = await Promise.all([freePort(), freePort()]);
  const nodes = await Promise.all(
    ports.map((port) => Instance.start(older, home, ['--set', `listeners.0.port=${port}`])),
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
  await Promise.all(nodes.map((node) => node.stop()));
  await server.remove();
  older.remove();
  rmSync(home.folder, { recursive: true });
  return broken.count;
}

interface OlderStore {
  close(): Promise<void>;
}

/** Its schema, what callers need, and a million events, by its own code. */
async function prepare({ folder }: Release, server: PostgresServer, authority: Authority): Promise<void> {
  const load = (path: string) => import(pathToFileURL(join(folder, path)).href);
  const { openAt } = (await load('test/store/postgres-node.ts')) as { openAt: (url: string) => Promise<unknown> };
  const { storeOf } = (await load('src/store/change.ts')) as { storeOf: (backEnd: unknown) => OlderStore };
  const { populate } = (await load('test/e2e/service.ts')) as {
    populate: (store: OlderStore, authority: Authority) => Promise<void>;
  };
  const store = storeOf(await openAt(server.url()));
  await populate(store, authority);
  await store.close();
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

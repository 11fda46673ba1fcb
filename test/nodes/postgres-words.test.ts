// Error texts when a PostgreSQL store cannot be used: each cause has its own text and next step.
// Only in test:all: every setting and language of PostgreSQL
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { examine } from '../../src/cli/doctor/examine.ts';
import type { Finding } from '../../src/cli/doctor/finding.ts';
import { examineStore } from '../../src/cli/doctor/store.ts';
import { loadConfig } from '../../src/config/load.ts';
import { epochSeconds } from '../../src/core/time.ts';
import { NoServer } from '../../src/store/postgres/faults.ts';
import type { Store } from '../../src/store/store.ts';
import { systemClock } from '../../src/system.ts';
import { commandEnvironment, TESSERA } from '../cli/command.ts';
import { Commands } from '../cli/commands.ts';
import { freePort } from '../free-port.ts';
import { PostgresServer } from '../store/postgres-server.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const folder = temporaryFolder('words');
const server = await PostgresServer.start();
const commands = new Commands();
await server.query('CREATE DATABASE tessera');
await server.query("CREATE ROLE owner LOGIN; CREATE ROLE node LOGIN; CREATE ROLE secretive LOGIN PASSWORD 'right'");
await server.query('GRANT ALL ON SCHEMA public TO owner', 'tessera');
after(async () => {
  await commands.close();
  await server.remove();
  rmSync(folder, { recursive: true });
});

/** What doctor finds about the store at this address. */
async function findings(address: string): Promise<Finding[]> {
  const config = loadConfig({ file: undefined, env: {}, sets: [`store=${address}`, `dataFolder=${folder}`] });
  const ours = ['store', 'database', 'privileges', 'schema', 'clock of the store'];
  return (await examine(config)).filter(({ about }) => ours.includes(about));
}

async function worst(address: string): Promise<string> {
  const found = (await findings(address)).find(({ verdict }) => verdict !== 'good');
  return `${found?.says} | ${found?.todo}`;
}

const at = (user: string, database = 'tessera') => server.url(database, user);

test('each way to fail to connect has its own remedy', async () => {
  assert.match(
    await worst(`postgres://node@127.0.0.1:${await freePort()}/tessera`),
    /ECONNREFUSED.*PostgreSQL runs there/,
  );
  const unknown = Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' });
  const { todo } = new NoServer([{ host: { host: 'db', port: 1 }, error: unknown }]);
  assert.match(todo, /The name of the host is not known here/);
  assert.match(await worst('postgres://node@127.0.0.1/tessera?ssl=1'), /unknown parameter: ssl.*The address/);
  assert.match(await worst(at('nobody_here')), /does not exist.*does not let this role in/);
  assert.match(await worst(at('node', 'nowhere')), /does not exist.*Create the database/);
  assert.match(await worst(`${at('node')}?passwordFile=/no/such/file`), /ENOENT.*file named in the address/);
  assert.match(await worst(`${at('node')}?sslmode=require`), /SSL.*sslmode/);
});

test('an @ in the host is refused without printing the address', async () => {
  const said = await worst('postgres://node:hun@ter2@127.0.0.1/tessera');
  assert.match(said, /an @ in its host.*%40/);
  assert.doesNotMatch(said, /hun|ter2/);
});

test('a wrong password and a missing one are told apart', async () => {
  const hba = join(server.data, 'pg_hba.conf');
  writeFileSync(hba, 'host all secretive 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n');
  await server.query('SELECT pg_reload_conf()');
  assert.match(await worst(at('secretive')), /asks for a password, and none is given/);
  assert.match(await worst(at('secretive').replace('@', ':wrong@')), /refused the password/);
});

test('no schema, no privileges and tables in another schema each have their own remedy, and the service does not start', async () => {
  assert.match(await worst(at('node')), /has no schema yet.*migrate-schema/);
  const { status, printed } = await commands.run(['serve', '--set', `store=${at('node')}`], { folder });
  assert.equal(status, 4, printed);
  assert.match(printed, /no schema yet.*\n.*migrate-schema/);

  const migrated = await commands.run(['migrate-schema', '--as', at('owner')], { folder });
  assert.equal(migrated.status, 0, migrated.printed);
  assert.match(await worst(at('node')), /permission denied.*GRANT/);

  await server.query('CREATE SCHEMA elsewhere; ALTER TABLE tessera_schema SET SCHEMA elsewhere', 'tessera');
  assert.match(await worst(at('owner')), /the tables are in the schema elsewhere/);
  await server.query('ALTER TABLE elsewhere.tessera_schema SET SCHEMA public', 'tessera');
});

test('a store whose grants Citus has distributed is refused until they are on one server again', async () => {
  await server.query(
    `CREATE FUNCTION pg_catalog.citus_truncate_trigger() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN END';
    CREATE TRIGGER t AFTER TRUNCATE ON grants EXECUTE FUNCTION pg_catalog.citus_truncate_trigger()`,
    'tessera',
  );
  assert.match(await worst(at('owner')), /Citus has distributed the grants.*run release 0\.3\.4.*docs\/upgrading\.md/);
  assert.equal((await commands.run(['serve', '--set', `store=${at('owner')}`], { folder })).status, 4);
  await server.query('DROP TRIGGER t ON grants', 'tessera'); // as undistribute_table() leaves it
  assert.equal(await worst(at('owner')), 'undefined | undefined');
});

test('a superuser role causes a warning', async () => {
  assert.match(await worst(at('postgres')), /postgres is a superuser.*Roles/);
  assert.deepEqual(
    (await findings(at('owner'))).filter(({ verdict }) => verdict !== 'good'),
    [],
  );
});

test('a service that waits for its database logs it, and stops on SIGTERM', async () => {
  const args = [TESSERA, 'serve', '--set', `store=postgres://node@127.0.0.1:${await freePort()}/tessera`];
  const child = spawn(process.execPath, args, { cwd: folder, env: commandEnvironment(), stdio: 'pipe' });
  let [log, complaints] = ['', ''];
  child.stderr.on('data', (text) => {
    complaints += text;
  });
  for await (const text of child.stdout) {
    log += text;
    if (log.includes('waiting for the store')) break;
  }
  const exit = once(child, 'close');
  child.kill('SIGTERM');
  assert.deepEqual(await exit, [0, null], complaints);
  const { level, why, todo } = JSON.parse(log.split('\n')[0] ?? '');
  assert.deepEqual([level, complaints], ['warn', '']);
  assert.match(`${why} ${todo}`, /ECONNREFUSED.*PostgreSQL runs there/);
});

test('doctor reports a clock that is an hour off, and whose clock it is', async () => {
  const config = loadConfig({ file: undefined, env: {}, sets: [`dataFolder=${folder}`] });
  for (const [off, expected] of [
    [3600, /this machine is 3\d{3} seconds behind the database/],
    [-3600, /this machine is 3\d{3} seconds ahead of the database/],
  ] as const) {
    const examined = { now: epochSeconds(systemClock.now() + off), checks: [] };
    const store = { examine: async () => examined, load: async () => ({ found: undefined, now: examined.now }) };
    const found = await examineStore(config, store as unknown as Store);
    assert.match(found.find(({ about }) => about === 'clock of the store')?.says ?? '', expected);
  }
});

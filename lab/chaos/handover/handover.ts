// One machine with SQLite: under load a new process takes over the port and the old one drains, again and again. Meanwhile
// the server certificate is renewed, the key is rotated and the configuration changes. No request fails.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import type { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import { systemClock } from '../../../src/system.ts';
import { PROTOCOLS } from '../../../test/e2e/caller.ts';
import { type Home, issueServer, makeHome, type populate } from '../../../test/e2e/service.ts';
import { freePort } from '../../../test/free-port.ts';
import type { Seeded } from '../../../test/seeded.ts';
import { Broken } from '../broken.ts';
import { Instance } from './instance.ts';
import { FOR_ANY_RELEASE, type Release, releaseAt, THIS_RELEASE } from './release.ts';
import { SteadyCallers } from './steady-callers.ts';
import { Tally } from './tally.ts';

const [LOAD_MS, AGAIN_MS] = [1_000, 500];
/** On a fast machine, callers in a hurry meet the cap on refreshes of a grant. */
const CALM_MS = 50;
const MIGRATES = '/proc/sys/net/ipv4/tcp_migrate_req';

/** `from`: a commit. Instances of it and of this one take turns; both run two workers then, which share the port in both. */
export async function handOver(
  cycles: number,
  _chance: Seeded,
  { from }: { readonly from?: string | undefined } = {},
): Promise<number> {
  warnAboutKernel();
  const broken = new Broken();
  const other = from ? releaseAt(from) : THIS_RELEASE;
  const home = makeHome(FOR_ANY_RELEASE);
  await makeStore(home, other);
  const schema = schemaOf(home);
  const port = await freePort();
  const start = (release: Release) => startOn(port, release, home, from ? 2 : 1);
  let running = await start(other);
  const reach = { port, ca: home.authority.pem, certificate: home.authority.issue({ commonName: 'ada' }) };
  const callers = new SteadyCallers([reach], PROTOCOLS, CALM_MS);
  const tally = new Tally(callers, broken);
  await callers.begun();
  await pause(LOAD_MS);
  for (let cycle = 1; cycle <= cycles; cycle++) {
    await change(home, cycle);
    // An older release does not open a SQLite store with a newer schema.
    const mayGoBack = schemaOf(home) === schema;
    const next = await start(cycle % 2 === 1 || !mayGoBack ? THIS_RELEASE : other);
    await pause(LOAD_MS);
    tally.step(`cycle ${cycle}: ${next.release.name} starts beside ${running.release.name}`, running.release);
    const tookMs = await running.stop();
    tally.step(`cycle ${cycle}: ${running.release.name} stopped in ${tookMs} ms`, running.release);
    for (const fault of running.faults()) broken.where(running.release.isThis, `a fault in the log: ${fault}`);
    running = next;
  }
  const lost = await callers.stop();
  broken.where(lost > 0, `${lost} tokens do not work any more`);
  await running.stop();
  other.remove();
  rmSync(home.folder, { recursive: true });
  console.log(`${cycles} hand-overs, ${callers.answered} requests answered, ${lost} tokens lost`);
  return broken.count;
}

/** Made by the release that is to be replaced, so that the next one upgrades its schema under load. */
async function makeStore({ folder, authority }: Home, release: Release): Promise<void> {
  const at = (file: string) => import(join(release.folder, file));
  const [{ openSqliteStore: open }, { populate: fill }] = (await Promise.all([
    at('src/store/sqlite/open.ts'),
    at('test/e2e/service.ts'),
  ])) as [{ openSqliteStore: typeof openSqliteStore }, { populate: typeof populate }];
  const store = await open({ path: join(folder, 'tessera.db'), clock: systemClock.now });
  await fill(store, authority);
  await store.close();
}

function schemaOf({ folder }: Home): unknown {
  const database = new DatabaseSync(join(folder, 'tessera.db'));
  const schema = database.prepare('PRAGMA user_version').get()?.['user_version'];
  database.close();
  return schema;
}

function startOn(port: number, release: Release, home: Home, workers: number): Promise<Instance> {
  const shared = workers === 1 ? ['--set', 'listeners.0.sharePort=true'] : [];
  return Instance.start(release, home, ['--set', `listeners.0.port=${port}`, ...shared], workers);
}

/** In turn: another certificate and key for the server, another key that mints, another configuration. */
async function change(home: Home, cycle: number): Promise<void> {
  if (cycle % 3 === 1) {
    const server = issueServer(home.authority);
    writeFileSync(home.serverFiles.certificate, server.pem);
    writeFileSync(home.serverFiles.key, server.key);
  } else if (cycle % 3 === 2) {
    await tessera(home, 'keyring', 'add');
    // Refused until every node has reported the key.
    const id = (cycle + 1) / 3 + 1;
    while (!(await tessera(home, 'keyring', 'mint', `${id}`))) await pause(AGAIN_MS);
  } else {
    const tree = JSON.parse(readFileSync(home.configFile, 'utf8')) as Record<string, unknown>;
    writeFileSync(home.configFile, JSON.stringify({ ...tree, tokens: { accessTokenLifetime: '30d' } }));
  }
}

/** Whether the command succeeded. */
async function tessera({ configFile }: Home, ...args: string[]): Promise<boolean> {
  const main = join(THIS_RELEASE.folder, 'src/cli/main.ts');
  const child = spawn(process.execPath, [main, '--config', configFile, ...args], { stdio: 'ignore' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code === 0;
}

function warnAboutKernel(): void {
  if (readFileSync(MIGRATES, 'utf8').trim() === '1') return;
  console.log(
    'net.ipv4.tcp_migrate_req is 0: the kernel may reset connections that the old process has not accepted yet. ' +
      'As root: unshare --net sh -c "ip link set lo up; sysctl -w net.ipv4.tcp_migrate_req=1; npm run lab -- handover"',
  );
}

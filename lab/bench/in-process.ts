// Checkouts of this project in this one process, in turns of milliseconds: the processor time of a request, client included. A
// machine that changes its speed from second to second hides differences below ten percent from races of processes;
// here one or two percent show. Of two identical checkouts, the second took 0.95 to 0.99 of the first: compare in both
// orders. Reports to standard error: the log of the services goes to standard output.
//   in-process.ts PASSES sqlite|postgres LOAD,… FOLDER …
// PostgreSQL is a process of its own, one for each checkout; its processor time is counted too.
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { pathToFileURL } from 'node:url';
import type { loadConfig as LoadConfig } from '../../src/config/load.ts';
import type { runService as RunService } from '../../src/run-service.ts';
import type { PostgresServer } from '../../test/store/postgres-server.ts';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { quartiles } from '../quantiles.ts';
import { writeCertificates } from './certificates.ts';
import type { LoadKind } from './contestant.ts';
import { benchSets, loadOf, startPostgres } from './contestants/tessera.ts';
import type { fill as Fill, Seeds } from './fill.ts';
import { Exchange } from './generator/exchange.ts';
import type { ClientTls, Load } from './generator/generator.ts';
import { makeWalk } from './generator/walk.ts';
import { CORES, pin } from './pinned.ts';
import { runTimeOf } from './probe/processes.ts';
import { freePorts, readyAfter } from './ready.ts';

const CONNECTIONS = 24;
/** Requests of each connection in one turn. */
const REQUESTS = 6;
const WARM_UP = 150;

interface Side {
  readonly folder: string;
  readonly postgres: PostgresServer | undefined;
  readonly load: (kind: LoadKind) => Load;
}

/** Microseconds of processor time per request: of all threads, of this one, and of PostgreSQL. */
interface Cost {
  readonly process: number;
  readonly here: number;
  readonly postgres: number;
}

interface Turn {
  readonly side: Side;
  readonly run: () => Promise<void>;
  readonly close: () => void;
  readonly costs: Cost[];
}

/** `revoke` spends a grant with each request, and `mixed` with every twentieth. */
const SPENDING = ['revoke', 'mixed'];
const [passes = '600', store = 'sqlite', kinds = 'refresh', ...folders] = process.argv.slice(2);
const sides: Side[] = [];
const own = temporaryFolder('in-process', existsSync('/dev/shm') ? '/dev/shm' : undefined);
try {
  const tls = writeCertificates(own);
  for (const folder of folders) sides.push(await start(folder, join(own, String(sides.length)), tls));
  pin(process.pid, CORES.server);
  for (const kind of kinds.split(',') as LoadKind[]) await compare(kind, tls);
} finally {
  for (const { postgres } of sides) await postgres?.remove();
  rmSync(own, { recursive: true });
}
process.exit(0);

/** Modules of another checkout may have been elsewhere; settings that it does not know are left out. */
async function start(folder: string, place: string, tls: ClientTls): Promise<Side> {
  const load = (path: string) => import(pathToFileURL(join(resolve(folder), path)).href);
  const { loadConfig } = (await load('src/config/load.ts')) as { loadConfig: typeof LoadConfig };
  const { fill } = (await load('lab/bench/fill.ts')) as { fill: typeof Fill };
  const entry = ['src/run-service.ts', 'src/cli/run-service.ts'].find((path) => existsSync(join(folder, path)));
  const { runService } = (await load(entry ?? 'src/run-service.ts')) as { runService: typeof RunService };
  mkdirSync(place);
  const [port = 0, tlsPort = 0] = await freePorts(2);
  const postgres = store === 'postgres' ? await startPostgres() : undefined;
  const wanted = [
    ...benchSets({ folder: place, certificates: own }, port, tlsPort),
    'limits.queueMilliseconds=10000',
    ...(postgres ? [`store=${postgres.url()}`] : []),
  ];
  const config = loadConfig({ env: {}, sets: wanted.filter((set) => isKnown(set, loadConfig)) });
  const filling = { known: 5 * CONNECTIONS + grantsToSpend(), others: 1000 };
  const seeds: Seeds = await fill(config, tls.authority, { ...filling, deviceCodes: CONNECTIONS });
  const began = performance.now();
  void runService(config, 1, () => undefined);
  await readyAfter(port, '/readyz', began);
  return { folder, postgres, load: (kind) => loadOf(kind, CONNECTIONS, seeds, { port, tlsPort, tls }) };
}

/** A tenth of them is for `mixed`. */
function grantsToSpend(): number {
  if (!SPENDING.some((kind) => kinds.includes(kind))) return 0;
  return Math.ceil(1.2 * CONNECTIONS * REQUESTS * (Number(passes) + WARM_UP));
}

function isKnown(set: string, loadConfig: typeof LoadConfig): boolean {
  try {
    loadConfig({ env: {}, sets: [set] });
    return true;
  } catch {
    return false;
  }
}

async function compare(kind: LoadKind, tls: ClientTls): Promise<void> {
  const secure = createSecureContext({ ca: tls.authority, cert: tls.certificate, key: tls.key });
  const turns: Turn[] = [];
  for (const side of sides) turns.push({ side, ...(await open(side.load(kind), secure)), costs: [] });
  for (let pass = 0; pass < WARM_UP; pass++) for (const { run } of turns) await run();
  for (let pass = 0; pass < Number(passes); pass++)
    for (const turn of pass % 2 ? turns : turns.toReversed()) turn.costs.push(await costOf(turn));
  for (const turn of turns) {
    turn.close();
    report(kind, turn, turns[0] as Turn);
  }
}

async function costOf({ side, run }: Turn): Promise<Cost> {
  const served = () => (side.postgres?.pid === undefined ? 0 : runTimeOf(side.postgres.pid));
  const before = { process: timeOf(process.cpuUsage()), here: timeOf(process.threadCpuUsage()), postgres: served() };
  await run();
  const requests = CONNECTIONS * REQUESTS;
  return {
    process: (timeOf(process.cpuUsage()) - before.process) / requests,
    here: (timeOf(process.threadCpuUsage()) - before.here) / requests,
    postgres: (served() - before.postgres) / 1000 / requests,
  };
}

/** Every connection sends one request at a time. */
async function open({ port, tls, walks }: Load, secure: ReturnType<typeof createSecureContext>) {
  const failed = (fault: Error) => {
    throw fault;
  };
  const address = tls ? { port, secure } : { port };
  const callers = await Promise.all(
    walks.map(async (spec) => ({ walk: makeWalk(spec), exchange: await Exchange.open(address, failed) })),
  );
  const ask = ({ walk, exchange }: (typeof callers)[number]) =>
    new Promise<void>((done) => {
      exchange.send(walk.next(), (status, body) => {
        walk.heard(status, body);
        done();
      });
    });
  return {
    run: async () => {
      for (let request = 0; request < REQUESTS; request++) await Promise.all(callers.map(ask));
    },
    close: () => {
      for (const { exchange } of callers) exchange.close();
    },
  };
}

function report(kind: LoadKind, { side, costs }: Turn, first: Turn): void {
  const figures: [name: string, of: (cost: Cost) => number][] = [
    ['', (cost) => cost.process + cost.postgres],
    [' on the main thread', ({ here }) => here],
  ];
  if (side.postgres) figures.push([' in PostgreSQL', ({ postgres }) => postgres]);
  for (const [name, of] of figures) {
    const [, median] = quartiles(costs.map(of));
    const [low, middle, high] = quartiles(costs.map((cost, pass) => of(cost) / of(first.costs[pass] as Cost)));
    const spread = `${low.toFixed(2)} to ${high.toFixed(2)}`;
    const text = `${kind}${name}: ${median.toFixed(1)} µs, ${middle.toFixed(3)} of the first (${spread})`;
    process.stderr.write(`${text}  ${side.folder}\n`);
  }
}

/** In microseconds. With some kernels up to 4 ms old. */
function timeOf({ user, system }: NodeJS.CpuUsage): number {
  return user + system;
}

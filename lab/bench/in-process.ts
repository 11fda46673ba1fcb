// Checkouts of this project in this one process, in turns of milliseconds: the processor time of a request, client included. A
// machine that changes its speed from second to second hides differences below ten percent from races of processes
// (against.ts); here one or two percent show. Reports to standard error: the log of the services goes to standard output.
//   in-process.ts PASSES LOAD,… FOLDER …
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { pathToFileURL } from 'node:url';
import type { loadConfig as LoadConfig } from '../../src/config/load.ts';
import type { runService as RunService } from '../../src/run-service.ts';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { quartiles } from '../quantiles.ts';
import { writeCertificates } from './certificates.ts';
import type { LoadKind } from './contestant.ts';
import { benchSets, loadOf } from './contestants/tessera.ts';
import type { fill as Fill, Seeds } from './fill.ts';
import { Exchange } from './generator/exchange.ts';
import type { ClientTls, Load } from './generator/generator.ts';
import { makeWalk } from './generator/walk.ts';
import { freePorts, readyAfter } from './ready.ts';

const CONNECTIONS = 24;
/** Requests of each connection in one turn. */
const REQUESTS = 6;
const WARM_UP = 150;
const NOTHING = { known: 0, spread: 0, others: 0, ended: 0, deviceCodes: 0 };

interface Side {
  readonly folder: string;
  readonly load: (kind: LoadKind) => Load;
}

interface Turn {
  readonly folder: string;
  readonly run: () => Promise<void>;
  readonly close: () => void;
  readonly microseconds: number[];
}

/** `revoke` spends a grant with each request, and `mixed` with every twentieth. */
const SPENDING = ['revoke', 'mixed'];
const [passes = '600', kinds = 'refresh', ...folders] = process.argv.slice(2);
const own = temporaryFolder('in-process', existsSync('/dev/shm') ? '/dev/shm' : undefined);
try {
  const tls = writeCertificates(own);
  const sides: Side[] = [];
  for (const folder of folders) sides.push(await start(folder, join(own, String(sides.length)), tls));
  for (const kind of kinds.split(',') as LoadKind[]) await compare(kind, sides, tls);
} finally {
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
  const wanted = [...benchSets({ folder: place, certificates: own }, port, tlsPort), 'limits.queueMilliseconds=10000'];
  const config = loadConfig({ env: {}, sets: wanted.filter((set) => isKnown(set, loadConfig)) });
  const filling = { known: 5 * CONNECTIONS + grantsToSpend(), others: 1000 };
  const seeds: Seeds = await fill(config, tls.authority, { ...NOTHING, ...filling, deviceCodes: CONNECTIONS });
  const began = performance.now();
  void runService(config, 1, () => undefined);
  await readyAfter(port, '/readyz', began);
  return { folder, load: (kind) => loadOf(kind, CONNECTIONS, seeds, { port, tlsPort, tls }) };
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

async function compare(kind: LoadKind, sides: readonly Side[], tls: ClientTls): Promise<void> {
  const secure = createSecureContext({ ca: tls.authority, cert: tls.certificate, key: tls.key });
  const turns: Turn[] = [];
  for (const { folder, load } of sides) turns.push({ folder, ...(await open(load(kind), secure)), microseconds: [] });
  for (let pass = 0; pass < WARM_UP; pass++) for (const { run } of turns) await run();
  for (let pass = 0; pass < Number(passes); pass++)
    for (const { run, microseconds } of pass % 2 ? turns : turns.toReversed()) {
      const before = process.threadCpuUsage();
      await run();
      const { user, system } = process.threadCpuUsage(before);
      microseconds.push((user + system) / CONNECTIONS / REQUESTS);
    }
  for (const turn of turns) {
    turn.close();
    report(kind, turn, turns[0] as Turn);
  }
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

function report(kind: LoadKind, { folder, microseconds }: Turn, { microseconds: first }: Turn): void {
  const [, median] = quartiles(microseconds);
  const ratios = microseconds.map((value, pass) => value / (first[pass] as number));
  const [low, middle, high] = quartiles(ratios);
  const spread = `${low.toFixed(2)} to ${high.toFixed(2)}`;
  process.stderr.write(`${kind}: ${median.toFixed(1)} µs, ${middle.toFixed(3)} of the first (${spread})  ${folder}\n`);
}

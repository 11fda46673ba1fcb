// Start time, and resources of a freshly started process.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { median } from '../quantiles.ts';
import type { RunningTessera } from './contestants/tessera.ts';
import { atMost, type Fact } from './facts.ts';
import { CORES, startPinned } from './pinned.ts';
import { memoryOf } from './probe/processes.ts';
import { freePorts, readyAfter } from './ready.ts';
import type { Stable } from './stable.ts';

interface Started {
  readonly ms: number;
  readonly memory: number;
}

/** A program to start repeatedly, and the path that answers when it is ready. */
interface Starter {
  readonly file: string;
  readonly args: (port: number, tlsPort: number) => readonly string[];
  readonly path: string;
}

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const SOURCES = pathOf('../../src/cli/main.ts');
const PACKAGE = pathOf('../../dist/cli/main.js');
const ECHO = 'fastify echo';

/** Medians of starts in turns. The first start of each fills the compile cache and is not counted. */
export async function startFacts(stable: Stable, many: number, folder: string, rounds: number): Promise<Fact[]> {
  if (spawnSync(process.execPath, [pathOf('../../runtime/build.mjs')], { stdio: 'inherit' }).status !== 0)
    throw new Error('the package cannot be built');
  const [few, full] = [await stable.tessera(), await stable.manyGrants()];
  const grants = many.toLocaleString('en');
  const starters: Readonly<Record<string, Starter>> = {
    [ECHO]: echo(folder),
    '1,000 grants': serve(SOURCES, few),
    [`${grants} grants`]: serve(SOURCES, full),
    'as a package, 1,000 grants': serve(PACKAGE, few),
    [`as a package, ${grants} grants`]: serve(PACKAGE, full),
  };
  const starts = new Map<string, Started[]>(Object.keys(starters).map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const [name, starter] of Object.entries(starters)) {
      const started = await startOnce(starter);
      if (round > 0) starts.get(name)?.push(started);
    }
  }
  const least = starts.get(ECHO) ?? [];
  return [...starts].flatMap(([name, own]) => (name === ECHO ? echoFacts(own) : factsOf(name, own, least)));
}

function echoFacts(own: readonly Started[]): Fact[] {
  return [{ what: `ready after start, ${ECHO}`, measured: `${median(own.map(({ ms }) => ms)).toFixed(0)} ms` }];
}

function factsOf(name: string, own: readonly Started[], least: readonly Started[]): Fact[] {
  const ready = atMost(`ready after start, ${name}`, median(own.map(({ ms }) => ms)), 500, 'ms');
  const ratio = median(own.map(({ ms }, round) => ms / (least[round]?.ms ?? Number.NaN)));
  return [
    { ...ready, measured: `${ready.measured}, ${ratio.toFixed(1)} × the echo’s` },
    atMost(`memory, idle, ${name}`, median(own.map(({ memory }) => memory)), 120, 'MB'),
  ];
}

function echo(folder: string): Starter {
  const file = pathOf('servers/echo.ts');
  return { file, args: (port, tlsPort) => ['fastify', '1', String(port), String(tlsPort), folder], path: '/echo' };
}

/** Next to an idle service on the same store. */
function serve(file: string, { sets }: RunningTessera): Starter {
  const all = sets.flatMap((set) => ['--set', set]);
  const args = (port: number, tlsPort: number) => [
    ...all,
    ...['--set', `listeners.0.port=${port}`, '--set', `listeners.1.port=${tlsPort}`, 'serve'],
  ];
  return { file, args, path: '/readyz' };
}

const SETTLED_MS = 500;

async function startOnce({ file, args, path }: Starter): Promise<Started> {
  const [port = 0, tlsPort = 0] = await freePorts(2);
  const began = performance.now();
  const child = startPinned(file, args(port, tlsPort), {
    core: CORES.server,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ms = await readyAfter(port, path, began);
  await sleep(SETTLED_MS);
  const memory = memoryOf([child.pid as number]);
  const ended = once(child, 'exit');
  child.kill();
  await ended;
  return { ms, memory };
}

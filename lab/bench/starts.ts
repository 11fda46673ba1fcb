// Start time and memory of a freshly started service with many grants, beside an echo.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { median } from '../quantiles.ts';
import type { Fact } from './facts.ts';
import { CORES, startPinned } from './pinned.ts';
import { memoryOf } from './probe/processes.ts';
import { freePorts, readyAfter } from './ready.ts';
import { MANY, type Stable } from './stable.ts';

/** A program to start repeatedly, and the path that answers when it is ready. */
interface Starter {
  readonly file: string;
  readonly args: (port: number, tlsPort: number) => readonly string[];
  readonly path: string;
}

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const SETTLED_MS = 500;

/** Medians of starts in turns, next to an idle service on the same store. The first start of each fills the compile cache and is not counted. */
export async function startFacts(stable: Stable, many: number, folder: string, rounds: number): Promise<Fact[]> {
  const { sets } = await stable.tessera(MANY);
  const echo: Starter = {
    file: pathOf('servers/echo.ts'),
    args: (port, tlsPort) => [String(port), String(tlsPort), folder],
    path: '/echo',
  };
  const ours: Starter = {
    file: pathOf('../../src/cli/main.ts'),
    args: (port, tlsPort) => [
      ...[...sets, `listeners.0.port=${port}`, `listeners.1.port=${tlsPort}`].flatMap((set) => ['--set', set]),
      'serve',
    ],
    path: '/readyz',
  };
  const starts: { readonly ms: number; readonly memory: number; readonly ratio: number }[] = [];
  for (let round = 0; round <= rounds; round++) {
    const least = await startOnce(echo);
    const own = await startOnce(ours);
    if (round > 0) starts.push({ ...own, ratio: own.ms / least.ms });
  }
  const of = (figure: 'ms' | 'memory' | 'ratio') => median(starts.map((each) => each[figure]));
  const grants = `${many.toLocaleString('en')} grants`;
  return [
    {
      what: `ready after start, ${grants}`,
      measured: `${of('ms').toFixed(0)} ms, ${of('ratio').toFixed(1)} × the echo’s`,
    },
    { what: `memory, idle, ${grants}`, measured: `${of('memory').toFixed(0)} MB` },
  ];
}

async function startOnce({ file, args, path }: Starter): Promise<{ readonly ms: number; readonly memory: number }> {
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

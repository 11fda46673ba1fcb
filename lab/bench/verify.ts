// Requests a second that an API answers with @tessera/verify in front of it, beside the same API without it, in turns. The service
// runs in this process, and is not counted: it is asked only about tokens whose answer is not kept.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { VerifierOptions } from '../../sdk/verify/src/verify.ts';
import { freePort } from '../../test/free-port.ts';
import { type ProtectedApi, startProtected } from '../../test/sdk/verify/protected-api.ts';
import { circumstances, type Row, type Rows, writeFigures } from '../figures/data.ts';
import { median } from '../quantiles.ts';
import { Generator } from './generator/generator.ts';
import { getHead } from './generator/walk.ts';
import { CORES, startPinned, stopped } from './pinned.ts';
import { type Lane, type LaneResult, race } from './race.ts';
import { firstMessage } from './ready.ts';
import { suiteTable } from './report/table.ts';
import { FRAMEWORKS, type Framework, type ServerOrder } from './servers/verify.ts';

const ENTRY = fileURLToPath(new URL('servers/verify.ts', import.meta.url));
const CONNECTIONS = 32;

interface Kind {
  readonly name: string;
  readonly format: 'jwt' | 'opaque';
  /** Undefined: without protection. */
  readonly options: Partial<VerifierOptions> | undefined;
}

const KINDS: readonly Kind[] = [
  { name: 'bare', format: 'jwt', options: undefined },
  { name: 'JWT', format: 'jwt', options: {} },
  { name: 'opaque, answer kept', format: 'opaque', options: {} },
  { name: 'opaque, asked every time', format: 'opaque', options: { cacheFor: 0 } },
];

export async function raceVerifiers(args: readonly string[]): Promise<void> {
  const options = { rounds: { type: 'string', default: '5' }, seconds: { type: 'string', default: '0.5' } } as const;
  const { values } = parseArgs({ args: [...args], options });
  const [rounds, seconds] = [Number(values.rounds), Number(values.seconds)];
  const about = circumstances('npm run lab -- verify');
  const measured: Row[] = [];
  const api = await startProtected();
  const generator = new Generator(CORES.generator);
  const pace = { rounds, seconds, warmUpSeconds: 0.2, coldSeconds: 2, connections: CONNECTIONS };
  try {
    for (const framework of FRAMEWORKS) {
      const lanes: Lane[] = [];
      for (const kind of KINDS) lanes.push(await startLane(framework, kind, api));
      const results = await race('verify', lanes, generator, pace);
      for (const { running } of lanes) await running.stop();
      console.log(suiteTable({ title: framework }, results));
      const cpu = ({ slices }: LaneResult) => median(slices.map(({ cpuPerRequest }) => cpuPerRequest));
      measured.push({ '': framework, ...Object.fromEntries(results.map((lane, at) => [KINDS[at]?.name, cpu(lane)])) });
    }
  } finally {
    generator.stop();
    await api.stop();
  }
  const figures: Rows = { ...about, rows: measured };
  writeFigures('verify', figures, rounds < 3);
}

async function startLane(framework: Framework, { name, format, options }: Kind, api: ProtectedApi): Promise<Lane> {
  const tokens = await Promise.all(Array.from({ length: CONNECTIONS }, () => api.token(format)));
  const port = await freePort();
  const child = startPinned(ENTRY, [], { core: CORES.server, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  child.send({ framework, port, options: options && { ...api.options, ...options } } satisfies ServerOrder);
  await firstMessage(child);
  const walks = tokens.map((token) => ({
    kind: 'same' as const,
    request: `${getHead('/orders')}${token}\r\n\r\n`,
    status: 200,
  }));
  return {
    name: `${framework}, ${name}`,
    running: {
      pids: [child.pid as number],
      load: () => ({ port, walks, freshConnections: false }),
      stop: () => stopped(child),
    },
  };
}

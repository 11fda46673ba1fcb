// Every attack on a service with default limits, beside honest callers: some that keep their connections, and some that connect anew.
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Seeded } from '../../../test/seeded.ts';
import { CORES, startPinned, stopped } from '../../bench/pinned.ts';
import { type CrowdOptions, printLine } from '../crowds/crowds.ts';
import { type Front, startFront, stockOf, throughOf } from '../crowds/fronts.ts';
import { Generator, type Order, type Tally } from '../crowds/generator.ts';
import { CLOSED, NOT_CONNECTED } from '../crowds/line.ts';
import { ATTACKS as HTTP2_ATTACKS } from '../http2/attacks.ts';

import { heldPlaces } from '../siege.ts';
import { FLOODS } from './floods.ts';
import { RAW_ATTACKS } from './raw-attacks.ts';

const HEAD = ['attack', 'front', 'rate', 'p50', 'p99', 'failed', 'new: p50', 'slowest', 'failed', 'MiB', 'opened'];
const WIDTHS = [44, 15, 6, 7, 7, 7, 9, 8, 7, 5, 7];
const ENTRY = fileURLToPath(new URL('attack-process.ts', import.meta.url));
const ATTACKS = [RAW_ATTACKS, HTTP2_ATTACKS, FLOODS].flatMap((table) => Object.keys(table));
const GRANTS = 16;
/** The first third is not measured: the attack begins in it. */
const LASTS_MS = 2100;
const BEGIN_AFTER_MS = 300;
const NEWCOMERS = 20;
const AFTER_MS = 500;
const STOP_AFTER_MS = 1500;

interface Callers {
  readonly kept: Generator;
  readonly newcomers: Generator;
}

interface Met {
  readonly kept: Tally;
  readonly newcomers: Tally;
  /** Connections that the attacker opened. */
  readonly opened: number;
}

/** Returns in how many rows callers on kept connections were not served, a slot stayed taken, or a stop lost requests. */
export async function besiege(_cycles: number, _chance: Seeded, options: CrowdOptions): Promise<number> {
  const { through = 'bare', only = '' } = options;
  const [name = 'bare'] = throughOf(through);
  const front = await startFront(await stockOf(GRANTS), name);
  const callers = { kept: new Generator(), newcomers: new Generator() };
  console.log(`load of the machine: ${loadavg()[0]?.toFixed(1)}; default limits; times in ms; rate: of the rate alone`);
  printLine(HEAD, WIDTHS);
  await meet(front, callers); // cold code is slow
  const alone = await meet(front, callers);
  print('nobody', front, alone, alone);
  let broken = 0;
  for (const what of ATTACKS.filter((each) => each.includes(only)))
    broken += print(what, front, await attack(what, front, callers), alone);
  if (name === 'bare') broken += (await heldPlaces({ reach: front })).length;
  if (name === 'bare' && !only) broken += await stopUnderLoad(front, callers);
  await front.stop();
  for (const generator of Object.values(callers)) generator.close();
  console.log(`${broken} rows broken`);
  return broken;
}

async function attack(name: string, front: Front, callers: Callers): Promise<Met> {
  const { port, ca, child } = front;
  const attacker = startAttacker([name, String(port), ca]);
  await attacker.opened();
  setTimeout(() => attacker.begin(), BEGIN_AFTER_MS);
  const met = await meet(front, callers);
  const opened = await attacker.opened();
  await attacker.stop();
  await pause(AFTER_MS);
  if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${front.through} died: ${name}`);
  return { ...met, opened };
}

/** A process that begins at the message `begin`, and answers every message with the number of connections opened. */
function startAttacker(args: readonly string[]) {
  const child = startPinned(ENTRY, args, { core: CORES.generator, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const ask = async (what: 'begin' | 'opened?') => {
    child.send(what);
    const [count] = (await once(child, 'message')) as [number];
    return count;
  };
  return { begin: () => void ask('begin'), opened: () => ask('opened?'), stop: () => stopped(child) };
}

/** 200 requests a second over kept connections, and ten new connections a second. */
async function meet(front: Front, callers: Callers): Promise<Met> {
  const [[kept], [newcomers]] = await Promise.all([
    callers.kept.run(front, keptOrder(front, { connections: 8, perSecond: 200 })),
    callers.newcomers.run(front, newcomersOrder(front)),
  ]);
  return { kept, newcomers, opened: 0 } as Met;
}

function keptOrder({ stock }: Front, { connections, perSecond }: Record<'connections' | 'perSecond', number>): Order {
  const tokens = stock.pairs.map(({ access_token }) => access_token);
  const from = Array.from({ length: connections }, (_, n) => `127.50.${n % 10}.1`);
  return { load: { connections, from, tokens, isConnected: true, demands: [{ perSecond }], lastsMs: LASTS_MS } };
}

function newcomersOrder({ stock: { pairs } }: Front): Order {
  const crowd = Array.from({ length: NEWCOMERS }, (_, n) => ({
    ...{ atMs: LASTS_MS / 3 + (n * LASTS_MS) / NEWCOMERS, from: `127.51.${n}.1`, pair: pairs[n % GRANTS] },
    steps: ['verify'] as const,
  }));
  return { crowd };
}

/** A request that was sent over an open connection must be answered. Later connections are refused. */
async function stopUnderLoad(front: Front, callers: Callers): Promise<number> {
  const exit = once(front.child, 'exit');
  setTimeout(() => front.child.kill('SIGTERM'), STOP_AFTER_MS);
  const [[kept], [newcomers]] = await Promise.all([
    callers.kept.run(front, keptOrder(front, { connections: 50, perSecond: 1000 })),
    callers.newcomers.run(front, newcomersOrder(front)),
  ]);
  const [code] = await exit;
  const all = [kept as Tally, newcomers as Tally];
  const sum = (count: (tally: Tally) => number) => all.reduce((total, tally) => total + count(tally), 0);
  const lost = sum(({ answers, unanswered }) => (answers[CLOSED] ?? 0) + unanswered);
  const [served, unsent] = [sum(({ answers }) => answers[200] ?? 0), sum(({ answers }) => answers[NOT_CONNECTED] ?? 0)];
  const refused = sum(({ sent }) => sent) - served - unsent - lost;
  console.log(
    `a stop under load, ${front.through}: ${served} served, ${refused} refused, ${lost} lost, ${unsent} could not connect; exit code ${code}`,
  );
  return lost > 0 || code !== 0 ? 1 : 0;
}

function print(what: string, { through }: Front, { kept, newcomers, opened }: Met, alone: Met): number {
  const failed = ({ sent, answers }: Tally) => sent - (answers[200] ?? 0);
  const rate = (kept.perSecond / alone.kept.perSecond).toFixed(2);
  const ofKept = [rate, kept.p50.toFixed(1), kept.p99.toFixed(1), String(failed(kept))];
  const ofNew = [newcomers.p50.toFixed(1), newcomers.slowest.toFixed(0), String(failed(newcomers))];
  const isBroken = failed(kept) > 0;
  const memory = kept.memoryMiB.toFixed(0);
  printLine([what, through, ...ofKept, ...ofNew, memory, String(opened), isBroken ? 'BROKEN' : 'ok'], WIDTHS);
  return isBroken ? 1 : 0;
}

// A service with a CPU quota on one core, and honest callers with connections and grants on the other.
import { setTimeout as pause } from 'node:timers/promises';
import { createSecureContext, type SecureContext } from 'node:tls';
import { tlsOptionsOf } from '../../../test/e2e/caller.ts';
import { CORES, pin } from '../../bench/pinned.ts';
import { acknowledged, aftermath, cpuMs, residentMiB, type Siege, startSiege } from '../siege.ts';
import { type Line, SocketLine } from './line.ts';
import { type Caller, type Demand, type LoadReport, runLoad, type Walk } from './load.ts';
import { limitCpu } from './quota.ts';
import { streamLines } from './stream-line.ts';
import { type Chain, type Kind, walkOf } from './walks.ts';

/** So many requests at a time keep the service busy without overloading it. */
export const AT_CAPACITY = 16;
/** Share of a core, so that a generator on the other core can send many times the service's capacity. */
const QUOTA = 0.35;
export const SLICE_MS = 1000;
/** Shedding begins after a second; what HTTP/2 callers sent before takes about as long. */
export const WARM_UP_MS = 2000;
const QUICK_MS = 250;

export interface Field {
  readonly siege: Siege;
  readonly secure: SecureContext;
  /** By connection. They are connected before the load starts: the floods measure the cost of connecting. */
  readonly lines: readonly (readonly Line[])[];
  readonly chains: readonly Chain[];
  readonly removeQuota: (() => void) | undefined;
  /** Before the attack. */
  readonly memoryMiB: number;
}

export interface Plan {
  readonly kinds: readonly Kind[];
  readonly connections: number;
  /** Callers on each connection, over HTTP/2; undefined: one, over HTTP/1.1. */
  readonly streams?: number;
}

export async function prepareField({ kinds, connections, streams }: Plan): Promise<Field> {
  pin(process.pid, CORES.generator);
  const siege = await startSiege({ core: CORES.server, settings: { limits: { idleTimeout: '10m' } } });
  const { cert, key, ca } = tlsOptionsOf(siege.reach) as Record<'cert' | 'key' | 'ca', string>;
  const secure = createSecureContext({ cert, key, ca });
  const chains = (await acknowledged(siege.reach, connections)).map((pair) => ({ pair }));
  const lines = chains.map((_, n) => {
    const place = { port: siege.port, secure, from: `127.0.${1 + (n % 8)}.${1 + (n % 25)}` };
    return streams ? streamLines(place, streams) : [new SocketLine(place)];
  });
  const removeQuota = limitCpu(siege.child.pid as number, QUOTA);
  console.log(
    removeQuota ? `the service has ${QUOTA * 100} % of one core` : 'no CPU quota here: the multiples reached are lower',
  );
  const field = { siege, secure, lines, chains, removeQuota, memoryMiB: 0 };
  // Idle connections get closed, and cold code is slow.
  for (const { line, walk } of callersOf('verify', field).slice(0, connections))
    await new Promise((resolve) => line.ask(walk.next(), resolve));
  for (const kind of kinds) {
    await load(kind, field, { inFlight: AT_CAPACITY });
    await settle(field);
  }
  return { ...field, memoryMiB: residentMiB(siege) };
}

/** Stops the service; returns how many promises were broken. */
export async function leaveField({ siege, lines, chains, memoryMiB, removeQuota }: Field): Promise<number> {
  for (const line of lines.flat()) line.close();
  const broken = await aftermath(
    siege,
    chains.slice(0, 100).map(({ pair }) => pair),
    memoryMiB,
  );
  removeQuota?.();
  return broken.length;
}

export async function load(kind: Kind, field: Field, demand: Demand): Promise<LoadReport> {
  const service = { memoryMiB: () => residentMiB(field.siege), cpuMs: () => cpuMs(field.siege) };
  return runLoad(callersOf(kind, field), { demand, warmUpMs: WARM_UP_MS, milliseconds: SLICE_MS, service });
}

/** The first of each connection, then the second ones, and so on. */
function callersOf(kind: Kind, { lines, chains }: Field): Caller[] {
  const walks = chains.map((chain, n) => walkOf(kind, chain, n));
  const [first = []] = lines;
  return first.flatMap((_, at) => lines.map((ofOne, n) => ({ line: ofOne[at] as Line, walk: walks[n] as Walk })));
}

/** Waits until every caller has an answer. */
export async function settle({ lines }: Field, milliseconds = 10_000): Promise<void> {
  const end = performance.now() + milliseconds;
  while (lines.flat().some(({ isBusy }) => isBusy) && performance.now() < end) await pause(20);
}

/**
 * Time from the end of the load until five requests in a row of a new caller are accepted quickly. A caller who gets no quick answer
 * connects anew: the kernel may have ignored its first attempt, and would repeat it only after a second.
 */
export async function recovery({ siege, secure, chains }: Field): Promise<number> {
  const ended = performance.now();
  const newLine = () => new SocketLine({ port: siege.port, secure, from: '127.0.0.1' });
  const walk = walkOf('verify', chains[0] as Chain);
  let line = newLine();
  let [inRow, firstGood] = [0, Number.NaN];
  while (inRow < 5 && performance.now() - ended < 5000) {
    const answer = new Promise<number>((resolve) => line.ask(walk.next(), resolve));
    const status = await Promise.race([answer, pause(QUICK_MS, undefined)]);
    if (status === 200 && inRow === 0) firstGood = performance.now() - ended;
    inRow = status === 200 ? inRow + 1 : 0;
    if (status === undefined) {
      line.close();
      line = newLine();
    }
    await pause(10);
  }
  line.close();
  return inRow < 5 ? Number.POSITIVE_INFINITY : firstGood;
}

// A service with a CPU quota on one core, and honest callers with connections and grants on the other.
import { setTimeout as pause } from 'node:timers/promises';
import { createSecureContext, type SecureContext } from 'node:tls';
import { tlsOptionsOf } from '../../../test/e2e/caller.ts';
import { CORES, pin } from '../../bench/pinned.ts';
import { acknowledged, aftermath, cpuMs, residentMiB, type Siege, startSiege } from '../siege.ts';
import { Line } from './line.ts';
import { type Caller, type LoadReport, runLoad, settle } from './load.ts';
import { limitCpu } from './quota.ts';
import { type Chain, KINDS, type Kind, walkOf } from './walks.ts';

/** So many callers, each with one request at a time, keep the service busy without overloading it. */
export const AT_CAPACITY = 16;
export const SLICE_MS = 1000;
/** Shedding begins after a second. */
export const WARM_UP_MS = 1200;
const QUICK_MS = 250;

export interface Field {
  readonly siege: Siege;
  readonly secure: SecureContext;
  /** Connected before the load starts: the floods measure the cost of connecting. */
  readonly lines: readonly Line[];
  readonly chains: readonly Chain[];
  readonly removeQuota: (() => void) | undefined;
  /** Before the attack. */
  readonly memoryMiB: number;
}

/** `quota`: share of a core, so that a generator on the other core can send many times the service's capacity. */
export async function prepareField(callers: number, quota: number): Promise<Field> {
  pin(process.pid, CORES.generator);
  const siege = await startSiege({ core: CORES.server, settings: { limits: { idleTimeout: '10m' } } });
  const { cert, key, ca } = tlsOptionsOf(siege.reach) as Record<'cert' | 'key' | 'ca', string>;
  const secure = createSecureContext({ cert, key, ca });
  const chains = (await acknowledged(siege.reach, callers)).map((pair) => ({ pair }));
  const lines = Array.from({ length: callers }, (_, n) => {
    return new Line({ port: siege.port, secure, from: `127.0.${1 + (n % 8)}.${1 + (n % 25)}` });
  });
  const removeQuota = limitCpu(siege.child.pid as number, quota);
  console.log(
    removeQuota ? `the service has ${quota * 100} % of one core` : 'no CPU quota here: the multiples reached are lower',
  );
  const field = { siege, secure, lines, chains, removeQuota, memoryMiB: 0 };
  // Idle connections get closed, and cold code is slow.
  for (const [n, line] of lines.entries())
    await new Promise((resolve) => line.ask(walkOf('verify', chains[n] as Chain).next(), resolve));
  for (const kind of KINDS) await load(callersOf(kind, field).slice(0, AT_CAPACITY), undefined, field);
  return { ...field, memoryMiB: residentMiB(siege) };
}

/** Stops the service; returns how many promises were broken. */
export async function leaveField({ siege, lines, chains, memoryMiB, removeQuota }: Field): Promise<number> {
  for (const line of lines) line.close();
  const broken = await aftermath(
    siege,
    chains.slice(0, 100).map(({ pair }) => pair),
    memoryMiB,
  );
  removeQuota?.();
  return broken.length;
}

export async function load(
  callers: readonly Caller[],
  perSecond: number | undefined,
  { siege }: Field,
): Promise<LoadReport> {
  const service = { memoryMiB: () => residentMiB(siege), cpuMs: () => cpuMs(siege) };
  const report = await runLoad(callers, { perSecond, warmUpMs: WARM_UP_MS, milliseconds: SLICE_MS, service });
  if (perSecond === undefined) await settle(callers);
  return report;
}

export function callersOf(kind: Kind, { lines, chains }: Field): Caller[] {
  return lines.map((line, n) => ({ line, walk: walkOf(kind, chains[n] as Chain) }));
}

/**
 * Time from the end of the load until five requests in a row of a new caller are accepted quickly. A caller who gets no quick answer
 * connects anew: the kernel may have ignored its first attempt, and would repeat it only after a second.
 */
export async function recovery({ siege, secure, chains }: Field): Promise<number> {
  const ended = performance.now();
  const newLine = () => new Line({ port: siege.port, secure, from: '127.0.0.1' });
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

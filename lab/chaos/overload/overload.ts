// More load than the service can take, of every kind: accepted requests must stay near capacity, and fast.

import { setTimeout as pause } from 'node:timers/promises';
import { createSecureContext, type SecureContext } from 'node:tls';
import { tlsOptionsOf } from '../../../test/e2e/caller.ts';
import { CORES, pin } from '../../bench/pinned.ts';
import { median } from '../../quantiles.ts';
import { acknowledged, aftermath, cpuMs, residentMiB, type Siege, startSiege } from '../siege.ts';
import { FLOODS, type FloodKind, startFlood } from './flood.ts';
import { Line } from './line.ts';
import { type Caller, type LoadReport, runLoad, settle } from './load.ts';
import { limitCpu } from './quota.ts';
import { printTable, type Row, type Turn } from './table.ts';
import { type Chain, KINDS, type Kind, walkOf } from './walks.ts';

/** Share of a core, so that a generator on the other core can send many times the service's capacity. */
const QUOTA = 0.4;
const AT_CAPACITY = 16;
const CALLERS = 800;
const MULTIPLES = [5, 50];
/** Capacity and attack are measured in turns, since the machine's speed changes: what the floods cost is small beside that. */
const TURNS = { load: 7, flood: 15 };
/** A turn in which more of the machine's time was stolen than this is repeated, until there were twice as many turns. */
const MOST_STOLEN = 0.08;
const SLICE_MS = 1000;
/** Shedding begins after a second. */
const WARM_UP_MS = 1200;
const QUICK_MS = 250;

interface Field {
  readonly siege: Siege;
  readonly secure: SecureContext;
  /** Connected before the load starts: the floods measure the cost of connecting. */
  readonly lines: readonly Line[];
  readonly chains: readonly Chain[];
  readonly removeQuota: (() => void) | undefined;
  /** Before the attack. */
  readonly memoryMiB: number;
}

/** Both return how many targets were missed and promises broken. */
export async function attackWithLoad(): Promise<number> {
  const field = await prepare(CALLERS);
  const rows: Row[] = [];
  for (const kind of KINDS) rows.push(...(await overloadOf(kind, field)));
  return verdictOn(rows, field);
}

export async function attackWithHandshakes(): Promise<number> {
  const field = await prepare(AT_CAPACITY);
  const rows: Row[] = [];
  for (const flood of FLOODS) rows.push(await floodOf(flood, field));
  return verdictOn(rows, field);
}

async function verdictOn(
  rows: readonly Row[],
  { siege, lines, chains, memoryMiB, removeQuota }: Field,
): Promise<number> {
  for (const line of lines) line.close();
  const missed = printTable(rows);
  const broken = await aftermath(
    siege,
    chains.slice(0, 100).map(({ pair }) => pair),
    memoryMiB,
  );
  removeQuota?.();
  return missed + broken.length;
}

async function prepare(callers: number): Promise<Field> {
  pin(process.pid, CORES.generator);
  const siege = await startSiege({ core: CORES.server, settings: { limits: { idleTimeout: '10m' } } });
  const { cert, key, ca } = tlsOptionsOf(siege.reach) as Record<'cert' | 'key' | 'ca', string>;
  const secure = createSecureContext({ cert, key, ca });
  const chains = (await acknowledged(siege.reach, callers)).map((pair) => ({ pair }));
  const lines = Array.from({ length: callers }, (_, n) => {
    return new Line({ port: siege.port, secure, from: `127.0.${1 + (n % 8)}.${1 + (n % 25)}` });
  });
  const removeQuota = limitCpu(siege.child.pid as number, QUOTA);
  console.log(
    removeQuota ? `the service has ${QUOTA * 100} % of one core` : 'no CPU quota here: the multiples reached are lower',
  );
  const field = { siege, secure, lines, chains, removeQuota, memoryMiB: 0 };
  // Idle connections get closed, and cold code is slow.
  for (const [n, line] of lines.entries())
    await new Promise((resolve) => line.ask(walkOf('verify', chains[n] as Chain).next(), resolve));
  for (const kind of KINDS) await load(callersOf(kind, field).slice(0, AT_CAPACITY), undefined, field);
  return { ...field, memoryMiB: residentMiB(siege) };
}

async function overloadOf(kind: Kind, field: Field): Promise<Row[]> {
  const callers = callersOf(kind, field);
  const rows: Row[] = [];
  for (const multiple of MULTIPLES) {
    const turns = await inTurns(TURNS.load, callers.slice(0, AT_CAPACITY), field, async (capacity) => {
      const report = await load(callers, multiple * rateOf(capacity), field);
      const recoveryMs = await recovery(field);
      await settle(callers);
      return { report, recoveryMs };
    });
    rows.push({ name: `${kind} × ${multiple}`, turns });
  }
  return rows;
}

async function floodOf(kind: FloodKind, field: Field): Promise<Row> {
  const callers = callersOf('verify', field).slice(0, AT_CAPACITY);
  const perSecond: number[] = [];
  const turns = await inTurns(TURNS.flood, callers, field, async () => {
    const flood = startFlood(kind, field.siege.port);
    // Not measured: the flood starts, and what began before the honest callers came back ends.
    await load(callers, undefined, field);
    const before = await flood.opened();
    const report = await load(callers, undefined, field);
    perSecond.push(((await flood.opened()) - before) / ((WARM_UP_MS + SLICE_MS) / 1000));
    await flood.stop();
    return { report, recoveryMs: await recovery(field) };
  });
  return { name: `verify beside ${Math.round(median(perSecond))}/s ${kind}`, turns };
}

/** The capacity is measured with these callers between the attacks. */
async function inTurns(
  count: number,
  callers: readonly Caller[],
  field: Field,
  attack: (capacity: LoadReport) => Promise<Omit<Turn, 'capacities'>>,
): Promise<Turn[]> {
  const turns: Turn[] = [];
  const disturbed: Turn[] = [];
  let before = await load(callers, undefined, field);
  while (turns.length < count && turns.length + disturbed.length < 2 * count) {
    const attacked = await attack(before);
    const after = await load(callers, undefined, field);
    const turn: Turn = { ...attacked, capacities: [before, after] };
    const isDisturbed = [before, attacked.report, after].some(({ stolen }) => stolen > MOST_STOLEN);
    (isDisturbed ? disturbed : turns).push(turn);
    before = after;
  }
  if (turns.length === count) return turns;
  console.log(
    `other machines on this host were busy: of ${2 * count} turns only ${turns.length} were undisturbed; all count`,
  );
  return [...turns, ...disturbed];
}

async function load(callers: readonly Caller[], perSecond: number | undefined, { siege }: Field): Promise<LoadReport> {
  const service = { memoryMiB: () => residentMiB(siege), cpuMs: () => cpuMs(siege) };
  const report = await runLoad(callers, { perSecond, warmUpMs: WARM_UP_MS, milliseconds: SLICE_MS, service });
  if (perSecond === undefined) await settle(callers);
  return report;
}

function rateOf({ accepted, seconds }: LoadReport): number {
  return accepted / seconds;
}

function callersOf(kind: Kind, { lines, chains }: Field): Caller[] {
  return lines.map((line, n) => ({ line, walk: walkOf(kind, chains[n] as Chain) }));
}

/** Time from the end of the load until five requests in a row of a new caller are accepted quickly. */
async function recovery({ siege, secure, chains }: Field): Promise<number> {
  const ended = performance.now();
  const line = new Line({ port: siege.port, secure, from: '127.0.0.1' });
  const walk = walkOf('verify', chains[0] as Chain);
  let [inRow, firstGood] = [0, Number.NaN];
  while (inRow < 5 && performance.now() - ended < 5000) {
    const asked = performance.now();
    const status = await new Promise<number>((resolve) => line.ask(walk.next(), resolve));
    const isGood = status === 200 && performance.now() - asked < QUICK_MS;
    if (isGood && inRow === 0) firstGood = performance.now() - ended;
    inRow = isGood ? inRow + 1 : 0;
    await pause(10);
  }
  line.close();
  return inRow < 5 ? Number.POSITIVE_INFINITY : firstGood;
}

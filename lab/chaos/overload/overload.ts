// More load than the service can take, of every kind: what it accepts must stay near its capacity, and quick.

import { setTimeout as pause } from 'node:timers/promises';
import { createSecureContext, type SecureContext } from 'node:tls';
import { tlsOptionsOf } from '../../../test/e2e/caller.ts';
import type { Pair } from '../../../test/e2e/steps.ts';
import { CORES, pin } from '../../bench/pinned.ts';
import { acknowledged, aftermath, residentMiB, type Siege, startSiege } from '../siege.ts';
import { FLOODS, type FloodKind, overhearClientHello, startFlood } from './floods.ts';
import { Line } from './line.ts';
import { type Caller, type LoadReport, runLoad, settle } from './load.ts';
import { limitCpu } from './quota.ts';
import { printTable, type Row } from './table.ts';
import { type Acknowledged, KINDS, type Kind, walkOf } from './walks.ts';

/** Of a core: so that a generator on the other core can ask for many times what the service can do. */
const QUOTA = 0.3;
const AT_CAPACITY = 24;
const CALLERS = 600;
const MULTIPLES = [2, 5, 20];
const SLICE_MS = 2000;
const WARM_UP_MS = 700;

interface Field {
  readonly siege: Siege;
  readonly secure: SecureContext;
  readonly pairs: readonly Pair[];
  readonly kept: Acknowledged;
}

/** Returns how many targets were missed and promises broken. */
export async function attackWithLoad(): Promise<number> {
  pin(process.pid, CORES.generator);
  const unlimited = { requestsPerAddress: { perMinute: 1_000_000, burst: 1_000_000 } };
  const siege = await startSiege({ core: CORES.server, settings: { limits: unlimited } });
  const { cert, key, ca } = tlsOptionsOf(siege.reach) as Record<'cert' | 'key' | 'ca', string>;
  const secure = createSecureContext({ cert, key, ca });
  const before = await acknowledged(siege.reach);
  const pairs = await acknowledged(siege.reach, CALLERS);
  const removeQuota = limitCpu(siege.child.pid as number, QUOTA);
  console.log(
    removeQuota ? `the service has ${QUOTA * 100} % of one core` : 'no CPU quota here: the multiples reached are lower',
  );
  const field: Field = { siege, secure, pairs, kept: new Set() };
  const rows: Row[] = [];
  let memory = 0;
  for (const kind of KINDS) {
    rows.push(...(await overloadOf(kind, field)));
    memory ||= residentMiB(siege); // after the first kind at capacity and beyond: a service that has been used
  }
  for (const flood of FLOODS) rows.push(await floodOf(flood, field));
  const missed = printTable(rows);
  const left = [...field.kept].map(({ pair }) => pair);
  const broken = await aftermath(siege, [...before, ...left.slice(0, 200)], memory);
  removeQuota?.();
  return missed + broken.length;
}

async function overloadOf(kind: Kind, field: Field): Promise<Row[]> {
  const few = callersOf(kind, AT_CAPACITY, field);
  const capacity = await load(few, undefined, field);
  await finish(few);
  const rows: Row[] = [];
  for (const multiple of MULTIPLES) {
    const many = callersOf(kind, CALLERS, field);
    const report = await load(many, multiple * rateOf(capacity), field);
    const recovery = await recoveryMs(many, field);
    rows.push({ name: `${kind} × ${multiple}`, capacity, report, recoveryMs: recovery });
    await finish(many);
  }
  return rows;
}

async function floodOf(kind: FloodKind, field: Field): Promise<Row> {
  const callers = callersOf('verify', AT_CAPACITY, field);
  const capacity = await load(callers, undefined, field);
  const flood = startFlood(kind, field.siege.port, await overhearClientHello());
  const report = await load(callers, undefined, field);
  const perSecond = flood.opened() / ((WARM_UP_MS + SLICE_MS) / 1000);
  flood.stop();
  const recovery = await recoveryMs(callers, field);
  await finish(callers);
  return { name: `verify beside ${Math.round(perSecond)}/s ${kind}`, capacity, report, recoveryMs: recovery };
}

function load(callers: readonly Caller[], perSecond: number | undefined, { siege }: Field): Promise<LoadReport> {
  const memory = () => residentMiB(siege);
  return runLoad(callers, { perSecond, warmUpMs: WARM_UP_MS, milliseconds: SLICE_MS, memory });
}

export function rateOf({ accepted, seconds }: LoadReport): number {
  return accepted / seconds;
}

function callersOf(kind: Kind, count: number, { siege, secure, pairs, kept }: Field): Caller[] {
  return Array.from({ length: count }, (_, n) => {
    const from = `127.0.${1 + (n % 8)}.${1 + (n % 25)}`;
    const first = pairs[n % pairs.length] as Pair;
    const walk = walkOf(kind, latest(first, kept), kept, first);
    return { line: new Line({ port: siege.port, secure, from }), walk };
  });
}

/** A chain goes on where the last walk on it stopped. */
function latest(first: Pair, kept: Acknowledged): Pair {
  for (const last of kept)
    if (last.first === first) {
      kept.delete(last);
      return last.pair;
    }
  return first;
}

/** From the end of the load until five requests in a row are accepted quickly. */
async function recoveryMs(callers: readonly Caller[], { siege, secure, pairs }: Field): Promise<number> {
  const ended = performance.now();
  const line = new Line({ port: siege.port, secure, from: '127.0.0.1' });
  const walk = walkOf('verify', pairs[0] as Pair, new Set());
  let [inRow, firstGood] = [0, Number.NaN];
  while (inRow < 5 && performance.now() - ended < 5000) {
    const asked = performance.now();
    const status = await new Promise<number>((resolve) => line.ask(walk.next(), resolve));
    const isGood = status === 200 && performance.now() - asked < 100;
    if (isGood && inRow === 0) firstGood = performance.now() - ended;
    inRow = isGood ? inRow + 1 : 0;
    await pause(10);
  }
  line.close();
  await settle(callers, 3000);
  return inRow < 5 ? Number.POSITIVE_INFINITY : firstGood;
}

async function finish(callers: readonly Caller[]): Promise<void> {
  await settle(callers, 3000);
  for (const { line } of callers) line.close();
  await pause(200);
}

// An attack on a service beside a twin of it on the same core. The twin has as many callers, and a load that it can take: its rate shows
// what the machine is able to do at that moment.
import { AT_CAPACITY, type Field, leaveField, load, type Plan, prepareField, settle } from './field.ts';
import { type Demand, type LoadReport, rateOf } from './load.ts';
import type { Turn } from './table.ts';
import type { Kind } from './walks.ts';

const TURNS = 15;

export interface Twins {
  /** The one that is attacked. */
  readonly field: Field;
  readonly twin: Field;
}

export async function prepareTwins(plan: Plan): Promise<Twins> {
  return { field: await prepareField(plan), twin: await prepareField(plan) };
}

/** Returns how many promises were broken. */
export async function leaveTwins({ field, twin }: Twins): Promise<number> {
  return (await leaveField(field)) + (await leaveField(twin));
}

export interface Both {
  readonly report: LoadReport;
  readonly beside: LoadReport;
}

const CAPACITY: Demand = { inFlight: AT_CAPACITY };

export async function loadBoth(kind: Kind, { field, twin }: Twins, demand = CAPACITY): Promise<Both> {
  await Promise.all([settle(field), settle(twin)]);
  const [report, beside] = await Promise.all([load(kind, field, demand), load(kind, twin, CAPACITY)]);
  return { report, beside };
}

/** Before and after each attack, both services have the same load: the ratio of their rates. */
export async function inTurns(
  kind: Kind,
  twins: Twins,
  attack: (before: LoadReport) => Promise<{ readonly during: Both; readonly recoveryMs: number }>,
): Promise<Turn[]> {
  const turns: Turn[] = [];
  let before = await loadBoth(kind, twins);
  while (turns.length < TURNS) {
    const { during, recoveryMs } = await attack(before.report);
    const after = await loadBoth(kind, twins);
    const capacity = rateOf(during.beside) * ((ratioOf(before) + ratioOf(after)) / 2);
    turns.push({ before: before.report, report: during.report, recoveryMs, capacity });
    before = after;
  }
  return turns;
}

function ratioOf({ report, beside }: Both): number {
  return rateOf(report) / rateOf(beside);
}

// More load than the service can take, of every kind: accepted requests must stay near capacity, and fast.
import { type Plan, recovery } from './field.ts';
import { rateOf } from './load.ts';
import { printTable, type Row } from './table.ts';
import { inTurns, leaveTwins, loadBoth, prepareTwins, type Twins } from './twins.ts';
import { KINDS, type Kind } from './walks.ts';

const MULTIPLES = [5, 50];
const PLANS: readonly (Plan & { readonly over: string })[] = [
  { over: 'HTTP/1.1', kinds: KINDS, connections: 2000 },
  { over: 'HTTP/2', kinds: ['verify'], connections: 200, streams: 90 },
];

/** Returns how many targets were missed and promises broken. */
export async function attackWithLoad(): Promise<number> {
  const rows: Row[] = [];
  let broken = 0;
  for (const plan of PLANS) {
    const twins = await prepareTwins(plan);
    for (const kind of plan.kinds)
      for (const multiple of MULTIPLES) {
        const name = `${kind} over ${plan.over} × ${multiple}`;
        rows.push({ name, turns: await overloadOf(kind, multiple, twins) });
      }
    broken += await leaveTwins(twins);
  }
  return printTable(rows) + broken;
}

async function overloadOf(kind: Kind, multiple: number, twins: Twins): Promise<Row['turns']> {
  return inTurns(kind, twins, async (before) => {
    const during = await loadBoth(kind, twins, { perSecond: multiple * rateOf(before) });
    return { during, recoveryMs: await recovery(twins.field) };
  });
}

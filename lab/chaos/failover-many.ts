import type { Seeded } from '../../test/seeded.ts';
import { type Cluster, type Failover, failover, failoverField } from './failover.ts';
import { patroniCluster } from './patroni.ts';
import { standbyCluster } from './standby.ts';

export function failoverToStandby(cycles: number, chance: Seeded): Promise<number> {
  return failoverMany(standbyCluster, cycles, chance);
}

export function failoverByPatroni(cycles: number, chance: Seeded): Promise<number> {
  return failoverMany(patroniCluster, cycles, chance);
}

/** Returns how many promises were broken. */
async function failoverMany(start: () => Promise<Cluster>, cycles: number, chance: Seeded): Promise<number> {
  const field = await failoverField(await start());
  const failovers: Failover[] = [];
  try {
    for (let cycle = 1; cycle <= cycles; cycle++) {
      const each = await failover(field, chance);
      failovers.push(each);
      for (const what of each.broken) console.error(`failover ${cycle}: ${what}`);
      console.log(`failover ${cycle}: ${summary([each])}`);
    }
  } finally {
    await field.remove();
  }
  console.log(`${cycles} kills of the primary: ${summary(failovers)}`);
  return total(failovers, ({ broken }) => broken.length);
}

function summary(failovers: readonly Failover[]): string {
  const answers = [...new Set(failovers.flatMap(({ statuses }) => [...statuses.keys()]))].sort((a, b) => a - b);
  return [
    `${total(failovers, ({ promised }) => promised)} acknowledged pairs and revocations`,
    `${total(failovers, ({ broken }) => broken.length)} broken`,
    `${total(failovers, ({ unavailable }) => unavailable)} told to come again`,
    `over HTTP ${answers.map((status) => `${total(failovers, ({ statuses }) => statuses.get(status) ?? 0)} × ${status}`).join(' and ')}`,
    `first change after ${recovery(failovers)} s`,
  ].join(', ');
}

/** Minimum, median and maximum, in seconds. */
function recovery(failovers: readonly Failover[]): string {
  const sorted = failovers.map(({ recoveredAfterMs }) => recoveredAfterMs / 1000).sort((a, b) => a - b);
  if (sorted.length === 1) return sorted[0]?.toFixed(2) ?? '';
  const middle = sorted[Math.floor(sorted.length / 2)];
  return `${sorted[0]?.toFixed(2)} to ${sorted.at(-1)?.toFixed(2)}, in the middle ${middle?.toFixed(2)}`;
}

function total(failovers: readonly Failover[], of: (each: Failover) => number): number {
  return failovers.reduce((sum, each) => sum + of(each), 0);
}

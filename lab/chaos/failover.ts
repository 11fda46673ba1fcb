// Under load the primary loses the link to its standbys and is killed with -9; another takes over, and the dead one returns
// as standby; repeatedly. Nothing acknowledged is lost, no token works twice, and callers get nothing worse than
// "not now".
import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { storeOf } from '../../src/store/change.ts';
import { readHistory } from '../../src/store/tables/store-history.ts';
import { systemClock } from '../../src/system.ts';
import { makeHome } from '../../test/e2e/service.ts';
import { aNode, anotherNode, issue, type Node } from '../../test/node.ts';
import type { Seeded } from '../../test/seeded.ts';
import { openAt } from '../../test/store/postgres-node.ts';
import { Callers } from './callers.ts';
import { entryOf, Service } from './service.ts';
import { verdict } from './verdict.ts';
import { Witness } from './witness.ts';

const SHORTEST_LOAD_MS = 300;
const LONGEST_LOAD_MS = 1200;
/** Long enough to expose a primary that acknowledges without its standby. */
const SEVERED_MS = 100;

/** Databases of which one is the primary. */
export interface Cluster {
  /** With every host, as a node's configuration names it. */
  readonly url: string;
  /** Cuts the primary off from its standbys. */
  severReplication(): Promise<void>;
  /** Kills all processes of the primary at once. */
  killPrimary(): Promise<void>;
  /** Starts the takeover, after the dead primary's last answers have arrived. */
  takeOver(): Promise<void>;
  /** Brings the dead primary back as a standby. */
  repair(): Promise<void>;
  remove(): Promise<void>;
}

/** Three nodes in this process, and a whole service in its own, on one cluster. */
export interface FailoverField {
  readonly cluster: Cluster;
  readonly nodes: readonly [Node, ...Node[]];
  readonly service: Service;
  remove(): Promise<void>;
}

export interface Failover {
  readonly promised: number;
  readonly broken: readonly string[];
  /** Requests on the nodes that got "retry later". */
  readonly unavailable: number;
  /** Count of each status of the service. */
  readonly statuses: ReadonlyMap<number, number>;
  /** From the kill to the first acknowledged change. */
  readonly recoveredAfterMs: number;
}

/** Returns how many promises were broken. */
export async function failoverMany(start: () => Promise<Cluster>, cycles: number, chance: Seeded): Promise<number> {
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

export async function failoverField(cluster: Cluster): Promise<FailoverField> {
  const home = makeHome({ listeners: [{}], settings: { store: cluster.url }, log: { level: 'silent' } });
  const open = async () => storeOf(await openAt(cluster.url));
  const ports = { keyring: home.keyring, clock: systemClock };
  const first = await aNode(await open(), ports);
  const nodes = [first, await anotherNode(await open(), ports), await anotherNode(await open(), ports)] as const;
  const service = await Service.start(entryOf(home));
  const remove = async () => {
    await Promise.all([service.kill(), ...nodes.map(({ store }) => store.close())]);
    await cluster.remove();
    rmSync(home.folder, { recursive: true });
  };
  return { cluster, nodes: [...nodes], service, remove };
}

/** One kill of the primary, and the findings afterwards. */
export async function failover({ cluster, nodes, service }: FailoverField, chance: Seeded): Promise<Failover> {
  const callers = new Callers(nodes);
  const witness = new Witness(service.port, await issue(nodes[0]));
  await pause(SHORTEST_LOAD_MS + chance.below(LONGEST_LOAD_MS));
  await cluster.severReplication();
  await pause(SEVERED_MS);
  await cluster.killPrimary();
  const killedAt = performance.now();
  callers.calmDown();
  await cluster.takeOver();
  const recoveredAt = await callers.acknowledgedAfter(performance.now());
  await cluster.repair();
  await pause(SHORTEST_LOAD_MS);
  const { promised, unavailable, violations } = await callers.stop();
  const { statuses, surprises } = await witness.stop();
  const { broken } = await verdict(promised, nodes[0]);
  const { epoch, rollback } = await readHistory(nodes[0].store);
  const alarm = epoch > 1 || rollback ? ['a node took it for a rollback'] : [];
  return {
    promised: promised.length,
    broken: [...violations, ...surprises, ...broken, ...alarm],
    unavailable,
    statuses,
    recoveredAfterMs: recoveredAt - killedAt,
  };
}

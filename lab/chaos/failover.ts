// The primary loses the link to its standbys and dies by kill -9, under load; another takes over, the dead one comes back
// as standby; again and again. Nothing acknowledged is lost, no token is honoured twice, and callers are told nothing but
// "not now".
import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { storeOf } from '../../src/store/change.ts';
import { systemClock } from '../../src/system.ts';
import { type ServiceProcess, startProcess } from '../../test/e2e/process.ts';
import { makeHome } from '../../test/e2e/service.ts';
import { aNode, anotherNode, issue, type Node } from '../../test/node.ts';
import type { Seeded } from '../../test/seeded.ts';
import { openAt } from '../../test/store/postgres-node.ts';
import { Callers } from './callers.ts';
import { verdict } from './verdict.ts';
import { Witness } from './witness.ts';

const SHORTEST_LOAD_MS = 300;
const LONGEST_LOAD_MS = 1200;
/** Long enough that a primary which acknowledges without its standby is found out every time. */
const SEVERED_MS = 100;

/** Databases of which one is the primary. */
export interface Cluster {
  /** With every host, as a node's configuration names it. */
  readonly url: string;
  /** Nothing of the primary reaches its standbys any more. */
  severReplication(): Promise<void>;
  /** All processes of the primary at once. */
  killPrimary(): Promise<void>;
  /** Another begins to take over; what the dead one had still answered has arrived. */
  takeOver(): Promise<void>;
  /** The dead one is a standby of the one that lives. */
  repair(): Promise<void>;
  remove(): Promise<void>;
}

/** Three nodes in this process, and a whole service in its own, on one cluster. */
export interface FailoverField {
  readonly cluster: Cluster;
  readonly nodes: readonly [Node, ...Node[]];
  readonly service: ServiceProcess;
  remove(): Promise<void>;
}

export interface Failover {
  readonly promised: number;
  readonly broken: readonly string[];
  /** Requests at the nodes that were told to come again. */
  readonly unavailable: number;
  /** How often the service answered with which status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** From the kill to the first acknowledged change. */
  readonly recoveredAfterMs: number;
}

export async function failoverField(cluster: Cluster): Promise<FailoverField> {
  const home = makeHome({ listeners: [{}], settings: { store: cluster.url }, log: { level: 'silent' } });
  const open = async () => storeOf(await openAt(cluster.url));
  const ports = { keyring: home.keyring, clock: systemClock };
  const first = await aNode(await open(), ports);
  const nodes = [first, await anotherNode(await open(), ports), await anotherNode(await open(), ports)] as const;
  const service = await startProcess(home);
  process.once('exit', () => service.process.kill('SIGKILL')); // should this drill fail
  const remove = async () => {
    await Promise.all([service.kill(), ...nodes.map(({ store }) => store.close())]);
    await cluster.remove();
    rmSync(home.folder, { recursive: true });
  };
  return { cluster, nodes: [...nodes], service, remove };
}

/** One death of the primary, and what was found afterwards. */
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
  return {
    promised: promised.length,
    broken: [...violations, ...surprises, ...broken],
    unavailable,
    statuses,
    recoveredAfterMs: recoveredAt - killedAt,
  };
}

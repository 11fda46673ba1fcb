// kill -9 of the primary under load, promotion of its synchronous standby, again and again: nothing acknowledged is lost,
// no token is honoured twice, and callers are told nothing but "not now".
import { setTimeout as pause } from 'node:timers/promises';
import { storeOf } from '../../src/store/change.ts';
import { systemClock } from '../../src/system.ts';
import { firstKey, Keyring } from '../../src/tokens/keyring.ts';
import { aNode, anotherNode, type Node } from '../../test/node.ts';
import type { Seeded } from '../../test/seeded.ts';
import { openAt } from '../../test/store/postgres-node.ts';
import { PostgresServer } from '../../test/store/postgres-server.ts';
import { makeStandby, promote, REPLICATING } from '../../test/store/postgres-standby.ts';
import { Callers } from './callers.ts';
import { verdict } from './verdict.ts';

/** How long it takes to notice that a primary is gone: a manager such as Patroni takes longer. */
const NOTICED_AFTER_MS = 200;
const SHORTEST_LOAD_MS = 300;
const LONGEST_LOAD_MS = 1200;

export interface FailoverField {
  primary: PostgresServer;
  standby: PostgresServer;
  readonly nodes: readonly Node[];
  remove(): Promise<void>;
}

export interface Failover {
  readonly promised: number;
  readonly broken: readonly string[];
  /** Requests that were told to come again. */
  readonly unavailable: number;
  /** From the kill to the first acknowledged change. */
  readonly recoveredAfterMs: number;
}

export async function failoverField(): Promise<FailoverField> {
  const primary = await PostgresServer.start({ durable: true, settings: REPLICATING });
  await primary.query('CREATE DATABASE tessera');
  const standby = await PostgresServer.prepare();
  await makeStandby(standby, primary);
  const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${port}`).join(',');
  const open = async () => storeOf(await openAt(`postgres://postgres@${hosts}/tessera?statement_timeout=2000`));
  const ports = { keyring: new Keyring(firstKey()), clock: systemClock };
  const first = await aNode(await open(), ports);
  const nodes = [first, await anotherNode(await open(), ports), await anotherNode(await open(), ports)];
  const remove = async () => {
    await Promise.all(nodes.map(({ store }) => store.close()));
    await Promise.all([primary.remove(), standby.remove()]);
  };
  return { primary, standby, nodes, remove };
}

/** One death of the primary. Afterwards the roles are exchanged, and the dead one is the new standby. */
export async function failover(field: FailoverField, chance: Seeded): Promise<Failover> {
  const { primary, standby, nodes } = field;
  const callers = new Callers(nodes);
  await pause(SHORTEST_LOAD_MS + chance.below(LONGEST_LOAD_MS));
  await primary.kill();
  const killedAt = performance.now();
  await pause(NOTICED_AFTER_MS);
  await promote(standby);
  const recoveredAt = await callers.acknowledgedAfter(performance.now());
  await pause(SHORTEST_LOAD_MS);
  const { promised, unavailable, violations } = await callers.stop();
  const [node] = nodes;
  const { broken } = node ? await verdict(promised, node) : { broken: ['no node'] };
  await makeStandby(primary, standby);
  [field.primary, field.standby] = [standby, primary];
  return {
    promised: promised.length,
    broken: [...violations, ...broken],
    unavailable,
    recoveredAfterMs: recoveredAt - killedAt,
  };
}

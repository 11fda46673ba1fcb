// Other clients take all free connections of the server. A node works on with its sessions, and no request fails.
import { setTimeout as pause } from 'node:timers/promises';
import { StoreUnavailable } from '../../src/store/store.ts';
import { check, issue, type Node, refresh } from '../../test/node.ts';
import { takeFreeConnections } from '../../test/store/free-connections.ts';
import { type DrillNode, drillNode } from './drill-nodes.ts';

const CALLERS = 64;
const ROUND_MS = 250;
/** A node that was refused a session opens none for half a second. */
const CONTENT_MS = 600;

/** Returns the number of failed requests while the node had sessions. */
export async function takeConnections(rounds: number): Promise<number> {
  const drill = await drillNode(['max_connections = 12'], 'connections=8&statement_timeout=2000');
  const others = await takeFreeConnections(drill.server.url('tessera', 'node'));
  const sessions = await sessionsOf(drill.server);
  const tally = { answered: 0, refused: 0 };
  for (let n = 0; n < rounds; n++) await callMany(drill.node, tally);
  await Promise.all(others.map((other) => other.end()));
  await pause(CONTENT_MS);
  await callMany(drill.node, tally);
  const later = await sessionsOf(drill.server);
  await drill.remove();
  console.log(`${sessions} sessions of the node, ${others.length} of others, none left at the server`);
  console.log(
    `${tally.answered} requests answered, ${tally.refused} refused; ${later} sessions once the server had free ones`,
  );
  return tally.refused + Number(later <= sessions);
}

async function callMany(node: Node, tally: { answered: number; refused: number }): Promise<void> {
  const ends = performance.now() + ROUND_MS;
  const call = async (caller: number) => {
    while (performance.now() < ends) {
      tally[(await isAnswered(node)) ? 'answered' : 'refused']++;
      await pause(caller % 7); // otherwise all run in lockstep and share every statement
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => call(caller)));
}

async function isAnswered(node: Node): Promise<boolean> {
  try {
    const pair = await issue(node);
    const outcome = await refresh(node, pair);
    return outcome.ok && (await check(node, outcome.value)).ok;
  } catch (fault) {
    if (!(fault instanceof StoreUnavailable)) throw fault;
    return false;
  }
}

async function sessionsOf(server: DrillNode['server']): Promise<number> {
  const [row] = await server.query("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'tessera'");
  return Number(row?.['count']);
}

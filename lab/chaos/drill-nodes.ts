// Nodes for drills on a PostgreSQL that the drill starts, with grants to refresh.
import { seconds } from '../../src/core/time.ts';
import type { TokenPair } from '../../src/operations/grant/token-pair.ts';
import { storeOf } from '../../src/store/change.ts';
import { recordingOutages } from '../../src/store/outages.ts';
import { aNode, changeIntegration, issue, type Node } from '../../test/node.ts';
import { openAt } from '../../test/store/postgres-node.ts';
import { PostgresServer } from '../../test/store/postgres-server.ts';

export interface DrillNode {
  readonly server: PostgresServer;
  readonly node: Node;
  readonly remove: () => Promise<void>;
}

/** `query`: parameters of the node's address. `retryWindow`: in seconds, short so that late commits show. */
export async function drillNode(settings: readonly string[], query: string, retryWindow = 60): Promise<DrillNode> {
  const server = await PostgresServer.start({ durable: true, settings });
  await server.query('CREATE ROLE node LOGIN');
  await server.query('CREATE DATABASE tessera OWNER node');
  const backEnd = await openAt(`${server.url('tessera', 'node')}?${query}`);
  const node = await aNode(recordingOutages(storeOf(backEnd)));
  await changeIntegration(node, { overrides: { refreshRetryWindow: seconds(retryWindow) } });
  const remove = async () => {
    await backEnd.close();
    await server.remove();
  };
  return { server, node, remove };
}

export function issueMany(node: Node, count: number): Promise<TokenPair[]> {
  return Promise.all(Array.from({ length: count }, () => issue(node)));
}

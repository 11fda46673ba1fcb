// Three nodes of the service on one PostgreSQL: the real operations, three stores, one keyring.
import { storeOf } from '../../src/store/change.ts';
import { firstKey, Keyring } from '../../src/tokens/keyring.ts';
import { aNode, anotherNode, type Node } from '../node.ts';
import { type PostgresTestDatabase, postgresDatabase } from '../store/postgres-database.ts';

export interface Cluster {
  readonly nodes: readonly [Node, Node, Node];
  readonly database: PostgresTestDatabase;
}

export async function threeNodes(): Promise<Cluster> {
  const database = await postgresDatabase();
  const keyring = new Keyring(firstKey());
  const open = async () => storeOf(await database.open());
  const first = await aNode(await open(), { keyring });
  const [second, third] = [await anotherNode(await open(), { keyring }), await anotherNode(await open(), { keyring })];
  return { nodes: [first, second, third], database };
}

/** Parallel callers spread over the nodes. */
export function spread<T>(nodes: readonly Node[], callers: number, call: (node: Node, n: number) => Promise<T>) {
  return Promise.all(Array.from({ length: callers }, (_, n) => call(nodes[n % nodes.length] as Node, n)));
}

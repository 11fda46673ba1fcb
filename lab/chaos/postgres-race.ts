// A refresh on one node races a revocation on another, with three nodes on one PostgreSQL. Whichever wins, no token of
// the grant works on any node after the revocation is acknowledged.
import { storeOf } from '../../src/store/change.ts';
import { firstKey, Keyring } from '../../src/tokens/keyring.ts';
import { aNode, anotherNode, answer, check, issue, type Node, refresh, revoke } from '../../test/node.ts';
import { hostileRole, hostileSettings } from '../../test/store/hostile-settings.ts';
import { openAt } from '../../test/store/postgres-node.ts';
import { PostgresServer } from '../../test/store/postgres-server.ts';

const AT_ONCE = 50;

/** Returns how many requests succeeded after an acknowledged revocation. */
export async function raceAcrossNodes(races: number, { hostile = false } = {}): Promise<number> {
  const server = await PostgresServer.start({ durable: true });
  await server.query('CREATE DATABASE tessera');
  const role = hostile ? await hostileRole(server, await hostileSettings(server)) : 'postgres';
  const worked = await withThreeNodes(server.url('tessera', role), (nodes) => raceOn(nodes, races));
  await server.remove();
  return worked;
}

async function withThreeNodes<T>(url: string, work: (nodes: readonly Node[]) => Promise<T>): Promise<T> {
  const keyring = new Keyring(firstKey());
  const open = async () => storeOf(await openAt(url));
  const first = await aNode(await open(), { keyring });
  const nodes = [first, await anotherNode(await open(), { keyring }), await anotherNode(await open(), { keyring })];
  const result = await work(nodes);
  await Promise.all(nodes.map(({ store }) => store.close()));
  return result;
}

/** Returns how many requests succeeded after an acknowledged revocation. */
async function raceOn(nodes: readonly Node[], races: number): Promise<number> {
  const [worked, refreshedFirst] = await raceMany(nodes, races);
  for (const what of worked.slice(0, 10)) console.error(what);
  console.log(`${races} races, ${refreshedFirst} won by the refresh; ${worked.length} answers were not grant-revoked`);
  return worked.length;
}

async function raceMany(nodes: readonly Node[], races: number): Promise<[worked: string[], refreshedFirst: number]> {
  const worked: string[] = [];
  let [begun, refreshedFirst] = [0, 0];
  const raceOn = async () => {
    while (begun < races) {
      const result = await race(nodes, begun++);
      worked.push(...result.worked);
      refreshedFirst += Number(result.refreshed);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, raceOn));
  return [worked, refreshedFirst];
}

async function race(nodes: readonly Node[], n: number): Promise<{ refreshed: boolean; worked: string[] }> {
  const at = (offset: number) => nodes[(n + offset) % nodes.length] as Node;
  const pair = await issue(at(0));
  const [refreshed, revoked] = await Promise.all([refresh(at(1), pair), revoke(at(2), pair)]);
  const worked = revoked.ok ? [] : ['the revocation was refused'];
  for (const each of refreshed.ok ? [pair, refreshed.value] : [pair])
    for (const node of nodes)
      for (const told of [await answer(check(node, each)), await answer(refresh(node, each))])
        if (told !== 'grant-revoked') worked.push(told);
  return { refreshed: refreshed.ok, worked };
}

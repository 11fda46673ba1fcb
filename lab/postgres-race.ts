// node lab/postgres-race.ts [--races N]: a refresh at one node races a revocation at another, N times over three nodes on
// one PostgreSQL. Whoever comes first, nothing of the grant works anywhere after the revocation was acknowledged.
import { parseArgs } from 'node:util';
import { storeOf } from '../src/store/change.ts';
import { firstKey, Keyring } from '../src/tokens/keyring.ts';
import { aNode, anotherNode, answer, check, issue, type Node, refresh, revoke } from '../test/node.ts';
import { openAt } from '../test/store/postgres-node.ts';
import { PostgresServer } from '../test/store/postgres-server.ts';

const AT_ONCE = 50;
const { values } = parseArgs({ options: { races: { type: 'string', default: '10000' } } });
const races = Number(values.races);

const server = await PostgresServer.start({ durable: true });
await server.query('CREATE DATABASE tessera');
const keyring = new Keyring(firstKey());
const open = async () => storeOf(await openAt(server.url('tessera')));
const first = await aNode(await open(), { keyring });
const nodes = [first, await anotherNode(await open(), { keyring }), await anotherNode(await open(), { keyring })];
const counted = { refreshFirst: 0, revokeFirst: 0, works: 0 };

let begun = 0;
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    while (begun < races) await race(begun++);
  }),
);
await Promise.all(nodes.map(({ store }) => store.close()));
await server.remove();
console.log(
  `${races} races: ${counted.refreshFirst} times the refresh was first, ${counted.revokeFirst} the revocation`,
);
console.log(`${counted.works} tokens worked after the revocation was acknowledged`);
process.exitCode = counted.works > 0 ? 1 : 0;

async function race(n: number): Promise<void> {
  const at = (offset: number) => nodes[(n + offset) % nodes.length] as Node;
  const pair = await issue(at(0));
  const [refreshed, revoked] = await Promise.all([refresh(at(1), pair), revoke(at(2), pair)]);
  counted[refreshed.ok ? 'refreshFirst' : 'revokeFirst']++;
  if (!revoked.ok) counted.works++; // a revocation that was refused has failed its purpose
  const pairs = refreshed.ok ? [pair, refreshed.value] : [pair];
  for (const each of pairs)
    for (const node of nodes)
      for (const told of [await answer(check(node, each)), await answer(refresh(node, each))])
        if (told !== 'grant-revoked') counted.works++;
}

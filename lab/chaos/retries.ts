// Refreshes whose response is lost, and retried, while resource servers and signing keys change in between: the retry gets
// the same access token (ES256: the same claims) and the same refresh token.

import type { ResourceServer } from '../../src/core/resource-server.ts';
import { SIGNING_ALGORITHMS, type SigningAlgorithm } from '../../src/core/signing-key.ts';
import { publishKeys, startSigning } from '../../src/operations/admin/signing-keys.ts';
import { storeOf } from '../../src/store/change.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { addSigningKey } from '../../src/tokens/keyring.ts';
import { aJwtNode, type JwtNode, partsOf } from '../../test/jwt-node.ts';
import { accepted, issue, type Node, put, refresh, TestClock } from '../../test/node.ts';
import { OPERATOR } from '../../test/samples.ts';
import type { Seeded } from '../../test/seeded.ts';
import { sqliteDatabase } from '../../test/store/sqlite-database.ts';
import { Broken } from './broken.ts';

export interface RetryResult {
  readonly retried: number;
  /** Retries between which `aud` of a new token would have changed. */
  readonly changed: number;
  readonly differing: number;
}

/** `count` retried refreshes for each algorithm. */
export async function retryMany(count: number, chance: Seeded): Promise<number> {
  const broken = new Broken();
  for (const algorithm of SIGNING_ALGORITHMS) {
    const { retried, changed, differing } = await retryRefreshes(algorithm, count, chance);
    broken.where(differing > 0, `${algorithm}: ${differing} retries got another pair`);
    const same = algorithm === 'ES256' ? 'same claims' : 'same bytes';
    console.log(`${algorithm}: ${retried} refreshes retried, ${changed} after a change, ${differing} not the ${same}`);
  }
  return broken.count;
}

const CHANGE_EVERY = 3;
const ROTATE_EVERY = 500;

export async function retryRefreshes(algorithm: SigningAlgorithm, count: number, chance: Seeded): Promise<RetryResult> {
  const clock = new TestClock();
  const database = await sqliteDatabase(clock.now, () => Promise.resolve());
  const held = await aJwtNode(storeOf(await database.open()), clock, algorithm);
  const { node } = held;
  let [pair, changed, differing] = [await issue(node), 0, 0];
  for (let n = 0; n < count; n++) {
    const next = accepted(await refresh(node, pair));
    if (n % ROTATE_EVERY === ROTATE_EVERY - 1) await rotate(held, algorithm);
    if (n % CHANGE_EVERY === 0 && (await changeServers(node, chance))) changed++;
    clock.move(chance.below(30));
    const again = accepted(await refresh(node, pair));
    const [first, second] = [next, again].map(({ accessToken }) => accessToken.reveal());
    const isSame = algorithm === 'ES256' ? isSameToken(first, second) : first === second;
    if (!isSame || next.refreshToken?.reveal() !== again.refreshToken?.reveal()) differing++;
    pair = next;
  }
  await database.remove();
  return { retried: count, changed, differing };
}

/** Header and claims. An ES256 signature has a random part. */
function isSameToken(one = '', other = ''): boolean {
  const [a, b] = [partsOf(one), partsOf(other)];
  return a.header === b.header && a.claims === b.claims;
}

/** Another resource server serves orders from now on, or none. */
async function changeServers(node: Node, chance: Seeded): Promise<boolean> {
  const before = node.registry.resourceServers.map(({ audience }) => audience).join();
  const enabled = chance.chance(0.7);
  const audience = `https://orders-${chance.below(5)}.example` as ResourceServer['audience'];
  const id = 'orders' as ResourceServer['id'];
  await put(node.store, resourceServers, { id, audience, name: 'Orders', resources: ['orders'], enabled, secrets: [] });
  await node.registry.refresh();
  return node.registry.resourceServers.map((server) => server.audience).join() !== before;
}

/** Another key signs from now on. The former one stays published, as its tokens live. */
async function rotate(held: JwtNode, algorithm: SigningAlgorithm): Promise<void> {
  const { keys, id } = addSigningKey(held.keys, algorithm);
  held.exchange(keys);
  const ports = { store: held.node.store, by: OPERATOR };
  await publishKeys(keys, ports);
  await startSigning(id, ports);
  await held.node.registry.refresh();
}

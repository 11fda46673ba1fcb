// Refresh interleaved with revoke in random order: no token works after revoke is acknowledged.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { storeOf } from '../../src/store/change.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { aNode, anotherNode, answer, check, issue, type Node, refresh, revoke, TestClock } from '../../test/node.ts';
import { Seeded } from '../../test/seeded.ts';
import { faultyBackEnd, NO_FAULTS } from '../../test/store/faulty-back-end.ts';
import { temporaryFolder } from '../../test/temporary-folder.ts';

const DELAYS = { ...NO_FAULTS, delayed: 0.5 };

export interface RaceResult {
  /** How often the refresh was accepted before the revocation. */
  readonly refreshedFirst: number;
  readonly worked: readonly string[];
}

/** Returns how many requests succeeded after an acknowledged revocation. */
export async function raceMany(cycles: number, chance: Seeded): Promise<number> {
  const { refreshedFirst, worked } = await raceRefreshAndRevoke(cycles, chance.below(2 ** 31));
  for (const what of worked.slice(0, 10)) console.error(what);
  console.log(`${cycles} races, ${refreshedFirst} won by the refresh; ${worked.length} answers were not grant-revoked`);
  return worked.length;
}

export async function raceRefreshAndRevoke(rounds: number, seed: number): Promise<RaceResult> {
  const folder = temporaryFolder('race');
  const clock = new TestClock();
  const open = () => openSqlite({ path: join(folder, 'race.db'), clock: clock.now });
  const backEnds = [await open(), await open()] as const;
  // Both are delayed at random, so that refresh and revoke run in every order.
  const [slow, slower] = backEnds.map((backEnd, n) => faultyBackEnd(backEnd, () => DELAYS, new Seeded(seed + n)));
  const node = await aNode(storeOf(slow ?? backEnds[0]), { clock });
  const other = await anotherNode(storeOf(slower ?? backEnds[1]), { keyring: node.keyring, clock });
  const worked: string[] = [];
  let refreshedFirst = 0;
  for (let n = 0; n < rounds; n++) {
    const result = await race(n % 2 ? [node, other] : [other, node]);
    refreshedFirst += Number(result.refreshed);
    worked.push(...result.worked);
  }
  for (const backEnd of backEnds) await backEnd.close();
  rmSync(folder, { recursive: true });
  return { refreshedFirst, worked };
}

async function race([one, other]: readonly [Node, Node]): Promise<{ refreshed: boolean; worked: string[] }> {
  const pair = await issue(one);
  const [refreshed, revoked] = await Promise.all([refresh(one, pair), revoke(other, pair)]);
  const left = refreshed.ok ? [pair, refreshed.value] : [pair];
  const answers = left.flatMap((each) => [
    answer(check(one, each)),
    answer(refresh(one, each)),
    answer(check(other, each)),
  ]);
  const worked = (await Promise.all(answers)).filter((each) => each !== 'grant-revoked');
  return { refreshed: refreshed.ok, worked: revoked.ok ? worked : ['the revocation was refused', ...worked] };
}

import type { Seeded } from '../../test/seeded.ts';
import { raceRefreshAndRevoke } from './race.ts';

/** Returns how many requests succeeded after an acknowledged revocation. */
export async function raceMany(cycles: number, chance: Seeded): Promise<number> {
  const { refreshedFirst, worked } = await raceRefreshAndRevoke(cycles, chance.below(2 ** 31));
  for (const what of worked.slice(0, 10)) console.error(what);
  console.log(`${cycles} races, ${refreshedFirst} won by the refresh; ${worked.length} answers were not grant-revoked`);
  return worked.length;
}

import type { Seeded } from '../../test/seeded.ts';
import { failover, failoverField } from './postgres.ts';

/** Returns how many promises were broken. */
export async function failoverMany(cycles: number, chance: Seeded): Promise<number> {
  const field = await failoverField();
  const total = { promised: 0, broken: 0, unavailable: 0 };
  const recoveries: number[] = [];
  try {
    for (let cycle = 1; cycle <= cycles; cycle++) {
      const { promised, broken, unavailable, recoveredAfterMs } = await failover(field, chance);
      total.promised += promised;
      total.broken += broken.length;
      total.unavailable += unavailable;
      recoveries.push(recoveredAfterMs / 1000);
      for (const what of broken) console.error(`failover ${cycle}: ${what}`);
      console.log(
        `failover ${cycle}: ${promised} promises, ${broken.length} broken, ${unavailable} told to come again, ` +
          `first change after ${(recoveredAfterMs / 1000).toFixed(2)} s`,
      );
    }
  } finally {
    await field.remove();
  }
  recoveries.sort((a, b) => a - b);
  console.log(
    `${cycles} kills of the primary: ${total.promised} acknowledged pairs and revocations, ${total.broken} broken, ` +
      `${total.unavailable} answers of "not now"; recovered in ${recoveries[0]?.toFixed(2)} to ${recoveries.at(-1)?.toFixed(2)} s`,
  );
  return total.broken;
}

import { DatabaseSync } from 'node:sqlite';
import type { Seeded } from '../../test/seeded.ts';
import { killCycle, killField } from './kill.ts';
import { restartMany } from './restarts.ts';

/** Returns how many promises were broken. */
export async function killMany(cycles: number, chance: Seeded): Promise<number> {
  const field = await killField();
  const total = { promised: 0, broken: 0 };
  for (let cycle = 1; cycle <= cycles; cycle++) {
    const { promised, broken } = await killCycle(field, chance);
    total.promised += promised;
    total.broken += broken.length;
    for (const what of broken) console.error(`cycle ${cycle}: ${what}`);
    if (cycle % 10 === 0) console.log(`${cycle} kills, ${total.promised} promises, ${total.broken} broken`);
  }
  const database = new DatabaseSync(field.path, { readOnly: true });
  console.log(`integrity: ${database.prepare('PRAGMA integrity_check').get()?.['integrity_check']}`);
  database.close();
  console.log(`${cycles} kills: ${total.promised} acknowledged pairs and revocations, ${total.broken} promises broken`);
  if (total.broken === 0) field.remove();
  else console.error(`what was left is in ${field.folder}`);
  return total.broken + (await restartMany(cycles, chance));
}

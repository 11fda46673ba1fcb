// npm run chaos -- kill --cycles N [--seed S]: kills a writing process N times and looks at what it left.
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { Seeded } from '../test/seeded.ts';
import { killCycle, killField } from './chaos/kill.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { cycles: { type: 'string', default: '20' }, seed: { type: 'string', default: '1' } },
});
if (positionals[0] !== 'kill') throw new Error('usage: npm run chaos -- kill --cycles N');

const field = await killField();
const chance = new Seeded(Number(values.seed));
const total = { promised: 0, broken: 0 };
for (let cycle = 1; cycle <= Number(values.cycles); cycle++) {
  const { promised, broken } = await killCycle(field, chance);
  total.promised += promised;
  total.broken += broken.length;
  for (const what of broken) console.error(`cycle ${cycle}: ${what}`);
  if (cycle % 10 === 0) console.log(`${cycle} kills, ${total.promised} promises, ${total.broken} broken`);
}
const database = new DatabaseSync(field.path, { readOnly: true });
console.log(`integrity: ${database.prepare('PRAGMA integrity_check').get()?.['integrity_check']}`);
database.close();
console.log(
  `${values.cycles} kills: ${total.promised} acknowledged pairs and revocations, ${total.broken} promises broken`,
);
if (total.broken === 0) field.remove();
else console.error(`what was left is in ${field.folder}`);
process.exitCode = total.broken > 0 ? 1 : 0;

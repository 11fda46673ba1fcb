// npm run chaos -- kill --cycles N [--seed S]: kills a writing process N times and looks at what it left.
// npm run chaos -- race --cycles N [--seed S]: lets refresh and revoke race N times.
import { DatabaseSync } from 'node:sqlite';
import { parseArgs } from 'node:util';
import { Seeded } from '../test/seeded.ts';
import { type KillField, killCycle, killField } from './chaos/kill.ts';
import { raceRefreshAndRevoke } from './chaos/race.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { cycles: { type: 'string', default: '20' }, seed: { type: 'string', default: '1' } },
});
const [cycles, seed] = [Number(values.cycles), Number(values.seed)];
if (positionals[0] === 'kill') await kill();
else if (positionals[0] === 'race') await race();
else throw new Error('usage: npm run chaos -- kill | race --cycles N');

async function kill(): Promise<void> {
  const field = await killField();
  const chance = new Seeded(seed);
  const total = { promised: 0, broken: 0 };
  for (let cycle = 1; cycle <= cycles; cycle++) {
    const { promised, broken } = await killCycle(field, chance);
    total.promised += promised;
    total.broken += broken.length;
    for (const what of broken) console.error(`cycle ${cycle}: ${what}`);
    if (cycle % 10 === 0) console.log(`${cycle} kills, ${total.promised} promises, ${total.broken} broken`);
  }
  console.log(`integrity: ${integrityOf(field)}`);
  console.log(`${cycles} kills: ${total.promised} acknowledged pairs and revocations, ${total.broken} promises broken`);
  if (total.broken === 0) field.remove();
  else console.error(`what was left is in ${field.folder}`);
  process.exitCode = total.broken > 0 ? 1 : 0;
}

function integrityOf({ path }: KillField): unknown {
  const database = new DatabaseSync(path, { readOnly: true });
  const { integrity_check: found } = database.prepare('PRAGMA integrity_check').get() ?? {};
  database.close();
  return found;
}

async function race(): Promise<void> {
  const { refreshedFirst, worked } = await raceRefreshAndRevoke(cycles, seed);
  for (const what of worked.slice(0, 10)) console.error(what);
  console.log(`${cycles} races, ${refreshedFirst} won by the refresh; ${worked.length} answers were not grant-revoked`);
  process.exitCode = worked.length > 0 ? 1 : 0;
}

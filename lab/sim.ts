// npm run sim -- --seeds N [--seed S]: random histories against a small model. A failing seed is reproducible:
//   npm run sim -- --seed 4711
// With both flags: N seeds from S on.
import { parseArgs } from 'node:util';
import { runSeed } from './sim/run-seed.ts';
import { openSimDatabase, type SimDatabase } from './sim/world.ts';

const SEEDS_PER_DATABASE = 500;
const { values } = parseArgs({ options: { seeds: { type: 'string' }, seed: { type: 'string' } } });
const from = Number(values.seed ?? 1);
const count = Number(values.seeds ?? (values.seed === undefined ? 1000 : 1));

const started = Date.now();
const answers = new Map<string, number>();
let [failed, database]: [number, SimDatabase | undefined] = [0, undefined];
for (let seed = from; seed < from + count; seed++) {
  if ((seed - from) % SEEDS_PER_DATABASE === 0) {
    await database?.close();
    database = await openSimDatabase();
  }
  if (database) await judge(seed, database);
  if ((seed - from + 1) % 1000 === 0)
    console.log(`${seed - from + 1} of ${count} seeds, ${failed} failed, ${elapsed()} s`);
}
await database?.close();
console.log(`${count} seeds in ${elapsed()} s, ${failed} failed; answers: ${tally()}`);
process.exitCode = failed > 0 ? 1 : 0;

async function judge(seed: number, on: SimDatabase): Promise<void> {
  const { deeds, violations } = await runSeed(seed, on);
  for (const { kind, answer } of deeds) answers.set(`${kind} ${answer}`, (answers.get(`${kind} ${answer}`) ?? 0) + 1);
  if (violations.length === 0) return;
  failed++;
  console.error(
    `BROKEN by seed ${seed}: ${violations.slice(0, 5).join('\n  ')}\n  again: npm run sim -- --seed ${seed}`,
  );
}

function elapsed(): string {
  return ((Date.now() - started) / 1000).toFixed(1);
}

function tally(): string {
  const sorted = [...answers].sort(([, a], [, b]) => b - a);
  return sorted.map(([answer, times]) => `${answer} ${times}`).join(', ');
}

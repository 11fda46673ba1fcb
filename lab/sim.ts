// Random histories against a small model. A failing seed is reproducible: npm run lab -- sim --seed 4711
import { parseArgs } from 'node:util';
import { runSeed } from './sim/run-seed.ts';
import { openSimDatabase, type SimDatabase } from './sim/world.ts';

const SEEDS_PER_DATABASE = 500;

/** With both options: so many seeds from that one on. Returns how many failed. */
export async function simulate(args: readonly string[]): Promise<number> {
  const options = { seeds: { type: 'string' }, seed: { type: 'string' } } as const;
  const { values } = parseArgs({ args: [...args], options });
  const from = Number(values.seed ?? 1);
  const count = Number(values.seeds ?? (values.seed === undefined ? 1000 : 1));
  const began = performance.now();
  const elapsed = () => ((performance.now() - began) / 1000).toFixed(1);
  const answers = new Map<string, number>();
  let [failed, database]: [number, SimDatabase | undefined] = [0, undefined];
  for (let seed = from; seed < from + count; seed++) {
    if ((seed - from) % SEEDS_PER_DATABASE === 0) {
      await database?.close();
      database = await openSimDatabase();
    }
    if (database && !(await isKept(seed, database, answers))) failed++;
    if ((seed - from + 1) % 1000 === 0)
      console.log(`${seed - from + 1} of ${count} seeds, ${failed} failed, ${elapsed()} s`);
  }
  await database?.close();
  const sorted = [...answers].sort(([, a], [, b]) => b - a).map(([answer, times]) => `${answer} ${times}`);
  console.log(`${count} seeds in ${elapsed()} s, ${failed} failed; answers: ${sorted.join(', ')}`);
  return failed > 0 ? 1 : 0;
}

async function isKept(seed: number, on: SimDatabase, answers: Map<string, number>): Promise<boolean> {
  const { deeds, violations } = await runSeed(seed, on);
  for (const { kind, answer } of deeds) answers.set(`${kind} ${answer}`, (answers.get(`${kind} ${answer}`) ?? 0) + 1);
  if (violations.length === 0) return true;
  const again = `again: npm run lab -- sim --seed ${seed}`;
  console.error(`BROKEN by seed ${seed}: ${violations.slice(0, 5).join('\n  ')}\n  ${again}`);
  return false;
}

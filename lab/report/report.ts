// Every promise, what tried to break it, and the result. A run of some drills replaces their rows of the report. `--self-test`: whether each drill would notice.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../deploy/shell.ts';
import { circumstances, readFigures, writeFigures } from '../figures/data.ts';
import { fileWith, makeCopy } from './copy.ts';
import type { PromiseRow, ReliabilityFigures } from './data.ts';
import { DRILLS, type Drill, WITHOUT_CHANCE } from './promises.ts';
import { type Result, runDrill } from './run-drill.ts';

const LONG_MINUTES = 240;

/** Exit code: 0 if no promise was broken. */
export async function reportAll(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      long: { type: 'boolean', default: false },
      'self-test': { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      seed: { type: 'string', default: '1' },
    },
  });
  const { long: isLong, seed } = values;
  const wanted = values.only.split(',');
  const chosen = DRILLS.filter(
    ({ short, isLongOnly }) => wanted.some((name) => short.includes(name)) && (isLong || !isLongOnly),
  );
  if (values['self-test']) return selfTest(chosen);
  const about = circumstances(['npm run lab', ...(args.length > 0 ? ['--'] : []), ...args].join(' '));
  const outcomes = new Map<string, PromiseRow>();
  for (const [at, drill] of chosen.entries()) {
    const command = withSeed(isLong ? drill.long : drill.short, seed);
    console.log(`${at + 1} of ${chosen.length}: ${drill.promise}\n  npm run lab -- ${command}`);
    const outcome = await runDrill(command, ROOT, isLong ? LONG_MINUTES : drill.limit);
    const { promise } = drill;
    outcomes.set(promise, { promise, command, date: about.date, commit: about.commit, ...outcome });
    console.log(`  ${outcome.result}, ${outcome.seconds} s: ${outcome.tried}`);
    // Read again: another run may have written meanwhile.
    const published = readFigures<ReliabilityFigures>('reliability')?.rows.map((row) => [row.promise, row] as const);
    const rows = new Map([...(published ?? []), ...outcomes]);
    const figures = { ...about, rows: DRILLS.map((each) => rows.get(each.promise) ?? neverRun(each)) };
    writeFigures('reliability', figures satisfies ReliabilityFigures, !isLong);
  }
  const count = (asked: Result) => [...outcomes.values()].filter(({ result }) => result === asked).length;
  console.log(`${count('kept')} promises kept, ${count('BROKEN')} broken, ${count('not shown')} not shown`);
  return count('BROKEN') > 0 ? 1 : 0;
}

function neverRun({ promise, short: command }: Drill): PromiseRow {
  return { promise, command, date: '', commit: '', result: 'not shown', tried: 'not run yet', seconds: 0 };
}

/** Drills that use chance take it from a seed. */
function withSeed(command: string, seed: string): string {
  return WITHOUT_CHANCE.includes(command.split(' ')[0] ?? '') ? command : `${command} --seed ${seed}`;
}

/** Each drill runs in a copy of the checkout with one change. It must fail there. */
async function selfTest(drills: readonly Drill[]): Promise<number> {
  const copy = join(ROOT, 'out/self-test');
  let blind = 0;
  for (const { promise, short, mutation, limit } of drills) {
    makeCopy(copy);
    const { from, to, run: command = short } = mutation;
    const file = fileWith(from);
    writeFileSync(
      join(copy, file),
      readFileSync(join(ROOT, file), 'utf8').replace(from, () => to),
    );
    console.log(`${promise}\n  npm run lab -- ${command}, with a change in ${file}`);
    const { result, tried, seconds } = await runDrill(command, copy, limit || LONG_MINUTES);
    if (result !== 'BROKEN') blind++;
    console.log(`  ${result === 'BROKEN' ? 'noticed' : `NOT NOTICED (${result})`}, ${seconds} s: ${tried}`);
  }
  rmSync(copy, { recursive: true, force: true });
  console.log(`${drills.length - blind} of ${drills.length} drills noticed the change`);
  return blind > 0 ? 1 : 0;
}

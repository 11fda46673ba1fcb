// npm run mutants -- FOLDER|FILE …: changes the code in one place at a time, and counts which changes the related tests notice.
import { globSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Seeded } from '../../test/seeded.ts';
import { ROOT } from '../deploy/shell.ts';
import { circumstances, readFigures, writeFigures } from '../figures/data.ts';
import { makeCopy } from '../report/copy.ts';
import type { MutantFigures, MutantRow } from '../report/data.ts';
import { whyHarmless } from './harmless.ts';
import { type Mutant, mutantsOf } from './mutations.ts';
import { relatedTests } from './related-tests.ts';
import { timeOf } from './test-run.ts';

const USAGE = `npm run mutants -- FOLDER|FILE[:LINES] … [OPTION …]     such as src/core/rules, or src/core/scope.ts:12-20

  --sample N      only N of the mutants, by chance (--seed 1)
  --tests N       the N nearest test files for each source file (8)
  --minutes N     stops then, and counts what was tried (30)
  --parallel N    at a time (2)

Survivors are printed. Results of at least 100 are published: figures/mutants.json. Kill rates are lower bounds: other tests may notice more.
Mutants that no test can notice are in lab/mutants/harmless.ts, each with its reason. They are not tried.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    tests: { type: 'string', default: '8' },
    minutes: { type: 'string', default: '30' },
    parallel: { type: 'string', default: '2' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help || positionals.length === 0) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 1);
}

/** Fewer say too little about a folder. */
const LEAST_PUBLISHED = 100;

type Fate = 'killed' | 'survived' | 'no test';
const about = circumstances(`npm run mutants -- ${process.argv.slice(2).join(' ')}`);
const LONGEST_MS = 60_000;
const ends = Date.now() + Number(values.minutes) * 60_000;
/** A folder, a file, or lines of a file: src/core/scope.ts:12-20. */
const [paths, lines] = [positionals.map((each) => each.split(':')[0] ?? ''), positionals.map(linesOf)];
const files = paths.flatMap((path) =>
  statSync(join(ROOT, path)).isDirectory() ? globSync(`${path}/**/*.ts`, { cwd: ROOT }).sort() : [path],
);
const queue = sampled(
  files
    .flatMap((file) => mutantsOf(file, readFileSync(join(ROOT, file), 'utf8')))
    .filter(({ file, line }) => lines[paths.indexOf(file)]?.(line) ?? true)
    .filter((mutant) => whyHarmless(mutant) === undefined),
);
const total = queue.length;
const fates: { mutant: Mutant; fate: Fate }[] = [];
/** By test file that has failed once: how long it takes without a mutant; undefined if it fails then, too. */
const baselines = new Map<string, Promise<number | undefined>>();
console.log(`${total} mutants in ${files.length} files`);
await Promise.all(
  Array.from({ length: Number(values.parallel) }, (_, worker) => work(join(ROOT, `out/mutants-${worker}`))),
);
report();

function linesOf(argument: string): (line: number) => boolean {
  const [, first = 0, last = first || Number.POSITIVE_INFINITY] = /:(\d+)(?:-(\d+))?$/.exec(argument) ?? [];
  return (line) => line >= Number(first) && line <= Number(last);
}

function sampled(all: readonly Mutant[]): Mutant[] {
  const chance = new Seeded(Number(values.seed));
  const shuffled = all.map((mutant) => ({ mutant, key: chance.next() })).sort((a, b) => a.key - b.key);
  return shuffled.slice(0, Number(values.sample ?? all.length)).map(({ mutant }) => mutant);
}

async function work(copy: string): Promise<void> {
  makeCopy(copy);
  for (let mutant = queue.shift(); mutant && Date.now() < ends; mutant = queue.shift()) {
    const fate = await fateOf(mutant, copy);
    fates.push({ mutant, fate });
    if (fate !== 'killed') console.log(`${fate}: ${shown(mutant)}`);
    if (fates.length % 20 === 0) console.log(`${fates.length} of ${total}`);
  }
  rmSync(copy, { recursive: true, force: true });
}

/** The nearest test first. One that fails is run without the mutant, too: it counts only if it passes then. */
async function fateOf({ file, start, end, to }: Mutant, copy: string): Promise<Fate> {
  const text = readFileSync(join(copy, file), 'utf8');
  const mutated = text.slice(0, start) + to + text.slice(end);
  let passed = 0;
  for (const test of relatedTests(file, Number(values.tests))) {
    const usual = await baselines.get(test);
    writeFileSync(join(copy, file), mutated);
    const took = await timeOf(test, copy, usual === undefined ? LONGEST_MS : 3 * usual + 10_000);
    writeFileSync(join(copy, file), text);
    if (took !== undefined) passed += 1;
    else if (await isSound(test, copy)) return 'killed';
  }
  return passed > 0 ? 'survived' : 'no test';
}

async function isSound(test: string, copy: string): Promise<boolean> {
  if (!baselines.has(test)) baselines.set(test, timeOf(test, copy, LONGEST_MS));
  return (await baselines.get(test)) !== undefined;
}

function shown({ file, line, from, to }: Mutant): string {
  return `${file}:${line}  ${from.replaceAll(/\s+/g, ' ').slice(0, 80)}  →  ${to.replaceAll(/\s+/g, ' ').slice(0, 80)}`;
}

function report(): void {
  const tried = fates.filter(({ fate }) => fate !== 'no test');
  const rows = paths.map((folder) =>
    rowOf(
      folder,
      tried.filter(({ mutant }) => mutant.file.startsWith(folder)),
    ),
  );
  for (const { folder, noticed, tried } of rows) console.log(`${folder}: ${noticed} of ${tried} noticed`);
  console.log(`${fates.length - tried.length} without a test that passes, ${total - fates.length} not tried`);
  const kept = (readFigures<MutantFigures>('mutants')?.rows ?? []).filter(({ folder }) => !paths.includes(folder));
  const all = [...kept, ...rows].sort((a, b) => a.folder.localeCompare(b.folder));
  const found: MutantFigures = { ...about, rows: all };
  writeFigures('mutants', found, tried.length < LEAST_PUBLISHED);
}

function rowOf(folder: string, tried: readonly { mutant: Mutant; fate: Fate }[]): MutantRow {
  const survivors = tried.filter(({ fate }) => fate === 'survived').map(({ mutant }) => shown(mutant));
  const { date } = about;
  return { folder, tried: tried.length, noticed: tried.length - survivors.length, seed: values.seed, date, survivors };
}

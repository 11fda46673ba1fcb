// npm run mutants -- FOLDER|FILE …: changes the code in one place at a time, and counts which changes the related tests notice.
import { createHash } from 'node:crypto';
import { globSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../deploy/shell.ts';
import { circumstances, readFigures, writeFigures } from '../figures/data.ts';
import { makeCopy } from '../report/copy.ts';
import type { MutantFigures, MutantRow } from '../report/data.ts';
import { type Baseline, baselineOf, isReached } from './baselines.ts';
import { whyHarmless } from './harmless.ts';
import { diffOf, type Mutant, mutantsOf } from './mutations.ts';
import { relatedTests } from './related-tests.ts';
import { type Fate, Results } from './results.ts';
import { runTest } from './test-run.ts';
import { hasSoundTypes } from './type-check.ts';

/** Fewer say too little about a folder. */
const LEAST_PUBLISHED = 40;

const USAGE = `npm run mutants -- FOLDER|FILE[:LINES] … [OPTION …]     such as src/core/rules, or src/core/scope.ts:12-20

  --sample N      only N of the mutants, by chance (--seed 1)
  --tests N       the N nearest test files that execute the changed place, of the 4N nearest of its file (5)
  --minutes N     stops then, and counts what was tried (30)
  --parallel N    at a time (2)
  --resume        keeps the results of earlier runs, where neither the source nor its tests have changed

Each test is run once without a mutant, to see what it executes, also in processes that it starts: kept in out/baselines. What none executes is not reached, and counts as a survivor.
What no test notices may have wrong types: this counts as noticed, and is shown apart. A test that times out is run again alone, with three times the limit. Results are written to out/mutants.jsonl as they are found.
Survivors are printed with their lines before and after. Results of at least ${LEAST_PUBLISHED} are published: figures/mutants.json. Kill rates are lower bounds: other tests may notice more.
Mutants that no test can notice are in lab/mutants/harmless.ts, each with its reason. They are not tried.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    tests: { type: 'string', default: '5' },
    minutes: { type: 'string', default: '30' },
    parallel: { type: 'string', default: '2' },
    resume: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help || positionals.length === 0) {
  console.log(USAGE);
  process.exit(values.help ? 0 : 1);
}

const about = circumstances(`npm run mutants -- ${process.argv.slice(2).join(' ')}`);
/** In place of a test: the types of a survivor are checked, too. */
const BY_TYPES = 'tsconfig.json';
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
const results = new Results({ isResumed: values.resume });
const fates: { mutant: Mutant; fate: Fate }[] = [];
/** Whose test timed out: tried again when nothing else runs. */
const late: Mutant[] = [];
/** By test file. */
const baselines = new Map<string, Promise<Baseline | undefined>>();
/** By source file, the test that last noticed a change of it: it is run first. */
const lastToNotice = new Map<string, string>();
console.log(`${total} mutants in ${files.length} files`);
const copies = Array.from({ length: Number(values.parallel) }, (_, worker) => join(ROOT, `out/mutants-${worker}`));
for (const copy of copies) makeCopy(copy);
await Promise.all(copies.map((copy) => work(queue, copy, 1)));
await work(late, copies[0] as string, 3);
for (const copy of copies) rmSync(copy, { recursive: true, force: true });
report();

function linesOf(argument: string): (line: number) => boolean {
  const [, first = 0, last = first || Number.POSITIVE_INFINITY] = /:(\d+)(?:-(\d+))?$/.exec(argument) ?? [];
  return (line) => line >= Number(first) && line <= Number(last);
}

/** By chance, but the same ones again if other places of the code have changed. */
function sampled(all: readonly Mutant[]): Mutant[] {
  const keyed = all.map((mutant) => ({ mutant, key: keyOf(mutant) }));
  const shuffled = keyed.toSorted((a, b) => a.key.localeCompare(b.key));
  return shuffled.slice(0, Number(values.sample ?? all.length)).map(({ mutant }) => mutant);
}

function keyOf({ file, text, from, to }: Mutant): string {
  return createHash('sha256').update([values.seed, file, text, from, to].join('\0')).digest('hex');
}

/** `patience`: by how much limits are longer than usual. */
async function work(mutants: Mutant[], copy: string, patience: number): Promise<void> {
  for (let mutant = mutants.shift(); mutant && Date.now() < ends; mutant = mutants.shift()) {
    const earlier = results.find(mutant, testsOf(mutant), copy);
    const fate = earlier ?? (await fateOf(mutant, copy, patience));
    if (fate.end === 'timed out' && patience === 1 && !earlier) {
      late.push(mutant);
      continue;
    }
    fates.push({ mutant, fate });
    if (!earlier) results.add(mutant, fate, copy);
    if (fate.end !== 'noticed')
      console.log(`${fate.end}: ${diffOf(mutant, readFileSync(join(ROOT, mutant.file), 'utf8'))}`);
    if (fates.length % 20 === 0) console.log(`${fates.length} of ${total}`);
  }
}

function testsOf({ file }: Mutant): readonly string[] {
  return relatedTests(file, 4 * Number(values.tests));
}

/** Of the tests that execute the changed place, the nearest first, unless another one noticed the last change of the file. */
async function fateOf(mutant: Mutant, copy: string, patience: number): Promise<Fate> {
  const { file } = mutant;
  const likely = lastToNotice.get(file);
  let left = Number(values.tests);
  for (const test of testsOf(mutant).toSorted((a, b) => Number(b === likely) - Number(a === likely))) {
    const baseline = left > 0 ? await known(test, copy) : undefined;
    if (!baseline || !isReached(mutant, baseline)) continue;
    left--;
    const limit = patience * (3 * baseline.milliseconds + 10_000);
    const { result } = await mutated(mutant, copy, () => runTest(test, copy, limit));
    if (result === 'passed') continue;
    lastToNotice.set(file, test);
    return { end: result === 'failed' ? 'noticed' : 'timed out', tests: [test] };
  }
  const isSound = await mutated(mutant, copy, () => hasSoundTypes(file, copy));
  if (!isSound && (await hasSoundTypes(file, copy))) return { end: 'noticed', tests: [BY_TYPES] };
  return { end: left < Number(values.tests) ? 'survived' : 'not reached', tests: testsOf(mutant) };
}

function known(test: string, copy: string): Promise<Baseline | undefined> {
  const begun = baselines.get(test) ?? baselineOf(test, copy);
  baselines.set(test, begun);
  return begun;
}

async function mutated<T>({ file, start, end, to }: Mutant, copy: string, work: () => Promise<T>): Promise<T> {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.slice(0, start) + to + text.slice(end));
  try {
    return await work();
  } finally {
    writeFileSync(path, text);
  }
}

function shown({ file, line, from, to }: Mutant): string {
  return `${file}:${line}  ${from.replaceAll(/\s+/g, ' ').slice(0, 80)}  →  ${to.replaceAll(/\s+/g, ' ').slice(0, 80)}`;
}

function report(): void {
  const row = rowOf(positionals.join(', '), fates);
  const { folder, noticed, byTypes, timedOut } = row;
  console.log(`${folder}: ${noticed} of ${fates.length} noticed, ${byTypes} of them by their types alone`);
  console.log(`${timedOut} timed out, ${total - fates.length} not tried; seed ${values.seed}`);
  const others = (readFigures<MutantFigures>('mutants')?.rows ?? []).filter((each) => each.folder !== folder);
  const all = [...others, row].sort((a, b) => a.folder.localeCompare(b.folder));
  const found: MutantFigures = { ...about, rows: all };
  writeFigures('mutants', found, fates.length < LEAST_PUBLISHED);
}

function rowOf(folder: string, tried: readonly { mutant: Mutant; fate: Fate }[]): MutantRow {
  const those = (end: Fate['end']) => tried.filter(({ fate }) => fate.end === end);
  const survivors = [...those('survived'), ...those('not reached')].map(({ mutant }) => shown(mutant));
  const [noticed, timedOut] = [those('noticed').length, those('timed out').length];
  const byTypes = those('noticed').filter(({ fate }) => fate.tests.includes(BY_TYPES)).length;
  return { folder, tried: tried.length, noticed, byTypes, timedOut, seed: values.seed, date: about.date, survivors };
}

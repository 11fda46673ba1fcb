// What each test executes without a mutant, and how long it takes: kept until something that it imports changes.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { ROOT } from '../deploy/shell.ts';
import type { Mutant } from './mutations.ts';
import { stepsFrom } from './related-tests.ts';
import { runTest } from './test-run.ts';

const KEPT = join(ROOT, 'out/baselines');
const LONGEST_MS = 120_000;
/** On a busy machine, a test may fail once. */
const ATTEMPTS = 2;

export interface Baseline {
  readonly test: string;
  readonly milliseconds: number;
  /** By source file: where what is executed begins and ends, in turn. */
  readonly executed: Readonly<Record<string, readonly number[]>>;
}

/** Undefined for a test that fails without a mutant, too: it is left out. */
export async function baselineOf(test: string, copy: string, attempt = 1): Promise<Baseline | undefined> {
  const kept = join(KEPT, `${digestOf(test)}.json`);
  if (existsSync(kept)) return JSON.parse(readFileSync(kept, 'utf8'));
  const coverage = temporaryFolder('coverage');
  const { result, milliseconds } = await runTest(test, copy, LONGEST_MS, coverage);
  const baseline = { test, milliseconds: Math.round(milliseconds), executed: executedIn(coverage, copy) };
  rmSync(coverage, { recursive: true });
  if (result !== 'passed' && attempt < ATTEMPTS) return baselineOf(test, copy, attempt + 1);
  if (result !== 'passed') console.log(`left out, since it has ${result} without a mutant: ${test}`);
  if (result !== 'passed') return undefined;
  mkdirSync(KEPT, { recursive: true });
  writeFileSync(kept, JSON.stringify(baseline));
  return baseline;
}

/** Also if no process that wrote what it executed has loaded the file: one that was killed may have. */
export function isReached({ file, start, end }: Mutant, { executed }: Baseline): boolean {
  const edges = executed[file];
  return !edges || edges.some((from, at, all) => at % 2 === 0 && from < end && start < (all[at + 1] ?? from));
}

function digestOf(test: string): string {
  const hash = createHash('sha256');
  for (const file of stepsFrom(test).keys()) hash.update(`${file}\0`).update(readFileSync(join(ROOT, file)));
  return hash.digest('hex');
}

interface Coverage {
  readonly result: readonly { readonly url: string; readonly functions: readonly { readonly ranges: Range[] }[] }[];
}

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

/** By any of the processes, in `copy`. */
export function executedIn(coverage: string, copy: string): Baseline['executed'] {
  const found: Record<string, Uint8Array> = {};
  const root = `${pathToFileURL(copy).href}/`;
  for (const name of readdirSync(coverage)) {
    for (const { url, functions } of written(join(coverage, name)).result) {
      const file = url.slice(root.length);
      if (!url.startsWith(root) || !/^(?:src|sdk)\//.test(file)) continue;
      const [before, now] = [found[file], marked(functions.flatMap(({ ranges }) => ranges))];
      found[file] = before ? now.map((each, at) => each || (before[at] ?? 0)) : now;
    }
  }
  return Object.fromEntries(Object.entries(found).map(([file, marks]) => [file, edgesOf(marks)]));
}

function written(path: string): Coverage {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return { result: [] }; // killed while it was writing
  }
}

/** 1 for each character that was executed. An inner range overrides those around it. */
function marked(ranges: readonly Range[]): Uint8Array {
  const outerFirst = ranges.toSorted((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset);
  const marks = new Uint8Array(outerFirst[0]?.endOffset ?? 0);
  for (const { startOffset, endOffset, count } of outerFirst) marks.fill(Math.min(count, 1), startOffset, endOffset);
  return marks;
}

function edgesOf(marks: Uint8Array): number[] {
  const edges: number[] = [];
  for (let at = 0; at <= marks.length; at++) if ((marks[at] ?? 0) !== (marks[at - 1] ?? 0)) edges.push(at);
  return edges;
}

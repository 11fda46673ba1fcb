// What became of each mutant, written as it is found: a later run continues.
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../deploy/shell.ts';
import type { Mutant } from './mutations.ts';

export interface Fate {
  readonly end: 'noticed' | 'timed out' | 'survived' | 'not reached';
  /** The test file that noticed it, or all that did not. */
  readonly tests: readonly string[];
}

interface Line extends Fate {
  readonly mutant: string;
  readonly digest: string;
}

export class Results {
  readonly #path: string;
  readonly #known = new Map<string, Line>();

  constructor({ path = join(ROOT, 'out/mutants.jsonl'), isResumed }: { path?: string; isResumed: boolean }) {
    this.#path = path;
    mkdirSync(dirname(path), { recursive: true });
    if (!isResumed) rmSync(path, { force: true });
    if (!existsSync(path)) return;
    for (const text of readFileSync(path, 'utf8').split('\n').filter(Boolean)) {
      const line = JSON.parse(text) as Line;
      this.#known.set(line.mutant, line);
    }
  }

  add(mutant: Mutant, fate: Fate, checkout: string): void {
    const line: Line = { ...fate, mutant: nameOf(mutant), digest: digestOf(mutant, fate.tests, checkout) };
    appendFileSync(this.#path, `${JSON.stringify(line)}\n`);
  }

  /** Of an earlier run, unless the source or these tests have changed since. `tests`: those that would be run now. */
  find(mutant: Mutant, tests: readonly string[], checkout: string): Fate | undefined {
    const known = this.#known.get(nameOf(mutant));
    if (!known || digestOf(mutant, known.tests, checkout) !== known.digest) return undefined;
    const isFound = known.end === 'noticed' || known.end === 'timed out';
    return isFound || known.tests.join() === tests.join() ? known : undefined;
  }
}

function nameOf({ file, start, end, to }: Mutant): string {
  return `${file} ${start} ${end} ${to}`;
}

function digestOf({ file }: Mutant, tests: readonly string[], checkout: string): string {
  const hash = createHash('sha256');
  for (const path of [file, ...tests]) {
    const whole = join(checkout, path);
    hash.update(existsSync(whole) ? readFileSync(whole) : '').update('\0');
  }
  return hash.digest('hex');
}

// Which test files import a source file, also through others or in a process that they start; the nearest first.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { ROOT } from '../deploy/shell.ts';

/** Not of types alone. Also the path of a program that is started. */
const IMPORT = /^(?:import|export) type [^;]*;|'(\.\.?\/[^'\n]+\.ts)'/gm;

const imports = new Map<string, readonly string[]>();

function importsOf(file: string): readonly string[] {
  const known = imports.get(file);
  if (known) return known;
  const text = readFileSync(join(ROOT, file), 'utf8');
  const paths = [...text.matchAll(IMPORT)].flatMap(([, path]) => (path ? [normalize(join(dirname(file), path))] : []));
  const found = paths.filter((path) => existsSync(join(ROOT, path))); // others are examples in a text
  imports.set(file, found);
  return found;
}

/** Steps from a test to each file that it imports, also through others. */
export function stepsFrom(test: string): ReadonlyMap<string, number> {
  const steps = new Map([[test, 0]]);
  for (const [file, distance] of steps)
    for (const next of importsOf(file)) if (!steps.has(next)) steps.set(next, distance + 1);
  return steps;
}

let all: readonly (readonly [test: string, steps: ReadonlyMap<string, number>])[] | undefined;

export function relatedTests(file: string, most: number): string[] {
  all ??= globSync('test/**/*.test.ts', { cwd: ROOT })
    .filter((test) => !/^test\/(?:lab|deploy)\//.test(test))
    .map((test) => [test, stepsFrom(test)] as const);
  const rank = (test: string, steps: number) => (steps === 1 ? -4 : steps) - likeness(test, file);
  return all
    .filter(([, steps]) => steps.has(file))
    .map(([test, steps]) => [test, rank(test, steps.get(file) ?? 0)] as const)
    .toSorted(([a, near], [b, far]) => near - far || a.length - b.length || a.localeCompare(b))
    .slice(0, most)
    .map(([test]) => test);
}

/** The words of its path that are those of the file: the name and the last folder count most. */
function likeness(test: string, file: string): number {
  const words = wordsOf(test);
  const likenessOf = (path: string) => wordsOf(path).filter((word) => words.includes(word)).length;
  const [name = '', folder = '', ...others] = file.replace('/src/', '/').split('/').toReversed();
  return 4 * likenessOf(name) + 8 * Math.min(likenessOf(folder), 1) + 2 * likenessOf(others.join('/'));
}

function wordsOf(path: string): string[] {
  const words = path.replace(/(?:\.test)?\.ts$/, '').split(/[/.-]/);
  return words.map((word) => word.replace(/s$/, ''));
}

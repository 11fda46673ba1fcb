// Which test files import a source file, the nearest first.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { ROOT } from '../deploy/shell.ts';

/** Not of types alone. */
const IMPORT = /^(?:import|export) (?!type )[^;]*?from '(\.[^']+\.ts)'|import\('(\.[^']+\.ts)'\)/gm;
/** What a test reaches through more files than this, it does not test. */
const FARTHEST = 9;

const imports = new Map<string, readonly string[]>();

function importsOf(file: string): readonly string[] {
  const known = imports.get(file);
  if (known) return known;
  const text = readFileSync(join(ROOT, file), 'utf8');
  const paths = [...text.matchAll(IMPORT)].map(([, from, lazy]) => normalize(join(dirname(file), from ?? lazy ?? '')));
  const found = paths.filter((path) => existsSync(join(ROOT, path))); // others are examples in a text
  imports.set(file, found);
  return found;
}

/** Steps from a test to each file that it imports, also through others. */
function stepsFrom(test: string): ReadonlyMap<string, number> {
  const steps = new Map([[test, 0]]);
  for (const [file, distance] of steps)
    if (distance < FARTHEST) for (const next of importsOf(file)) if (!steps.has(next)) steps.set(next, distance + 1);
  return steps;
}

let all: readonly (readonly [test: string, steps: ReadonlyMap<string, number>])[] | undefined;
let sources: readonly string[] | undefined;
/** Who imports a file that few import, is tested with it. */
const FEW = 4;
/** As many times the wanted number, if further tests are as near as the last of them. */
const EQUALS = 1.5;

export function relatedTests(file: string, most: number): string[] {
  all ??= globSync('test/**/*.test.ts', { cwd: ROOT })
    .filter((test) => !/^test\/(?:lab|deploy)\//.test(test))
    .map((test) => [test, stepsFrom(test)] as const);
  sources ??= globSync(['src/**/*.ts', 'sdk/*/src/**/*.ts'], { cwd: ROOT });
  const importers = sources.filter((source) => importsOf(source).includes(file));
  const about = [file, ...(importers.length <= FEW ? importers : [])];
  const rank = (test: string, steps: ReadonlyMap<string, number>) =>
    Math.min(...about.map((each) => rankOf(test, each, steps.get(each) ?? FARTHEST) + (each === file ? 0 : 6)));
  const ranked = all
    .flatMap(([test, steps]) => (steps.has(file) ? [[test, rank(test, steps)] as const] : []))
    .toSorted(([a, near], [b, far]) => near - far || a.localeCompare(b));
  const last = ranked[most - 1]?.[1];
  // Among the equally near, the alphabet would choose.
  const isNear = (near: number, at: number) => at < most || (near === last && at < EQUALS * most);
  return ranked.filter(([, near], at) => isNear(near, at)).map(([test]) => test);
}

/** The smaller, the nearer. `distance`: in imports. */
function rankOf(test: string, file: string, distance: number): number {
  const name = file.split('/').at(-1)?.replace('.ts', '') ?? '';
  const folders = mirrorOf(file).split('/');
  const [words, folder] = [name.split('-').map(singular), singular(folders.at(-1) ?? '')];
  const other = test.split('/').findIndex((each, level) => each !== folders[level]);
  const named = test.split('/').at(-1)?.split(/[-.]/) ?? [];
  const isAlike = (word: string, each: string) => singular(each) === word || (word.length > 3 && each.startsWith(word));
  const isNamed = (word: string) => named.some((each) => isAlike(word, each));
  const likeness = 6 * words.filter(isNamed).length + (isNamed(folder) ? 4 : 0);
  const direct = distance === 1 ? 8 : 0; // imports the file itself
  return distance - direct - (test.includes(`/${name}.test.`) ? 10 : 0) - 3 * other - likeness;
}

function singular(word: string): string {
  return word.replace(/s$/, '');
}

/** The folder of its tests. */
function mirrorOf(file: string): string {
  return dirname(file)
    .replace(/^src/, 'test')
    .replace(/^sdk\/(\w+)\/src/, 'test/sdk/$1');
}

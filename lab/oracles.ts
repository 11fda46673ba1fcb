// Where what the tests expect comes from: the counts of test/oracles.md, and what they leave out.
import { globSync } from 'node:fs';
import { ROOT } from './deploy/shell.ts';
import { mayTake } from './oracles/allowed.ts';
import { type Assertion, assertionsOf } from './oracles/assertions.ts';

const KINDS = [
  [
    'computed from the code under test',
    'a constant or a function of `src` or `sdk`, unless it is allowed anywhere',
    'code',
  ],
  ['another implementation', "a package, Node's own modules, or a program of `lab`", 'other'],
  ['a recorded answer, vectors, a page', 'a file is read', 'file'],
  ['a property', 'another observation: what was given, stored or answered before', 'seen'],
  ['written by hand', 'nothing but literals', undefined],
] as const;

function codeIn({ origins }: Assertion): string[] {
  const code = origins.filter(({ kind, name }) => kind === 'code' && !mayTake('anywhere', name));
  return code.map(({ name }) => name);
}

function kindOf(assertion: Assertion) {
  const isOf = (wanted: string) => assertion.origins.some(({ kind }) => kind === wanted);
  return KINDS.find(([, , kind]) => !kind || (kind === 'code' ? codeIn(assertion).length > 0 : isOf(kind)));
}

/** How many assertions and files there are of each kind; with `--code`, every assertion that expects what the code under test computes. */
export async function countOrigins(args: readonly string[]): Promise<void> {
  const isCode = args.includes('--code');
  const all = globSync('test/**/*.ts', { cwd: ROOT }).sort().flatMap(assertionsOf);
  if (isCode) {
    for (const each of all)
      if (codeIn(each).length > 0) console.log(`${each.path}:${each.line} ${codeIn(each).join(', ')}`);
  } else {
    const grouped = Map.groupBy(all, kindOf);
    console.log('| Expected | How to recognise | Assertions | Files |\n|---|---|---:|---:|');
    for (const kind of KINDS.toReversed()) {
      const found = grouped.get(kind) ?? [];
      console.log(`| ${kind[0]} | ${kind[1]} | ${found.length} | ${new Set(found.map(({ path }) => path)).size} |`);
    }
  }
}

// Conventions of this project that no linter checks.
import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { test } from 'node:test';
import { importsOf } from './import-rules.ts';
import { codeOf, read, sourcesIn } from './sources.ts';

const sources = ['src', 'sdk'].flatMap((folder) => sourcesIn(folder, '.ts'));

test('sources are found', () => assert.ok(sources.length > 50));

test('no file has a shapeless name such as utils or helpers', () => {
  const shapeless = /^(?:helpers?|utils?|common|misc|types|index)\.ts$/;
  const found = sources.map(({ path }) => path).filter((path) => shapeless.test(basename(path)));
  assert.deepEqual(found, [], 'name a file after the one thing it owns');
});

test('src and sdk have no default exports', () => {
  const found = sources.filter(({ text }) => /\bexport\s+default\b|\bas\s+default\b/.test(codeOf(text)));
  assert.deepEqual(
    found.map(({ path }) => path),
    [],
  );
});

/** The kinds of stores as literals: in comparisons, in addresses, in cases. */
const KIND = /(['"])(?:sqlite|postgres)\1/;

test('only the seam of the stores and the parser of their addresses name the kinds of stores', () => {
  const askers = sources.filter(({ path }) => !/^src\/store\/(?:sqlite|postgres)\//.test(path));
  const found = askers.filter(({ text }) => KIND.test(codeOf(text, { keepStrings: true }))).map(({ path }) => path);
  assert.deepEqual(found, ['src/config/store-address.ts', 'src/open-store.ts'], 'ask storeAt for a capability');
  for (const asks of ["store.kind === 'sqlite'", "store.kind !== 'postgres'", "case 'sqlite':", 'kind: "postgres"'])
    assert.match(asks, KIND);
});

test('doctor and init read no table by themselves: an operation does', () => {
  const tables = /^src\/store\/(?:pages\.ts$|tables\/(?!store-history\.ts$))/; // readHistory reads one row
  const asking = sources.filter(({ path }) => /^src\/cli\/(?:doctor|init)\//.test(path));
  assert.deepEqual(
    asking.flatMap(importsOf).filter(({ to }) => tables.test(to)),
    [],
  );
});

test('no file of src and sdk is longer than 300 lines', () => {
  const long = sources.filter(({ text }) => text.split('\n').length > 301);
  assert.deepEqual(
    long.map(({ path }) => path),
    [],
    'ask what the second idea is',
  );
});

test('identifiers of src and sdk use none of the words CONTRIBUTING.md forbids', () => {
  // The words of CONTRIBUTING's table with no other meaning here; words of foreign interfaces (AbortController) are left out.
  const never = new Set(['ttl', 'realm', 'connector', 'mapper', 'adapter', 'manager', 'replay']);
  const words = (code: string) =>
    [...code.matchAll(/[A-Za-z]+/g)].flatMap(([name]) => name.split(/(?<=[a-z])(?=[A-Z])/)).map((w) => w.toLowerCase());
  const found = sources.flatMap(({ path, text }) =>
    [...new Set(words(codeOf(text)))].filter((word) => never.has(word)).map((word) => `${path} says ${word}`),
  );
  assert.deepEqual(found, []);
});

test('rules and operations name no flag of the command line, except in what operators do about a refusal: they serve other interfaces too', () => {
  const inner = sources.filter(({ path }) => /^src\/(?:core(?!\/refusals\/)|operations)\//.test(path));
  const found = inner.flatMap(({ path, text }) =>
    [...text.matchAll(/(?<![\w-])--[a-z][\w-]*/g)].map(([flag]) => `${path} has ${flag}`),
  );
  assert.deepEqual(found, [], 'src/cli words it');
});

test('tests and drills make their temporary folders with test/temporary-folder.ts, which removes them', () => {
  const all = [...sourcesIn('test', '.ts'), ...sourcesIn('lab', '.ts')];
  const found = all.filter(({ text }) => /\bmkdtemp|\btmpdir\(\)/.test(text)).map(({ path }) => path);
  assert.deepEqual(found, ['test/temporary-folder.ts']);
});

test('a skip, a todo and a suppression carry their reason', () => {
  const tests = sourcesIn('test', '.ts').filter(({ path }) => !path.startsWith('test/house/'));
  const bare =
    /(?:skip|todo): true\b|\b(?:test|it|suite)\.(?:skip|todo|only)\(|\/\/ biome-ignore [^:\n]*:?\s*\n|@ts-ignore/;
  const found = [...sources, ...tests].filter(({ text }) => bare.test(text)).map(({ path }) => path);
  assert.deepEqual(found, []);
});

const pages = [
  ...['README', 'ARCHITECTURE', 'CONTRIBUTING', 'SECURITY', 'CHANGELOG'].map((name) => `${name}.md`),
  ...['docs', 'sdk', 'examples'].flatMap((folder) => sourcesIn(folder, '.md')).map(({ path }) => path),
];

test('the changelog has an Unreleased section', () => {
  assert.match(read('CHANGELOG.md'), /^## \[Unreleased\]$/m);
});

test('pages and sources name no document outside this project', () => {
  const elsewhere = /\.\.\/shared\b|\b(?:wire|design|style)\.md\b/;
  const texts = [...pages.map((path) => ({ path, text: read(path) })), ...sources];
  const found = texts.filter(({ text }) => elsewhere.test(text)).map(({ path }) => path);
  assert.deepEqual(found, []);
});

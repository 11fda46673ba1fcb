// Every file, link and name that a page mentions must exist.
import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertEach, CODE, PAGES, SPANS, WORDS } from './mentioning-pages.ts';
import { anchorsOf, linksOf } from './mentions.ts';
import { SETTING_VARIABLES } from './setting-names.ts';
import { ROOT, read, sourcesIn } from './sources.ts';

// Made by a build or by the service, so a checkout lacks them.
const MADE_LATER = /^(data|dist|node_modules|tessera)\//;
const FOLDERS = [
  ...new Set(
    CODE.flatMap(({ path }) =>
      path
        .split('/')
        .slice(0, -1)
        .map((_, at, all) => `${all.slice(0, at + 1).join('/')}/`),
    ),
  ),
];

function existsSomewhere(name: string): boolean {
  if (existsSync(join(ROOT, name)) || globSync(name, { cwd: ROOT }).length > 0) return true;
  return [...CODE.map(({ path }) => path), ...FOLDERS].some((path) => path.endsWith(`/${name}`));
}

test('every file and folder in a code span exists', () => {
  const isFile =
    /^(?:(?:\.ci|\.github|src|test|lab|docs|deploy|runtime)\/[\w./*-]*|[\w./-]+\.(?:ts|mjs|md)|[\w.-]+(?:\/[\w.-]+)*\/)$/;
  const named = SPANS.filter(({ text }) => isFile.test(text) && !MADE_LATER.test(text));
  assertEach(named, 200, existsSomewhere);
});

test('every link leads to a file, and to a heading of it', () => {
  assertEach([...PAGES, ...sourcesIn('examples', '.md')].flatMap(linksOf), 80, (target) => {
    const [path = '', anchor] = target.split('#');
    return existsSync(join(ROOT, path)) && (!anchor || anchorsOf(read(path)).has(anchor));
  });
});

// test/house/map.test.ts checks the names in the map of ARCHITECTURE.md.
test('what a page says is in a file is in that file', () => {
  const pairs = PAGES.flatMap(({ path, text }) =>
    [
      ...text.matchAll(/`([\w./-]+\.ts)`(?: beside it)?: ((?:`#?\w+`(?:, | → )?)+)|`(\w+)` in\s+`([\w./-]+\.ts)`/g),
    ].flatMap(([, file, names = '', name, home]) =>
      [...(file ? names.matchAll(/\w+/g) : [[name as string]])].map(([word]) => ({
        page: path,
        text: `${file ?? home} ${word}`,
      })),
    ),
  );
  assertEach(pairs, 2, (pair) => {
    const [file = '', word = ''] = pair.split(' ');
    const homes = CODE.filter(({ path }) => path === file || path.endsWith(`/${file}`));
    return homes.some(({ text }) => new RegExp(`\\b${word}\\b`).test(text));
  });
});

test('every name in camel case or capitals is in the code', () => {
  // Words of Node, TypeScript, ASN.1, pino, Envoy, Traefik and Dex.
  const foreign =
    /^(?:randomUUID|erasableSyntaxOnly|cRLIssuer|anyExtendedKeyUsage|flushSync|reuseInterval|trustForwardHeader|[A-Z]+_FORWARD(?:_ONLY)?|SANITIZE_SET)$/;
  const named = SPANS.filter(({ text }) => /^(?:[a-z]+[A-Z]\w*|[A-Z]+_[A-Z_]+)$/.test(text) && !foreign.test(text));
  assertEach(named, 40, (name) => WORDS.has(name) || SETTING_VARIABLES.has(name));
});

test('every address outside this project is https, and complete', () => {
  const addresses = PAGES.flatMap(({ path, text }) =>
    [...text.matchAll(/\]\((\w+:[^)\s]*)\)/g)].map(([, target = '']) => ({ page: path, text: target })),
  );
  assertEach(addresses, 20, (target) => /^https:$/.test(URL.parse(target)?.protocol ?? ''));
});

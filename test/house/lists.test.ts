// Pages that list parts of the code must be complete.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DECLARED } from '../../src/core/refusal.ts';
import { reasonsOf } from '../../src/core/refusals/declaration.ts';
import { OF_SERVER } from '../../src/core/refusals/server.ts';
import { wordingOf } from '../../src/doors/authsvc/wording.ts';
import { TRANSPORT_WORDS } from '../../src/doors/http/transport-refusal.ts';
import { OAUTH_ERRORS } from '../../src/doors/oauth/wording.ts';
import { quoted, read, sourcesIn, tableOf } from './sources.ts';

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

function manifest(path: string): Manifest {
  return JSON.parse(read(path)) as Manifest;
}

test('every refusal is declared once, and docs/errors.md has each once', () => {
  const sources = sourcesIn('src/core/refusals', '.ts').map(({ text }) => text);
  const declared = sources.flatMap((text) =>
    [...text.matchAll(/^ {2,4}'?([a-z-]+)'?: \{/gm)].map(([, name = '']) => name),
  );
  assert.deepEqual(declared.sort(), Object.keys(DECLARED).sort());
  const [refusals = '', rest = ''] = read('docs/errors.md').split('\n## Administration\n');
  const lines = `${refusals}${rest.split('\n## ')[1]}`.matchAll(/^- (`[^:]+`): ./gm);
  assert.deepEqual([...lines].flatMap(([, names = '']) => quoted(names)).sort(), declared);
});

test('docs/errors.md, "At the oauth door", has every code', () => {
  const [, part = ''] = read('docs/errors.md').split('\nIts codes: ');
  const named = quoted(part.split('\n')[0] ?? '');
  assert.deepEqual(
    OAUTH_ERRORS.filter((code) => !named.includes(code)),
    [],
  );
});

test('the server and the authsvc door give a refusal the same status', () => {
  for (const reason of reasonsOf(OF_SERVER))
    assert.equal(wordingOf(reason).status, TRANSPORT_WORDS[reason].status, reason);
});

test('docs/troubleshooting.md names refusals and readiness checks that exist', () => {
  const page = read('docs/troubleshooting.md');
  const refusals = tableOf(page, ['Symptom', 'Refusal in the log']).flatMap(([, cell = '']) => quoted(cell));
  assert.ok(refusals.length > 2);
  assert.deepEqual(
    refusals.filter((reason) => !Object.hasOwn(DECLARED, reason)),
    [],
  );
  const [, section = ''] = page.split('## `/readyz` is 503');
  const checks = [...(section.split('\n## ')[0] ?? '').matchAll(/^- (.*?):/gm)].flatMap(([, names = '']) =>
    quoted(names),
  );
  const [, ofStore = ''] = /^export type StoreCheckName = (.*);$/m.exec(read('src/store/store.ts')) ?? [];
  const others = ['src/doors/ops/readiness.ts', 'src/compose/parts.ts'].flatMap((file) => [
    ...read(file).matchAll(/\{ name: ('\w+')/g),
  ]);
  const inCode = `${ofStore} ${others.map(([, name]) => name)}`.match(/\w+/g) ?? [];
  assert.deepEqual(checks.sort(), [...new Set(inCode)].sort());
});

test('docs/dependencies.md lists exactly the packages that the service runs with, each with its use', () => {
  const rows = tableOf(read('docs/dependencies.md'), ['To run']);
  const listed = rows.flatMap(([name = '']) => quoted(name));
  assert.deepEqual(listed.sort(), Object.keys(manifest('package.json').dependencies ?? {}).sort());
  assert.ok(
    rows.every((row) => row.length >= 2 && row.every((cell) => cell !== '')),
    'a cell is empty',
  );
});

test('every dependency is pinned to one version', () => {
  const pinned = ({ dependencies, devDependencies, optionalDependencies }: Manifest) =>
    Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
  const loose = [...pinned(manifest('package.json')), ...pinned(manifest('runtime/package.json'))].filter(
    ([, version]) => !/^\d+\.\d+\.\d+(-[a-z]+\.\d+)?$/.test(version),
  );
  assert.deepEqual(loose, []);
});

interface LockEntry extends Manifest {
  readonly resolved?: string;
  readonly link?: boolean;
}

const lock = JSON.parse(read('package-lock.json')) as { packages: Readonly<Record<string, LockEntry>> };

test('the lock file is complete: npm ci refuses one that lacks a platform package', () => {
  const locked = new Set(Object.keys(lock.packages).map((path) => path.replace(/^.*node_modules\//, '')));
  const missing = Object.entries(lock.packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !locked.has(name))
      .map((name) => `${path} wants ${name}`),
  );
  assert.deepEqual(missing, []);
});

test('the lock file names no registry, so that any mirror serves', () => {
  const named = Object.entries(lock.packages).filter(([, { resolved, link }]) => resolved && !link);
  assert.deepEqual(named, []);
});

test('test/threats.md names test files that exist', () => {
  const named = [...read('test/threats.md').matchAll(/`(test\/[\w./-]+\.test\.ts)`/g)].map(([, path = '']) => path);
  assert.ok(named.length > 40, 'the page names its tests');
  assert.deepEqual(
    named.filter((path) => read(path) === ''),
    [],
  );
});

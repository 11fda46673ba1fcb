// Pages that list parts of the code must be complete.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REFUSAL_REASONS } from '../../src/core/refusal.ts';
import { WORDING } from '../../src/doors/authsvc/wording.ts';
import { quoted, read, tableOf } from './sources.ts';

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

function manifest(path: string): Manifest {
  return JSON.parse(read(path)) as Manifest;
}

function namesOf({ dependencies, devDependencies, optionalDependencies }: Manifest): string[] {
  return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }).sort();
}

test('docs/errors.md lists exactly the existing refusals, as the authsvc door words them', () => {
  const listed = tableOf(read('docs/errors.md'), ['Refusal', 'Status', '`Error`']).map((row) => row.slice(0, 3));
  const worded = REFUSAL_REASONS.map((reason) => {
    const { status, error } = WORDING[reason];
    return [`\`${reason}\``, `${status}`, `\`${error}\``];
  });
  assert.deepEqual(listed, worded, 'in the order of src/core/refusal.ts');
});

test('docs/dependencies.md lists exactly the dependencies in use, each with a reason', () => {
  const used = [...namesOf(manifest('package.json')), ...namesOf(manifest('runtime/package.json'))];
  const page = read('docs/dependencies.md');
  const rows = ['To run', 'To develop', 'To start'].flatMap((header) => tableOf(page, [header]));
  const listed = rows.flatMap(([name = '']) => quoted(name));
  assert.deepEqual(listed.sort(), used.sort());
  assert.ok(
    rows.every((row) => row.length === 4 && row.every((cell) => cell !== '')),
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

test('docs/threats.md names test files that exist', () => {
  const named = [...read('docs/threats.md').matchAll(/`(test\/[\w./-]+\.test\.ts)`/g)].map(([, path = '']) => path);
  assert.ok(named.length > 40, 'the page names its tests');
  assert.deepEqual(
    named.filter((path) => read(path) === ''),
    [],
  );
});

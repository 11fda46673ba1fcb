// Pages that list parts of the code must be complete.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PERSON_REASONS, REFUSAL_REASONS } from '../../src/core/refusal.ts';
import { AUTHSVC_REASONS, type AuthsvcReason, WORDING } from '../../src/doors/authsvc/wording.ts';
import { TRANSPORT_REASONS, TRANSPORT_WORDS } from '../../src/doors/http/transport-refusal.ts';
import { OAUTH_REASONS, wordingOf } from '../../src/doors/oauth/wording.ts';
import { PAGE_REASONS } from '../../src/doors/pages/parts/wording.ts';
import { quoted, read, tableOf } from './sources.ts';

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

function manifest(path: string): Manifest {
  return JSON.parse(read(path)) as Manifest;
}

/** The part of docs/errors.md under a heading. */
function errorsUnder(heading: string): string {
  const [, part = ''] = read('docs/errors.md').split(`\n## ${heading}\n`);
  return part.split('\n## ')[0] ?? '';
}

/** Refusals in the list under a heading: what stands before the colon. */
function refusalsUnder(heading: string): string[] {
  const lines = errorsUnder(heading).split('\n');
  return lines.flatMap((line) => quoted(/^- (`[^:]+`): /.exec(line)?.[1] ?? ''));
}

const AT_OAUTH = refusalsUnder('At the oauth door');
const OF_AUTHSVC: readonly AuthsvcReason[] = [...TRANSPORT_REASONS, ...REFUSAL_REASONS, ...AUTHSVC_REASONS];
/** Headings such as: 404, 405 `invalid_request`. */
const ANSWERS = [...read('docs/errors.md').matchAll(/^## ((\d{3}(?:, \d{3})*) `(\w+)`)$/gm)];

for (const [, heading = '', statuses = '', code] of ANSWERS) {
  test(`docs/errors.md, "${heading}", has the refusals that the authsvc door answers so`, () => {
    const worded = OF_AUTHSVC.filter((reason) => {
      const { status, error } = WORDING[reason];
      return error === code && statuses.includes(`${status}`) && !AT_OAUTH.includes(reason);
    });
    assert.deepEqual(refusalsUnder(heading).sort(), worded.sort());
  });
}

test('docs/errors.md has every refusal once', () => {
  const listed = [...ANSWERS.map(([, heading = '']) => heading), 'At the oauth door', 'For people'].flatMap(
    refusalsUnder,
  );
  const all = [...OF_AUTHSVC, ...OAUTH_REASONS, ...PERSON_REASONS, ...PAGE_REASONS];
  assert.deepEqual(listed.sort(), all.sort());
});

test('docs/errors.md, "At the oauth door", has every code', () => {
  const codes = [...TRANSPORT_REASONS, ...REFUSAL_REASONS, ...OAUTH_REASONS].map((reason) => wordingOf(reason).error);
  const named = quoted(errorsUnder('At the oauth door'));
  assert.deepEqual(
    [...new Set<string>(codes)].filter((code) => !named.includes(code)),
    [],
  );
});

test('no refusal is on two lists', () => {
  const all = [
    ...TRANSPORT_REASONS,
    ...REFUSAL_REASONS,
    ...AUTHSVC_REASONS,
    ...OAUTH_REASONS,
    ...PERSON_REASONS,
    ...PAGE_REASONS,
  ];
  assert.deepEqual([...new Set<string>(all)], all);
});

test('the server and the authsvc door give a refusal the same status', () => {
  for (const reason of TRANSPORT_REASONS) assert.equal(WORDING[reason].status, TRANSPORT_WORDS[reason].status, reason);
});

test('docs/troubleshooting.md names refusals and readiness checks that exist', () => {
  const page = read('docs/troubleshooting.md');
  const known = new Set<string>([...TRANSPORT_REASONS, ...REFUSAL_REASONS, ...AUTHSVC_REASONS]);
  const refusals = tableOf(page, ['Symptom', 'Refusal in the log']).flatMap(([, cell = '']) => quoted(cell));
  assert.ok(refusals.length > 2);
  assert.deepEqual(
    refusals.filter((reason) => !known.has(reason)),
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

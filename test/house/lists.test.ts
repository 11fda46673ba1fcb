// Pages that list parts of the code must be complete.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PERSON_REASONS, REFUSAL_REASONS } from '../../src/core/refusal.ts';
import { AUTHSVC_REASONS, type AuthsvcReason, WORDING } from '../../src/doors/authsvc/wording.ts';
import { TRANSPORT_REASONS, TRANSPORT_WORDS } from '../../src/doors/http/transport-refusal.ts';
import { OAUTH_REASONS, wordingOf } from '../../src/doors/oauth/wording.ts';
import { PAGE_REASONS, PAGE_WORDING } from '../../src/doors/pages/parts/wording.ts';
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

/** The part of docs/errors.md under a heading. */
function errorsUnder(heading: string): string {
  const [, part = ''] = read('docs/errors.md').split(`\n## ${heading}\n`);
  return part.split('\n## ')[0] ?? '';
}

const CALLERS_TABLES: readonly (readonly [heading: string, reasons: readonly AuthsvcReason[]])[] = [
  ['About the request and the server', TRANSPORT_REASONS],
  ['About what was asked for', [...REFUSAL_REASONS, ...AUTHSVC_REASONS]],
];

for (const [heading, reasons] of CALLERS_TABLES) {
  test(`docs/errors.md, "${heading}", has every refusal of its list in order, with the words of the authsvc door`, () => {
    const listed = tableOf(errorsUnder(heading), ['Refusal', 'Answer']).map((row) => row.slice(0, 2));
    const worded = reasons.map((reason) => {
      const { status, error } = WORDING[reason];
      return [`\`${reason}\``, `${status} \`${error}\``];
    });
    assert.deepEqual(listed, worded);
  });
}

test('docs/errors.md, "For people", has every refusal of its list in order, with the status of its page', () => {
  const listed = tableOf(errorsUnder('For people'), ['Refusal', 'Page status']).map((row) => row.slice(0, 2));
  const worded = [...PERSON_REASONS, ...PAGE_REASONS].map((reason) => [
    `\`${reason}\``,
    `${PAGE_WORDING[reason].status}`,
  ]);
  assert.deepEqual(listed, worded);
});

test('docs/errors.md, "At the oauth door", has its own refusals, and every code', () => {
  const part = errorsUnder('At the oauth door');
  const own = tableOf(part, ['Refusal', 'Meaning']).map(([name = '']) => name);
  assert.deepEqual(
    own,
    OAUTH_REASONS.map((reason) => `\`${reason}\``),
  );
  const codes = [...TRANSPORT_REASONS, ...REFUSAL_REASONS, ...OAUTH_REASONS].map((reason) => wordingOf(reason).error);
  assert.deepEqual(
    [...new Set<string>(codes)].filter((code) => !quoted(part).includes(code)),
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
  assert.ok(refusals.length > 3);
  assert.deepEqual(
    refusals.filter((reason) => !known.has(reason)),
    [],
  );
  const checks = tableOf(page, ['Check', 'Cause and remedy']).flatMap(([cell = '']) => quoted(cell));
  const [, listed = ''] = /The checks: ([\s\S]*?)\. A check that/.exec(read('docs/operators.md')) ?? [];
  assert.deepEqual(checks, quoted(listed));
});

test('docs/dependencies.md lists exactly the dependencies in use, each with a reason', () => {
  const used = [...namesOf(manifest('package.json')), ...namesOf(manifest('runtime/package.json'))];
  const page = read('docs/dependencies.md');
  const rows = ['To run', 'To develop'].flatMap((header) => tableOf(page, [header]));
  const listed = rows.flatMap(([name = '']) => quoted(name));
  assert.deepEqual(listed.sort(), used.sort());
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

test('docs/threats.md names test files that exist', () => {
  const named = [...read('docs/threats.md').matchAll(/`(test\/[\w./-]+\.test\.ts)`/g)].map(([, path = '']) => path);
  assert.ok(named.length > 40, 'the page names its tests');
  assert.deepEqual(
    named.filter((path) => read(path) === ''),
    [],
  );
});

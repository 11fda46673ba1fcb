// The map "Every file" of ARCHITECTURE.md: it names every file, and no file that does not exist.
import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { test } from 'node:test';
import { quoted, read, sourcesIn } from './sources.ts';

const FILE = /^[\w*-]+\.ts$/;
const NAME = /^(?:[a-z]+[A-Z]\w*|[A-Z][A-Z_]+)$/;

/** Folder → all code spans of its entry. */
function entriesOf(page: string): readonly (readonly [folder: string, spans: readonly string[]])[] {
  const [, section = ''] = page.split('\n## Every file\n');
  const entries = (section.split('\n## ')[0] ?? '').split('\n- ').slice(1);
  return entries.map((entry) => {
    const [folder = '', ...spans] = quoted(entry);
    return [folder, spans];
  });
}

/** Folder → the files that the map names in it. `*.ts` covers all files of its folder. */
function mapOf(page: string): ReadonlyMap<string, readonly string[]> {
  return new Map(entriesOf(page).map(([folder, spans]) => [folder, spans.filter((span) => FILE.test(span))]));
}

/** Names of functions and constants, each with the file that is named before it. */
function namesOf(page: string): { readonly path: string; readonly name: string }[] {
  return entriesOf(page).flatMap(([folder, spans]) =>
    spans.flatMap((name, at) => {
      const file = spans.slice(0, at).findLast((span) => FILE.test(span));
      return NAME.test(name) && file ? [{ path: folder + file, name }] : [];
    }),
  );
}

interface Flaws {
  readonly missing: readonly string[];
  readonly absent: readonly string[];
}

function flawsOf(page: string, files: readonly string[]): Flaws {
  const map = mapOf(page);
  const covers = (path: string) => {
    const named = map.get(`${posix.dirname(path)}/`) ?? [];
    return named.includes('*.ts') || named.includes(posix.basename(path));
  };
  const named = [...map].flatMap(([folder, names]) =>
    names.filter((name) => name !== '*.ts').map((name) => folder + name),
  );
  return { missing: files.filter((path) => !covers(path)), absent: named.filter((path) => !files.includes(path)) };
}

const files = ['src', 'sdk/client/src', 'sdk/verify/src'].flatMap((folder) =>
  sourcesIn(folder, '.ts').map(({ path }) => path),
);

test('the map of ARCHITECTURE.md names every file, and none that does not exist', () => {
  assert.ok(files.length > 400, 'it found hardly any file');
  assert.deepEqual(flawsOf(read('ARCHITECTURE.md'), files), { missing: [], absent: [] });
});

test('a file that the map lacks is found, and so is one that does not exist', () => {
  const page =
    '# A\n\n## Every file\n\n- `src/core/` `grant.ts` the row.\n  - **More:** `gone.ts`.\n- `src/log/` `*.ts`.\n\n## B\n';
  assert.deepEqual(flawsOf(page, ['src/core/grant.ts', 'src/core/new.ts', 'src/log/log.ts']), {
    missing: ['src/core/new.ts'],
    absent: ['src/core/gone.ts'],
  });
});

test('every function and constant in the map is in the file that is named before it', () => {
  const names = namesOf(read('ARCHITECTURE.md'));
  assert.ok(names.length > 10, 'it found hardly any name');
  assert.deepEqual(
    names.filter(({ path, name }) => !new RegExp(`\\b${name}\\b`).test(read(path))),
    [],
  );
});

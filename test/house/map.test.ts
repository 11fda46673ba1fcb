// The code map of ARCHITECTURE.md covers every folder.
import assert from 'node:assert/strict';
import { posix } from 'node:path';
import { test } from 'node:test';
import { quoted, read, sourcesIn } from './sources.ts';

/** The folders that the first column of the map names. */
function foldersOf(page: string): readonly string[] {
  const [, section = ''] = page.split('\n## Code map\n');
  const rows = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| `'));
  return rows.flatMap((row) => quoted(row.split(' | ')[0] ?? ''));
}

test('every folder of src and sdk has a row in the code map, or the folder above it has one', () => {
  const mapped = foldersOf(read('ARCHITECTURE.md'));
  const files = ['src', 'sdk/client/src', 'sdk/verify/src'].flatMap((folder) => sourcesIn(folder, '.ts'));
  assert.ok(files.length > 400, 'it found hardly any file');
  const folders = new Set(files.map(({ path }) => `${posix.dirname(path)}/`).filter((folder) => folder !== 'src/'));
  assert.deepEqual(
    [...folders].filter((folder) => !mapped.some((row) => folder.startsWith(row))),
    [],
  );
  assert.deepEqual(
    mapped.filter(
      (row) => row !== 'src/*.ts' && !folders.has(row) && ![...folders].some((folder) => folder.startsWith(row)),
    ),
    [],
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DOOR_NAMES, OWNED_SEGMENTS } from '../../src/doors/doors.ts';
import { sourcesIn } from '../house/sources.ts';

test('every folder with a door is in the list of doors', () => {
  const files = sourcesIn('src/doors', 'door.ts').map(({ path }) => path.split('/'));
  const names = files.flatMap(([, , folder, file]) => (file === 'door.ts' ? [folder] : []));
  assert.deepEqual(new Set(names), new Set<string>(DOOR_NAMES));
});

test('no first path segment belongs to two doors', () => {
  assert.deepEqual([...new Set(OWNED_SEGMENTS)], OWNED_SEGMENTS);
});

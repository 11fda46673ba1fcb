import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DOOR_NAMES, OWNED_SEGMENTS } from '../../src/doors/doors.ts';
import { sourcesIn } from '../house/sources.ts';

test('every folder with a door is in the list of doors', () => {
  const files = sourcesIn('src/doors', 'door.ts').map(({ path }) => path.split('/'));
  const names = files.flatMap((path) => (path.length > 3 && path.at(-1) === 'door.ts' ? [path.at(-2)] : []));
  assert.deepEqual(new Set(names), new Set<string>(DOOR_NAMES));
});

test('no first path segment belongs to two doors', () => {
  assert.deepEqual([...new Set(OWNED_SEGMENTS)], OWNED_SEGMENTS);
});

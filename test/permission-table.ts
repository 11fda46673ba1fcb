// test/permissions.md: who may do what, written by hand.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fastify from 'fastify';
import { DOOR_NAMES, openDoors } from '../src/doors/doors.ts';

const TEXT = readFileSync(new URL('permissions.md', import.meta.url), 'utf8');

/** The rows of the table below a heading, by the names of its columns. */
export function rowsBelow<Column extends string>(heading: string, columns: readonly Column[]) {
  const lines = TEXT.split(`${heading}\n`)[1]?.split(/\n#/)[0]?.split('\n') ?? [];
  const [head, , ...rows] = lines
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  assert.deepEqual(head, columns, heading);
  return rows.map(
    (cells) => Object.fromEntries(columns.map((name, at) => [name, cells[at]])) as Record<Column, string>,
  );
}

/** What a door serves, as it mounts it: `GET /admin/v1/grants/{id}`. */
export async function servedBy(name: string): Promise<readonly string[]> {
  assert.ok(DOOR_NAMES.some((each) => each === name));
  const parts = {
    publicUrl: 'https://tokens.example',
    look: { accent: '#123456' },
    scimDirectories: [],
    servedDoors: [name],
  };
  const [door] = await openDoors(parts as never);
  const served: string[] = [];
  const app = fastify({ exposeHeadRoutes: false });
  app.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) served.push(`${each} ${url.replaceAll(/:(\w+)/g, '{$1}')}`);
  });
  door?.mount(app, {} as never);
  return served.sort();
}

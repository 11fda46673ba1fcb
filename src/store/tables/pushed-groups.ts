import { foldCase, type PushedGroup } from '../../core/identity.ts';
import { keyedTable, type Where } from '../table.ts';

export const pushedGroups = keyedTable<PushedGroup>({
  name: 'pushed_groups',
  columns: [
    { name: 'id', kind: 'text', fixed: true, of: ({ id }) => id },
    { name: 'directory', kind: 'text', of: ({ directory, isGone }) => (isGone ? null : directory) },
    { name: 'name', kind: 'text', of: (row) => (row.isGone ? null : nameOf(row.directory, row.displayName)) },
    { name: 'body', kind: 'json', of: (row) => JSON.stringify(row) },
  ],
  decode: ([, , , body]) => JSON.parse(body as string),
  indexes: ['directory', 'name'],
});

export const groupsOf = {
  directory: (label: string): Where => ({ column: 'directory', value: label }),
  /** Names of groups ignore case. */
  name: (label: string, name: string): Where => ({ column: 'name', value: nameOf(label, name) }),
};

function nameOf(label: string, name: string): string {
  return `${label}/${foldCase(name)}`;
}

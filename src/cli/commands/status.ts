import { AS_JSON } from '../terminal/options.ts';
import { printJson, printTable } from '../terminal/output.ts';
import { administers } from './administration.ts';

export const commands = {
  status: administers({
    about: 'list the running nodes',
    options: AS_JSON,
    examples: ['tessera status'],
    run: async ({ json }, { act }) => {
      const { items } = await act('node-list');
      const lines = items.map(({ name, until }) => [name, until]);
      if (json) printJson(items);
      else printTable(['node', 'counts as running until'], lines);
    },
  }),
};

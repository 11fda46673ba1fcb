import { declares } from '../terminal/manual.ts';
import { printJson, printTable } from '../terminal/output.ts';
import { administering } from './administration.ts';
import type { Administration } from './steps.ts';

const TEXT = `
status    list the running nodes
  --json  as JSON
  $ tessera status
`;

export const commands = declares(TEXT, { status: administering(printNodes) });

async function printNodes({ json }: { json?: true }, { act }: Administration): Promise<void> {
  const { items } = await act('node-list');
  const lines = items.map(({ name, until }) => [name, until]);
  if (json) printJson(items);
  else printTable(['node', 'counts as running until'], lines);
}

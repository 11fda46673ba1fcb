import type { CliCommand } from '../terminal/cli-command.ts';
import { printJson, printTable } from '../terminal/output.ts';
import { accepted } from '../terminal/wording.ts';
import { administering } from './administration.ts';
import type { Administration } from './steps.ts';

export function statusCommand(program: CliCommand): void {
  program
    .command('status')
    .description('list the running nodes')
    .option('--json', 'as JSON')
    .examples('tessera status')
    .runs(administering(printNodes));
}

async function printNodes({ json }: { json?: true }, { act }: Administration): Promise<void> {
  const { items } = accepted(await act('node-list')).value;
  const lines = items.map(({ name, until }) => [name, until]);
  if (json) printJson(items);
  else printTable(['node', 'counts as running until'], lines);
}

import type { CliCommand } from '../terminal/cli-command.ts';
import { printJson, printTable } from '../terminal/output.ts';
import { accepted } from '../terminal/wording.ts';
import { type Administration, administers } from './administration.ts';

export function statusCommand(program: CliCommand): void {
  program
    .command('status')
    .description('list the running nodes')
    .option('--json', 'as JSON')
    .examples('tessera status')
    .runs(administers(async () => printNodes));
}

async function printNodes({ json }: { json?: true }, { act }: Administration): Promise<void> {
  const { items } = accepted(await act('node-list')).value;
  if (json) printJson(items);
  else
    printTable(
      ['node', 'counts as running until'],
      items.map(({ name, until }) => [name, until]),
    );
}

import { printJson, printTable } from '../../terminal/output.ts';
import { accepted } from '../../terminal/wording.ts';
import type { Administration } from './steps.ts';

export async function printNodes({ json }: { json?: true }, { act }: Administration): Promise<void> {
  const { items } = accepted(await act('node-list')).value;
  if (json) printJson(items);
  else
    printTable(
      ['node', 'counts as running until'],
      items.map(({ name, until }) => [name, until]),
    );
}

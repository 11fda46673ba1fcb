import type { CliCommand } from '../terminal/cli-command.ts';
import { administers } from './administration.ts';

export function statusCommand(program: CliCommand): void {
  program
    .command('status')
    .description('list the running nodes')
    .option('--json', 'as JSON')
    .examples('tessera status')
    .runs(administers(async () => (await import('./work/status.ts')).printNodes));
}

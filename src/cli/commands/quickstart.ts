import type { Command } from 'commander';
import { examples } from '../terminal/options.ts';

export function quickstartCommand(program: Command): void {
  program
    .command('quickstart')
    .description('make a data folder with everything for a first token, and serve it; for trials only')
    .addHelpText('after', examples('tessera quickstart', 'tessera quickstart --set listeners.0.port=9443'))
    .action(async (_: unknown, command: Command) => (await import('../quickstart/quickstart.ts')).quickstart(command));
}

import type { CliCommand } from '../terminal/cli-command.ts';

export function quickstartCommand(program: CliCommand): void {
  program
    .command('quickstart')
    .description('make a data folder with everything for a first token, and serve it; for trials only')
    .examples('tessera quickstart', 'tessera quickstart --set listeners.0.port=9443')
    .runs(async () => (await import('../quickstart/quickstart.ts')).quickstart);
}

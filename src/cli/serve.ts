import type { Command } from 'commander';
import { examples } from './options.ts';

export function serveCommand(program: Command): void {
  program
    .command('serve')
    .description('run the service')
    .addHelpText('after', examples('tessera serve', 'tessera serve --set log.level=debug'))
    .action(() => {
      throw new Error('not wired yet');
    });
}

import type { Command } from 'commander';
import { asCount, examples } from '../terminal/options.ts';
import type { ServeFlags } from './work/serve.ts';

export function serveCommand(program: Command): void {
  program
    .command('serve')
    .description('run the service until SIGTERM or SIGINT; requests in flight are answered first')
    .option('--workers <count>', 'processes that share the ports, to use the cores of one machine', asCount, 1)
    .option(
      '--accept-clock',
      'trust the clock, even if the store has seen a later time or was last used over a month ago',
    )
    .option('--take-back', 'start on a store that was moved away, and give up every change made in the other one')
    .addHelpText('after', examples('tessera serve', 'tessera serve --workers 4', 'tessera serve --set log.level=debug'))
    .action(async (flags: ServeFlags, command: Command) => (await import('./work/serve.ts')).serve(flags, command));
}

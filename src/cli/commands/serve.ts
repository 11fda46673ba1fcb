import type { CliCommand } from '../terminal/cli-command.ts';
import { asCount } from '../terminal/options.ts';

export function serveCommand(program: CliCommand): void {
  program
    .command('serve')
    .description('run the service until SIGTERM or SIGINT; requests in flight are answered first')
    .option('--workers <count>', 'processes that share the ports, to use the cores of one machine', asCount, 1)
    .option(
      '--accept-clock',
      'trust the clock, even if the store has seen a later time or was last used over a month ago',
    )
    .option('--take-back', 'start on a store that was moved away, and give up every change made in the other one')
    .examples('tessera serve', 'tessera serve --workers 4', 'tessera serve --set log.level=debug')
    .runs(async () => (await import('./work/serve.ts')).serve);
}

import type { Command } from 'commander';
import { asCount, examples } from './options.ts';
import { configOf } from './workplace.ts';

export function serveCommand(program: Command): void {
  program
    .command('serve')
    .description('run the service until it is told to stop (SIGTERM or SIGINT); what is in flight is answered first')
    .option('--workers <count>', 'processes that share the ports, to use the cores of one machine', asCount, 1)
    .addHelpText('after', examples('tessera serve', 'tessera serve --workers 4', 'tessera serve --set log.level=debug'))
    .action(async ({ workers }: { workers: number }, command: Command) => {
      const config = await configOf(command);
      const { runService } = await import('./run-service.ts');
      await runService(config, workers, () => undefined);
    });
}

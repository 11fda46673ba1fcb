import type { Command } from 'commander';
import { asCount, examples } from '../terminal/options.ts';
import { atWorkplace, configOf } from '../terminal/workplace.ts';

export function serveCommand(program: Command): void {
  program
    .command('serve')
    .description('run the service until it is told to stop (SIGTERM or SIGINT); what is in flight is answered first')
    .option('--workers <count>', 'processes that share the ports, to use the cores of one machine', asCount, 1)
    .option(
      '--accept-clock',
      'the clock is right, although the store knows a later time or was last used over a month ago',
    )
    .addHelpText('after', examples('tessera serve', 'tessera serve --workers 4', 'tessera serve --set log.level=debug'))
    .action(async ({ workers, acceptClock }: { workers: number; acceptClock?: true }, command: Command) => {
      const config = await configOf(command);
      if (acceptClock) await acceptClockOf(command);
      const { runService } = await import('../run-service.ts');
      await runService(config, workers, () => undefined);
    });
}

/** Workers are started with the same flags, and accept the same clock. */
async function acceptClockOf(command: Command): Promise<void> {
  const { acceptClock } = await import('../../operations/upkeep/timekeeper.ts');
  await atWorkplace(command, (workplace) => acceptClock(workplace));
}

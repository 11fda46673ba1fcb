import type { Command } from 'commander';
import { acceptClock } from '../../../operations/admin/accept-clock.ts';
import { runService } from '../../../run-service.ts';
import { atWorkplace, configOf } from '../../terminal/workplace.ts';

export interface ServeFlags {
  readonly workers: number;
  readonly acceptClock?: true;
}

export async function serve(flags: ServeFlags, command: Command): Promise<void> {
  const config = await configOf(command);
  // Workers are started with the same flags, so each accepts the clock too.
  if (flags.acceptClock) await atWorkplace(command, acceptClock);
  await runService(config, flags.workers, () => undefined);
}

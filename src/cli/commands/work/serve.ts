import type { Command } from 'commander';
import { acceptClock } from '../../../operations/admin/accept-clock.ts';
import { takeStoreBack } from '../../../operations/admin/take-back.ts';
import { runService } from '../../../run-service.ts';
import { atWorkplace, configOf } from '../../terminal/workplace.ts';

export interface ServeFlags {
  readonly workers: number;
  readonly acceptClock?: true;
  readonly takeBack?: true;
}

export async function serve(flags: ServeFlags, command: Command): Promise<void> {
  const config = await configOf(command);
  // Workers are started with the same flags, so each does this too; the second time changes nothing.
  if (flags.takeBack) await atWorkplace(command, takeStoreBack);
  if (flags.acceptClock) await atWorkplace(command, acceptClock);
  await runService(config, flags.workers, () => undefined);
}

import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import { takeStoreBack } from '../../../operations/admin/after-restore.ts';
import { acceptClock } from '../../../operations/admin/check-clock.ts';
import { runService } from '../../../run-service.ts';
import { CommandFailure } from '../../terminal/exit.ts';
import { counted } from '../../terminal/output.ts';
import { atWorkplace, configOf } from '../../terminal/workplace.ts';

type ServeFlags = { readonly workers: number; readonly acceptClock?: true; readonly takeBack?: true };

export async function serve(flags: ServeFlags, command: Command): Promise<void> {
  refuseTooMany(flags.workers);
  const config = await configOf(command);
  // Workers are started with the same flags, so each does this too; the second time changes nothing.
  if (flags.takeBack) await atWorkplace(command, takeStoreBack);
  if (flags.acceptClock) await atWorkplace(command, acceptClock);
  await runService(config, flags.workers, () => undefined);
}

/** Each takes 100 MB and a share of the store: a slip of the finger must not take the machine. */
function refuseTooMany(workers: number): void {
  const cores = availableParallelism();
  const most = Math.max(16, 4 * cores);
  if (workers <= most) return;
  const todo = `One per core is enough here: --workers ${cores}.`;
  throw new CommandFailure(
    'usage',
    `--workers ${workers} is more than ${most}, the most for ${counted(cores, 'core')}`,
    todo,
  );
}

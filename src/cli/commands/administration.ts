// Where administrative commands run: beside the store, or at a service (--server, --login). Their work is the same.
import type { Command } from 'commander';
import type { Work } from '../terminal/manual.ts';
import { expectService } from '../terminal/output.ts';
import type { Workplace } from '../terminal/workplace.ts';
import type { Administration, ServerFlags } from './steps.ts';

type Load = () => Promise<Work>;
type Placed = () => Promise<(...given: readonly unknown[]) => Promise<void>>;

/** The work gets an `Administration` instead of the command. */
export function administers(load: Load): Placed {
  return placed(load, administered);
}

/** At the service that the command line names, or else in the store beside this command. */
export async function administered(command: Command, run: Run<Administration>): Promise<void> {
  const { server, login } = command.optsWithGlobals<ServerFlags>();
  if (server === undefined && login === undefined) {
    const { localAdministration } = await import('./work/local.ts');
    return inStore(command, (workplace) => run(localAdministration(workplace)));
  }
  const { atService } = await import('./work/remote.ts');
  const flags = { ...(server && { server }), ...(login && { login }) };
  expectService(flags);
  return run(await atService(flags));
}

/** The same for work that is loaded with its declaration. */
export function administering(work: Work): Placed {
  return administers(async () => work);
}

/** Beside the store only: the work gets the open workplace instead of the command. */
export function besideStore(load: Load): Placed {
  return placed(load, inStore);
}

type Run<Place> = (place: Place) => void | Promise<void>;

function placed<Place>(load: Load, open: (command: Command, run: Run<Place>) => Promise<void>): Placed {
  return async () => {
    const work = await load();
    return (...given) => open(given.at(-1) as Command, (place) => work(...given.slice(0, -1), place));
  };
}

async function inStore(command: Command, run: Run<Workplace>): Promise<void> {
  const { atWorkplace } = await import('../terminal/workplace.ts');
  await atWorkplace(command, async (workplace) => run(workplace));
}

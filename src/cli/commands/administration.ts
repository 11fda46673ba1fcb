// Where administrative commands run: beside the store, or at a service (--server, --login). Their work is the same.
import type { Command } from 'commander';
import { type CommandDeclaration, command, type Declares } from '../terminal/command.ts';
import type { Inputs } from '../terminal/options.ts';
import { expectService } from '../terminal/output.ts';
import type { Workplace } from '../terminal/workplace.ts';
import type { Administration, ServerFlags } from './steps.ts';

type Run<Place> = (place: Place) => void | Promise<void>;

/** Beside the store, or at a service. */
export function administers<A extends Inputs, O extends Inputs>(
  declared: CommandDeclaration<A, O, Administration>,
): Declares {
  return command({ ...declared, run: (given, to) => administered(to, (place) => declared.run(given, place)) });
}

/** Beside the store only. */
export function besideStore<A extends Inputs, O extends Inputs>(
  declared: CommandDeclaration<A, O, Workplace>,
): Declares {
  return command({ ...declared, run: (given, to) => inStore(to, (place) => declared.run(given, place)) });
}

/** At the service that the command line names, or else in the store beside this command. */
export async function administered(acting: Command, run: Run<Administration>): Promise<void> {
  const { server, login } = acting.optsWithGlobals<ServerFlags>();
  if (server === undefined && login === undefined) {
    const { localAdministration } = await import('./work/local.ts');
    return inStore(acting, (workplace) => run(localAdministration(workplace)));
  }
  const { atService } = await import('./work/remote.ts');
  const flags = { ...(server && { server }), ...(login && { login }) };
  expectService(flags);
  return run(await atService(flags));
}

async function inStore(acting: Command, run: Run<Workplace>): Promise<void> {
  const { atWorkplace } = await import('../terminal/workplace.ts');
  await atWorkplace(acting, async (workplace) => run(workplace));
}

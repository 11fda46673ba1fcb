// Where administrative commands run: beside the store, or at a service (--server, --login). Their work is the same.
import type { Command } from 'commander';
import { CommandFailure } from '../terminal/exit.ts';
import { expectService } from '../terminal/output.ts';
import type { Administration, ServerFlags } from './steps.ts';

// biome-ignore lint/suspicious/noExplicitAny: as in the type of commander's actions
type Work = (...given: any[]) => void | Promise<void>;

/** The work gets an `Administration` instead of the command. */
export function administers(load: () => Promise<Work>): () => Promise<(...given: unknown[]) => Promise<void>> {
  return async () => {
    const work = await load();
    return async (...given: unknown[]) => {
      const command = given.at(-1) as Command;
      const run = (administration: Administration) => work(...given.slice(0, -1), administration);
      const service = await serviceOf(command);
      return service ? run(service) : besideStore(command, run);
    };
  };
}

/** The same for work that is loaded with its declaration. */
export function administering(work: Work): ReturnType<typeof administers> {
  return administers(async () => work);
}

/** The service that the command line names. Undefined: the store beside this command. */
export async function serviceOf(command: Command): Promise<Administration | undefined> {
  const { server, login } = command.optsWithGlobals<ServerFlags>();
  if (server === undefined && login === undefined) return undefined;
  const { atService } = await import('./work/remote.ts');
  const flags = { ...(server && { server }), ...(login && { login }) };
  expectService(flags);
  return atService(flags);
}

/** A service judges by its own clock and its own lists. */
export function refuseAtService(flags: Readonly<Record<string, unknown>>): void {
  const given = Object.entries(flags).find(([, value]) => value !== undefined);
  if (!given) return;
  throw new CommandFailure(
    'usage',
    `--${given[0]} works beside the store only`,
    'Leave it out, or leave --server out.',
  );
}

async function besideStore(command: Command, run: (administration: Administration) => void | Promise<void>) {
  const { atWorkplace } = await import('../terminal/workplace.ts');
  const { localAdministration } = await import('./work/local.ts');
  await atWorkplace(command, async (workplace) => run(localAdministration(workplace)));
}

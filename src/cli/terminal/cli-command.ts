// How commands are declared: commander, and what every declaration would repeat.
import { Command, Option } from 'commander';
import { CommandFailure } from './exit.ts';

// biome-ignore lint/suspicious/noExplicitAny: as in the type of commander's actions
type Work = (...given: any[]) => void | Promise<void>;

export class CliCommand extends Command {
  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  /** An option that takes one of a few values, or several of them (`<values...>`). */
  choice(flags: string, about: string, choices: readonly string[], usual?: string | readonly string[]): this {
    const option = new Option(flags, about).choices(choices);
    return this.addOption(usual === undefined ? option : option.default(usual));
  }

  /** Lines at the end of its help text. */
  examples(...lines: readonly string[]): this {
    return this.addHelpText('after', `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`);
  }

  /** Loads the work when the command runs, and gives it the arguments, the flags and the command. */
  runs(load: () => Promise<Work>): this {
    return this.action(async (...given) => (await load())(...given));
  }

  /** The same in an open workplace, which the work gets instead of the command. */
  acts(load: () => Promise<Work>): this {
    return this.runs(async () => {
      const { server, login } = this.optsWithGlobals<{ server?: string; login?: string }>();
      if (server !== undefined || login !== undefined)
        throw new CommandFailure(
          'usage',
          'this command works beside the store only',
          'Leave --server and --login out.',
        );
      const work = await load();
      const { atWorkplace } = await import('./workplace.ts');
      return (...given) => atWorkplace(this, async (workplace) => work(...given.slice(0, -1), workplace));
    });
  }
}

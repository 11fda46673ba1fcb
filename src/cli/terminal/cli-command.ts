// How commands are declared: commander, and what every declaration would repeat.
import { Command, Option } from 'commander';

// biome-ignore lint/suspicious/noExplicitAny: as in the type of commander's actions
export type Work = (...given: any[]) => void | Promise<void>;

export class CliCommand extends Command {
  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  /** An option that takes one of a few values. */
  choice(flags: string, about: string, choices: readonly string[]): this {
    return this.addOption(new Option(flags, about).choices(choices));
  }

  /** Lines at the end of its help text. */
  examples(...lines: readonly string[]): this {
    return this.addHelpText('after', `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`);
  }

  /** Loads the work when the command runs, and gives it the arguments, the flags and the command. */
  runs(load: () => Promise<Work>): this {
    return this.action(async (...given) => (await load())(...given));
  }
}

// How commands are declared: commander, and what every declaration would repeat.
import { Command } from 'commander';

// biome-ignore lint/suspicious/noExplicitAny: as in the type of commander's actions
export type Work = (...given: any[]) => void | Promise<void>;

export class CliCommand extends Command {
  override createCommand(name?: string): CliCommand {
    return new CliCommand(name);
  }

  /** Lines at the end of its help text. */
  examples(...lines: readonly string[]): this {
    return this.addHelpText('after', `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`);
  }
}

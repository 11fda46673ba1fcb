// The declarations of the commands, as completion scripts need them.
import type { Argument, Command, Option } from 'commander';

/** What follows an option or a command: one of these words, a file, anything, or nothing. */
export type Value = readonly string[] | 'file' | 'anything' | 'nothing';

export interface DescribedOption {
  readonly flags: readonly string[];
  readonly about: string;
  readonly value: Value;
}

export interface DescribedCommand {
  /** Such as `grant list`; empty for the program itself. */
  readonly path: string;
  readonly name: string;
  readonly about: string;
  readonly options: readonly DescribedOption[];
  readonly children: readonly DescribedCommand[];
  /** What its first argument is. */
  readonly argument: Value;
}

export function describeCommands(program: Command): DescribedCommand {
  const globals = program.options.map(describeOption);
  const describe = (command: Command, path: readonly string[]): DescribedCommand => ({
    path: path.join(' '),
    name: command.name(),
    about: command.description(),
    options: [...(command === program ? [] : command.options.map(describeOption)), ...globals, HELP],
    children: command.commands.map((child) => describe(child, [...path, child.name()])),
    argument: valueAfter(command.registeredArguments[0]),
  });
  return describe(program, []);
}

export function everyCommand(command: DescribedCommand): DescribedCommand[] {
  return [command, ...command.children.flatMap(everyCommand)];
}

const HELP: DescribedOption = { flags: ['--help'], about: 'display help for command', value: 'nothing' };

function describeOption(option: Option): DescribedOption {
  const flags = [option.short, option.long].filter((flag) => flag !== undefined);
  return { flags, about: option.description, value: option.isBoolean() ? 'nothing' : valueAfter(option) };
}

const FILES = /<(?:file|folder|path)(?:\.{3})?>|<(?:file|folder|path)s/;

function valueAfter(of: Option | Argument | undefined): Value {
  if (!of) return 'nothing';
  if (of.argChoices) return of.argChoices;
  const written = 'flags' in of ? of.flags : `<${of.name()}>`;
  if (written.includes('<yes|no>')) return ['yes', 'no'];
  return FILES.test(written) ? 'file' : 'anything';
}

// `help NAME…`, `GROUP help NAME…` and `NAME… --help`. Commander looks at the first name after `help` only, and shows the help of the
// group if there is no such command.
import type { Command } from 'commander';
import { closest } from '../../core/closest.ts';

/** Shows the help of the command that is named after `help`, at any depth. */
export function showNamedHelp(program: Command, words: readonly string[]): void {
  const at = words.indexOf('help');
  if (at === -1 || !isGroup(named(program, words.slice(0, at)))) return;
  const names = words.filter((word) => word !== 'help');
  named(program, names).help();
}

/** Fails if there is no such command. Words that are not names of commands may follow: arguments. */
export function named(program: Command, words: readonly string[]): Command {
  return words.reduce(innerOf, program);
}

function innerOf(command: Command, name: string): Command {
  const names = command.commands.map((inner) => inner.name());
  const found = command.commands[names.indexOf(name)];
  if (found) return found;
  if (!isGroup(command) || command.registeredArguments.length > 0) return command;
  const near = closest(name, names);
  const suggestion = near === undefined ? '' : `\n(Did you mean ${near}?)`;
  return command.error(`error: unknown command '${name}'${suggestion}`, { code: 'commander.unknownCommand' });
}

function isGroup(command: Command): boolean {
  return command.commands.length > 0;
}

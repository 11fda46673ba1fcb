import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { closest } from '../core/closest.ts';
import { buildProgram } from './program.ts';
import { CommandFailure, EXIT } from './terminal/exit.ts';
import { endOf } from './terminal/failure.ts';
import { expectJson, expectService } from './terminal/output.ts';

/** Runs the command line of this process and sets its exit code. */
export async function run(): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.ok); // a closed pipe (`| head`) is not a fault
    const what = `cannot write the result: ${error.message}`;
    process.exit(endOf(new CommandFailure('refused', what, 'Check where the output goes.'), false));
  });
  const args = process.argv.slice(2);
  standWithPerson(args);
  await runCommand(args);
}

/** npm runs `npm run tessera` in the checkout, where the configuration is. Files on the command line are named from where the person is. */
function standWithPerson(args: readonly string[]): void {
  const { npm_lifecycle_event: script, INIT_CWD: folder, TESSERA_CONFIG: named } = process.env;
  if (script !== 'tessera' || !folder || args.includes('init') || args.includes('quickstart')) return;
  if (!named && existsSync('tessera.yaml')) process.env['TESSERA_CONFIG'] = resolve('tessera.yaml');
  else if (!named && !args.includes('--config') && !args.includes('-c'))
    process.env['TESSERA_DATA_FOLDER'] ??= resolve('data');
  process.chdir(folder);
}

/** Runs one command and sets the exit code. A process may run several, one after the other. */
export async function runCommand(args: readonly string[]): Promise<void> {
  const program = await buildProgram(commandIn(args));
  // For mistakes on the command line itself. The options of the command decide once they are parsed.
  expectJson(beforeProgram(args).includes('--json'));
  expectService({});
  try {
    await parse(program, args);
  } catch (error) {
    process.exitCode = endOf(error, program.opts()['debug'] === true);
    // A worker's channel to its supervisor would keep it alive.
    if (process.send) process.exit();
  }
}

async function parse(program: Command, args: readonly string[]): Promise<void> {
  const own = beforeProgram(args);
  if (own.includes('help')) showNamedHelp(program, await wordsIn(own));
  if (own.includes('--help') || own.includes('-h')) named(program, await wordsIn(own));
  await program.parseAsync(args, { from: 'user' });
}

/** The names of commands, and arguments. Read by another program, since it notes the options that it reads. */
async function wordsIn(own: readonly string[]): Promise<string[]> {
  return (await buildProgram()).parseOptions(own.filter((word) => word !== '--json')).operands;
}

const WITH_VALUE = ['-c', '--config', '--set', '--server', '--login'];

/** The command that is named first, unless help may be about another one. */
function commandIn(args: readonly string[]): string | undefined {
  const own = beforeProgram(args);
  const isHelp = own.some((word) => word === 'help' || word === '--help' || word === '-h');
  const isValue = (place: number) => WITH_VALUE.includes(own[place - 1] ?? '');
  return isHelp ? undefined : own.find((word, place) => !word.startsWith('-') && !isValue(place));
}

/** What follows `--` belongs to the program that `exec` runs. */
function beforeProgram(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return end === -1 ? args : args.slice(0, end);
}

/**
 * `help NAME…`, `GROUP help NAME…` and `NAME… --help`, at any depth. Commander looks at the first name after `help` only, and shows the
 * help of the group if there is no such command.
 */
function showNamedHelp(program: Command, words: readonly string[]): void {
  const at = words.indexOf('help');
  if (at === -1 || !isGroup(named(program, words.slice(0, at)))) return;
  const names = words.filter((word) => word !== 'help');
  named(program, names).help();
}

/** Fails if there is no such command. Words that are not names of commands may follow: arguments. */
function named(program: Command, words: readonly string[]): Command {
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

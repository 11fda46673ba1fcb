#!/usr/bin/env node
// The program `tessera-client`: the commands for callers, for machines without the server.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { inert } from './cli/terminal.ts';
import { type CallerCommand, callerCommands } from './cli.ts';
import { type FailureReason, TokenFailure } from './failure.ts';

const PROGRAM = 'tessera-client';
const COMMANDS = callerCommands({ program: PROGRAM, note: (lines) => void process.stderr.write(`${inert(lines)}\n`) });

/** Exit codes and their words, as those of the server's command. Other failures are refusals. */
const ENDS: Readonly<Partial<Record<FailureReason, readonly [word: string, code: number]>>> = {
  usage: ['usage', 2],
  'login-needed': ['login', 8],
  unavailable: ['unavailable', 9],
};

const args = process.argv.slice(2);
// What follows `--` belongs to the program that `exec` runs.
const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;

process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0); // a closed pipe (`| head`) is not a fault
  fail(new TokenFailure('storage', `cannot write the result: ${error.message}`, 'Check where the output goes.'));
});
await run().catch(fail);

async function run(): Promise<void> {
  if (own[0] === '--version') return print(versionOfPackage());
  const command = COMMANDS.find(({ name }) => name === own.slice(0, name.split(' ').length).join(' '));
  if (own.includes('--help') || own[0] === 'help') return print(command ? helpOf(command) : overview());
  if (!command) throw usage(own[0] === undefined ? 'the command is missing' : `unknown command '${own.join(' ')}'`);
  const { flags, words } = parse(command);
  const { text, value } = await command.run(flags, words);
  print(own.includes('--json') ? JSON.stringify(value, undefined, 2) : text);
}

function parse({ name, argument, options }: CallerCommand): { flags: object; words: readonly string[] } {
  const described = options.map(([written]) => [longNameOf(written), { type: typeOf(written) }] as const);
  try {
    const parsed = parseArgs({
      args: args.slice(name.split(' ').length),
      options: Object.fromEntries(described),
      allowPositionals: argument !== undefined,
    });
    if (argument && parsed.positionals.length === 0) throw new Error(`missing required argument '${argument[0]}'`);
    const [, more] = parsed.positionals;
    if (more !== undefined && !argument?.[0].includes('...')) throw new Error(`unexpected argument '${more}'`);
    const flags = Object.entries(parsed.values).map(([flag, value]) => [inCamelCase(flag), value]);
    return { flags: Object.fromEntries(flags), words: parsed.positionals };
  } catch (error) {
    throw usage((error as Error).message, ` ${name}`);
  }
}

function longNameOf(written: string): string {
  return written.replace(/^--([a-z-]+).*$/, '$1');
}

function typeOf(written: string): 'string' | 'boolean' {
  return written.includes('<') ? 'string' : 'boolean';
}

function inCamelCase(flag: string): string {
  return flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

function usage(what: string, command = ''): TokenFailure {
  return new TokenFailure('usage', what, `See: ${PROGRAM}${command} --help`);
}

function print(text: string | undefined): void {
  if (text !== undefined) process.stdout.write(`${inert(text)}\n`);
}

/** Two lines for people, or with --json an object; and the exit code. */
function fail(error: unknown): void {
  const { reason, what, todo, error: code } = error instanceof TokenFailure ? error : failureOf(error);
  const [word, exitCode] = ENDS[reason] ?? ['refused', 1];
  const object = { error: { code: word, reason: code, message: what, remedy: todo } };
  process.stderr.write(
    inert(own.includes('--json') ? `${JSON.stringify(object)}\n` : `${PROGRAM}: ${what}\n  ${todo}\n`),
  );
  process.exitCode = exitCode;
}

/** Of a file, such as a profile that cannot be written. Any other error is a defect, which Node prints. */
function failureOf(error: unknown): TokenFailure {
  if (!(error instanceof Error && 'syscall' in error)) throw error;
  return new TokenFailure('storage', error.message, 'Check the path and its permissions.');
}

function versionOfPackage(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

function overview(): string {
  const rows = COMMANDS.map(({ name, about }) => [name, about] as const);
  return `Usage: ${PROGRAM} COMMAND [options]\n\nCommands:\n${aligned(rows)}\n\nSee: ${PROGRAM} COMMAND --help`;
}

function helpOf({ name, about, argument, options, examples }: CallerCommand): string {
  const words = argument ? [argument] : [];
  const usageLine = [PROGRAM, name, '[options]', ...words.map(([written]) => written)].join(' ');
  const lines = examples.map((line) => `  $ ${line}`).join('\n');
  return `Usage: ${usageLine}\n\n${about}\n\n${aligned([...words, ...options])}\n\nExamples:\n${lines}`;
}

function aligned(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, about]) => `  ${name.padEnd(width)}  ${about}`).join('\n');
}

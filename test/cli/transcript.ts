// Runs transcripts: text files with commands and what they print, as an operator would see them.
//
//   $ tessera COMMAND …        run in a folder of its own; `< NAME` gives a file as standard input
//   $ seed …                   test/cli/seed.ts: puts grants into the store
//   $ newer NAME               raises the schema number of a store, as a later release does
//   $ chmod MODE NAME          $ rm NAME          $ ls -l NAME (prints the mode)
//   expected output            `[..]` stands for anything within a line, a line `[...]` for any number of lines
//   [exit N]                   where the exit code is not 0
//   # a remark
//   -- NAME --                 at the end: files that are there from the beginning
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, closeSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newer } from '../store/newer-schema.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { AtService, isForService } from './at-service.ts';
import { commandEnvironment, type Ran, TESSERA } from './command.ts';
import type { Commands } from './commands.ts';
import { seed } from './seed.ts';

interface Step {
  readonly line: number;
  readonly command: string;
  readonly expected: readonly string[];
}

interface Transcript {
  readonly steps: readonly Step[];
  readonly files: ReadonlyMap<string, string>;
}

/** Where the commands of a transcript run: in processes of their own, in one, or at a service where that is possible. */
export type Way = Commands | AtService | undefined;

export async function runTranscript(path: string, way?: Way): Promise<void> {
  const { steps, files } = parse(readFileSync(path, 'utf8'));
  assert.ok(steps.length > 0, `${path} has no commands`);
  // On a disk: doctor warns of tmpfs, which /tmp is on Debian 13.
  const folder = temporaryFolder('transcript', '/var/tmp');
  try {
    for (const [name, text] of files) writeFileSync(join(folder, name), text);
    for (const step of steps) check(step, await run(step.command, folder, way), path, way);
  } finally {
    if (way instanceof AtService) await way.stop();
    rmSync(folder, { recursive: true });
  }
}

function parse(text: string): Transcript {
  const [head = '', ...rest] = text.split(/^-- (.+) --\n/m);
  const files = new Map<string, string>();
  for (let at = 0; at < rest.length; at += 2) files.set(rest[at] ?? '', rest[at + 1] ?? '');
  const steps: { line: number; command: string; expected: string[] }[] = [];
  for (const [index, line] of head.split('\n').entries()) {
    if (line.startsWith('$ ')) steps.push({ line: index + 1, command: line.slice(2), expected: [] });
    else if (!line.startsWith('# ') && line !== '#') steps.at(-1)?.expected.push(line);
  }
  return { steps, files };
}

function check({ line, command, expected }: Step, actual: readonly string[], path: string, way: Way): void {
  // Events name their author, which is somebody else at a service, and one of them is the login.
  const isAtService = way instanceof AtService && command.startsWith('tessera events ');
  if (
    isAtService &&
    expected.some((text) => text.startsWith('[exit')) === actual.some((text) => text.startsWith('[exit'))
  )
    return;
  if (matches(trimmed(expected), actual)) return;
  assert.fail(
    `${path}:${line}\n$ ${command}\n--- expected\n${trimmed(expected).join('\n')}\n--- printed\n${actual.join('\n')}`,
  );
}

/** Blank lines between steps are layout. */
function trimmed(lines: readonly string[]): readonly string[] {
  return lines.join('\n').trimEnd().split('\n');
}

function matches([expected, ...later]: readonly string[], actual: readonly string[]): boolean {
  if (expected === undefined) return actual.length === 0;
  if (expected === '[...]') return actual.some((_, skip) => matches(later, actual.slice(skip))) || later.length === 0;
  const [line, ...rest] = actual;
  return line !== undefined && patternOf(expected).test(line) && matches(later, rest);
}

function patternOf(expected: string): RegExp {
  const parts = expected.split('[..]').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`);
}

async function run(command: string, folder: string, way: Way): Promise<readonly string[]> {
  const { words, input } = parseCommand(command);
  const [name = '', ...args] = words;
  const own = BUILT_IN[name];
  if (own) return own(args, folder);
  assert.equal(name, 'tessera');
  const { status, printed } = await (way instanceof AtService
    ? runAtService(args, folder, input, way)
    : way
      ? way.run(args, { folder, ...(input !== undefined && { input: join(folder, input) }) })
      : runProcess(args, folder, input));
  const lines = printed.replaceAll(folder, '.').trimEnd().split('\n');
  return status === 0 ? lines : [...lines, `[exit ${status}]`];
}

async function runAtService(args: readonly string[], folder: string, input: string | undefined, way: AtService) {
  const { server } = way;
  const flags = server !== undefined && isForService(args) ? ['--server', server] : [];
  const given = input === undefined ? {} : { input: join(folder, input) };
  const { status, printed } = await way.commands.run([...flags, ...args], { folder, ...given });
  if (args[0] === 'init' && status === 0 && server === undefined) await way.start(folder);
  return { status, printed: printed.replaceAll(`--server ${server} `, '') };
}

/** Words are split at spaces; single quotes keep them together. */
function parseCommand(command: string): { words: string[]; input: string | undefined } {
  const [line = '', input] = command.split(' < ');
  const words = (line.match(/'[^']*'|[^ ]+/g) ?? []).map((word) => word.replace(/^'(.*)'$/, '$1'));
  return { words, input };
}

type BuiltIn = (args: readonly string[], folder: string) => readonly string[] | Promise<readonly string[]>;

const BUILT_IN: Readonly<Record<string, BuiltIn>> = {
  seed,
  newer: ([name = ''], folder) => {
    newer(join(folder, name));
    return [''];
  },
  chmod: ([mode = '', name = ''], folder) => {
    chmodSync(join(folder, name), Number.parseInt(mode, 8));
    return [''];
  },
  rm: ([name = ''], folder) => {
    rmSync(join(folder, name));
    return [''];
  },
  ls: ([, name = ''], folder) => [`${(statSync(join(folder, name)).mode & 0o777).toString(8)} ${name}`],
};

/** Both streams go to one file, so that lines keep their order. */
async function runProcess(args: readonly string[], folder: string, input?: string): Promise<Ran> {
  const file = join(folder, '.printed');
  const output = openSync(file, 'w');
  const stdin = openSync(input === undefined ? '/dev/null' : join(folder, input), 'r');
  const child = spawn(process.execPath, [TESSERA, ...args], {
    cwd: folder,
    env: commandEnvironment(),
    stdio: [stdin, output, output],
  });
  const [status] = await once(child, 'exit');
  closeSync(output);
  closeSync(stdin);
  return { status, printed: readFileSync(file, 'utf8') };
}

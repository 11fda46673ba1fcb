// Passwords are typed without echo, read from standard input, or generated; never given on the command line, which every
// process on the machine can read.
import { readFileSync, readSync } from 'node:fs';
import { systemRandom } from '../../system.ts';
import { Secret } from '../../tokens/secret.ts';
import { CommandFailure } from './exit.ts';

export interface PasswordFlags {
  readonly generate?: true;
  readonly passwordStdin?: true;
}

/** `isNew`: the password was generated here and must be shown once. */
export async function obtainPassword(flags: PasswordFlags): Promise<{ password: Secret; isNew: boolean }> {
  if (flags.generate && flags.passwordStdin) {
    throw new CommandFailure('usage', '--generate and --password-stdin cannot be combined', 'Give one of them.');
  }
  if (flags.generate) return { password: new Secret(systemRandom(15).toString('base64url')), isNew: true };
  if (flags.passwordStdin) return { password: new Secret(readInput().replace(/\r?\n$/, '')), isNew: false };
  if (process.stdin.isTTY) return { password: await askTwice(), isNew: false };
  throw new CommandFailure(
    'usage',
    'there is no terminal to read the password from',
    'Give --password-stdin and the password on standard input, or --generate.',
  );
}

async function askTwice(): Promise<Secret> {
  const first = await ask('Password: ');
  const second = await ask('Again: ');
  if (first === second) return new Secret(first);
  throw new CommandFailure('refused', 'the two passwords differ', 'Nothing was changed. Try again.');
}

const ENTER = ['\r', '\n'];
const BACKSPACE = ['\u007f', '\b'];
const INTERRUPT = ['\u0003', '\u0004'];

/** Reads one line from the terminal without echo. */
function ask(question: string): Promise<string> {
  const { stdin, stderr } = process;
  // Turn off the echo before asking, so that early keystrokes are not shown either.
  stdin.setRawMode(true).setEncoding('utf8').resume();
  stderr.write(question);
  return new Promise((resolve, reject) => {
    let typed: string[] = [];
    const finish = (end: () => void) => {
      stdin.off('data', onData).setRawMode(false).pause();
      stderr.write('\n');
      end();
    };
    const onData = (chunk: Buffer | string) => {
      for (const letter of String(chunk)) {
        if (ENTER.includes(letter)) return finish(() => resolve(typed.join('')));
        if (INTERRUPT.includes(letter)) return finish(() => reject(new CommandFailure('refused', 'interrupted')));
        typed = BACKSPACE.includes(letter) ? typed.slice(0, -1) : [...typed, letter];
      }
    };
    stdin.on('data', onData);
  });
}

/** The text of a file; of standard input if none is named, or `-`. */
export function readInput(file?: string): string {
  return file === undefined || file === '-' ? readStandardInput() : readFileSync(file, 'utf8');
}

/** `readFileSync(0)` fails on a pipe without blocking that is still empty, as shells and CI runners leave behind. */
function readStandardInput(): string {
  const parts: Buffer[] = [];
  const part = Buffer.alloc(64 * 1024);
  for (let length = -1; length !== 0; ) {
    length = readPart(part);
    if (length > 0) parts.push(Buffer.from(part.subarray(0, length)));
  }
  return Buffer.concat(parts).toString('utf8');
}

const NOTHING_YET = -1;

function readPart(part: Buffer): number {
  try {
    return readSync(0, part);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    return NOTHING_YET;
  }
}

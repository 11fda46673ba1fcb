// Passwords are typed without echo, read from standard input, or generated; never given on the command line, which every
// process on the machine can read.
import { Secret } from '../../tokens/secret.ts';
import { CommandFailure } from './exit.ts';
import { readInput } from './read-input.ts';

export interface PasswordFlags {
  readonly generate?: true;
  readonly passwordStdin?: true;
}

/** `isNew`: the password was generated here and must be shown once. */
export async function obtainPassword(
  flags: PasswordFlags,
  random: (length: number) => Buffer,
): Promise<{ password: Secret; isNew: boolean }> {
  if (flags.generate && flags.passwordStdin) {
    throw new CommandFailure('usage', '--generate and --password-stdin cannot be combined', 'Give one of them.');
  }
  if (flags.generate) return { password: new Secret(random(15).toString('base64url')), isNew: true };
  if (flags.passwordStdin) return { password: fromStandardInput(), isNew: false };
  if (process.stdin.isTTY) return { password: await askTwice(), isNew: false };
  throw new CommandFailure(
    'usage',
    'there is no terminal to read the password from',
    'Give --password-stdin and the password on standard input, or --generate.',
  );
}

function fromStandardInput(): Secret {
  return new Secret(readInput().replace(/\r?\n$/, ''));
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

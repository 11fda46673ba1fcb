import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Terminal } from './terminal.ts';

// As shells do.
const SIGNAL_BASE = 128;
const UNUSABLE = 126;
const MISSING = 127;

/** Our own variables may hold secrets, and are none of the program's business. */
function environmentWith(token: string): NodeJS.ProcessEnv {
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('TESSERA_'));
  return { ...Object.fromEntries(others), TESSERA_TOKEN: token };
}

/** Runs a program with the token in TESSERA_TOKEN, and returns its exit code. */
export async function runWithToken(terminal: Terminal, words: readonly string[], token: string): Promise<number> {
  const [program = '', ...args] = words;
  const child = spawn(program, args, { stdio: 'inherit', env: environmentWith(token) });
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGQUIT'] as const) process.on(signal, () => child.kill(signal));
  // At a terminal Ctrl-C reaches the child by itself; passing it on would make it two.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'));
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return code ?? SIGNAL_BASE + constants.signals[signal ?? 'SIGTERM'];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isMissing = code === 'ENOENT';
    const why = isMissing ? 'there is no such program' : code === 'EACCES' ? 'it cannot be run' : code;
    terminal.note(`${terminal.program}: cannot run ${program}: ${why}\n  Check its name and your PATH.`);
    return isMissing ? MISSING : UNUSABLE;
  }
}

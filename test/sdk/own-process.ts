// A program in a process of its own: nothing but what it awaits keeps it alive.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Far longer than anything here takes. A process that still runs then does not end by itself. */
const PATIENCE_MS = 90_000;

export interface OwnProcess {
  /** The next line of its standard output, parsed as JSON; undefined if it ended without one. */
  next(): Promise<unknown>;
  /** How it ended by itself, and what it printed on standard error; `code` is null if it had to be killed. */
  readonly ended: Promise<{ readonly code: number | null; readonly errors: string }>;
  kill(signal: NodeJS.Signals): void;
}

/** `order`: what the program finds in the environment. No channel and no standard input, which would keep it alive. */
export function startProcess(program: URL, order: object): OwnProcess {
  const { PATH, TMPDIR, TEST_RUN_FOLDER, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, TMPDIR, TEST_RUN_FOLDER, NODE_COMPILE_CACHE, ORDER: JSON.stringify(order) };
  const child = spawn(process.execPath, [fileURLToPath(program)], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const late = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  let errors = '';
  child.stderr.on('data', (chunk) => (errors += String(chunk)));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    next: async () => {
      const { value, done } = await lines.next();
      return done ? undefined : JSON.parse(value);
    },
    ended: once(child, 'close').then(([code]) => {
      clearTimeout(late);
      return { code, errors };
    }),
    kill: (signal) => void child.kill(signal),
  };
}

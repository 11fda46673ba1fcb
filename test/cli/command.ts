// The `tessera` command as a process of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { keptFolder } from '../temporary-folder.ts';

export const TESSERA = fileURLToPath(import.meta.resolve('../../src/cli/main.ts'));

export interface Ran {
  readonly status: number | null;
  /** Standard output and standard error, interleaved in order. */
  readonly printed: string;
}

/** Isolated from the settings of the machine. */
export function commandEnvironment(more: Record<string, string> = {}): Record<string, string | undefined> {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE = keptFolder('compile-cache', () => undefined) } = process.env;
  return { PATH, HOME, TMPDIR, COLUMNS: '100', NODE_COMPILE_CACHE, ...more };
}

export async function runTessera(
  args: readonly string[],
  { folder, environment = {} }: { folder: string; environment?: Record<string, string> },
): Promise<Ran> {
  const child = spawn(process.execPath, [TESSERA, ...args], {
    cwd: folder,
    env: commandEnvironment(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  const [status] = await once(child, 'close');
  return { status, printed };
}

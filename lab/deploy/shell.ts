// Programs of the machine, and the commands of a page.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '../..');

export interface RunOptions {
  readonly cwd?: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Standard output of a program; what it printed is part of the error when it fails. */
export function run(program: string, args: readonly string[], { cwd = ROOT, input, env }: RunOptions = {}): string {
  const ran = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: { ...process.env, ...env },
    ...(input === undefined ? { stdio: ['ignore', 'pipe', 'pipe'] as const } : { input }),
  });
  if (ran.error) throw ran.error;
  if (ran.status !== 0)
    throw new Error(`${program} ${args.join(' ')} failed (${ran.status}):\n${ran.stdout}${ran.stderr}`);
  return ran.stdout;
}

/** The blocks of a page that are marked as `sh`, in order. */
export function commandsOf(page: string): readonly string[] {
  const text = readFileSync(join(ROOT, 'docs', page), 'utf8');
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
}

/** Installs what runtime/needs.mjs lists for labs. */
export function installLabNeeds(): void {
  if (process.getuid?.() !== 0) throw new Error('this needs root: it makes a root file system and containers');
  run(process.execPath, ['runtime/needs.mjs', 'lab']);
}

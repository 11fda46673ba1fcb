import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';

const hasTaskset = spawnSync('taskset', ['--version']).status === 0;

/** On a machine with at least two cores: one for the server, one for the generator. */
export const CORES: { readonly server: number | undefined; readonly generator: number | undefined } =
  hasTaskset && availableParallelism() >= 2 ? { server: 0, generator: 1 } : { server: undefined, generator: undefined };

/** Moves a running process and its future children to a core. */
export function pin(pid: number, core: number | undefined): void {
  if (core !== undefined) spawnSync('taskset', ['-acp', String(core), String(pid)]);
}

export interface PinnedOptions extends SpawnOptions {
  readonly core: number | undefined;
  readonly nodeFlags?: readonly string[];
  /** A command that runs the program, such as strace. */
  readonly under?: readonly string[];
}

/** Starts a Node program, on one core if possible and requested. */
export function startPinned(file: string, args: readonly string[], options: PinnedOptions): ChildProcess {
  const { core, nodeFlags = [], under = [], ...rest } = options;
  const command = [...under, process.execPath, ...nodeFlags, file, ...args];
  const pinned = core === undefined ? command : ['taskset', '-c', String(core), ...command];
  return spawn(pinned[0] as string, pinned.slice(1), rest);
}

/** Kills a process that has no work to finish. */
export async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill();
  await exit;
}

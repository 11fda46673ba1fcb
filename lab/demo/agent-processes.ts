// A coding agent whose processes are real: they share a file, and SIGKILL ends them in the middle of a request.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { Agent, KILLED } from './agents.ts';

const PROGRAM = fileURLToPath(new URL('agent-process.ts', import.meta.url));

export interface SharedToken {
  readonly token: string;
  /** When to refresh it, in milliseconds of the system's clock. */
  readonly dueAt: number;
}

export function readShared(file: string): SharedToken {
  return JSON.parse(readFileSync(file, 'utf8')) as SharedToken;
}

/** Complete at any moment, also if this process is killed. */
export function writeShared(file: string, shared: SharedToken): void {
  const beside = `${file}.${process.pid}`;
  writeFileSync(beside, JSON.stringify(shared));
  renameSync(beside, file);
}

export type ProcessSays = 'asks' | 'refreshed' | 'retries' | 'refused';

export class ProcessAgent extends Agent {
  readonly #path = join(temporaryFolder('agent'), 'token');
  readonly #seed: number;
  #born = 0;

  constructor(index: number, seed: number, token: string, signal: AbortSignal) {
    super(index, seed, token, signal);
    this.#seed = seed;
    writeShared(this.#path, { token, dueAt: 0 });
  }

  protected override get token(): string {
    return readShared(this.#path).token;
  }

  protected override async live(port: number, path: string, isOver: () => boolean): Promise<void> {
    const args = [this.#path, port, path, this.index, (this.#seed * 1000 + this.index) * 1000 + this.#born++].map(
      String,
    );
    const child = fork(PROGRAM, args);
    const ended = once(child, 'exit');
    child.on('message', (says: ProcessSays) => this.#note(says, child));
    while (!isOver() && !this.isOut() && child.exitCode === null && child.signalCode === null) await pause(20);
    child.kill('SIGKILL');
    await ended;
    if (!isOver() && !this.isOut()) await this.pause(50 + this.chance.below(300));
  }

  #note(says: ProcessSays, child: ChildProcess): void {
    if (says === 'refused') this.refused();
    if (says === 'refreshed') this.refreshes++;
    if (says === 'retries') this.retries++;
    if (says !== 'asks' || this.chance.below(KILLED) > 0) return;
    this.kills++;
    setTimeout(() => child.kill('SIGKILL'), this.chance.below(20));
  }
}

/** The first agents are real processes. */
export function agentOf(
  index: number,
  real: number,
  ...rest: readonly [seed: number, token: string, signal: AbortSignal]
): Agent {
  return index < real ? new ProcessAgent(index, ...rest) : new Agent(index, ...rest);
}

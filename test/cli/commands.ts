// Runs commands of `tessera` one after the other in one process, since most of a command's time is the start of its process.
// Arguments, working folder, standard input, output and exit code are as in a process of its own.
// Once per process: tessera
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { atEnd } from '../at-end.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { commandEnvironment, type Ran } from './command.ts';

const LOOP = fileURLToPath(import.meta.resolve('./command-loop.ts'));

export interface Command {
  readonly args: readonly string[];
  readonly folder: string;
  /** A file as standard input, which is empty otherwise. */
  readonly input?: string;
}

interface Surroundings {
  /** Standard error is not part of what is `printed`. */
  readonly isApart?: boolean;
  readonly environment?: Record<string, string>;
}

/** Processes that wait for the next file that needs one with these surroundings. */
const idle = new Map<string, CommandProcess[]>();
let isOver = false;
atEnd(async () => {
  isOver = true;
  for (const each of [...idle.values()].flat()) await each.end();
});

export class Commands {
  readonly #key: string;
  readonly #process: CommandProcess;

  constructor(surroundings: Surroundings = {}) {
    this.#key = JSON.stringify(surroundings);
    this.#process = idle.get(this.#key)?.pop() ?? new CommandProcess(surroundings);
  }

  run(args: readonly string[], where: Omit<Command, 'args'>): Promise<Ran & { readonly stderr: string }> {
    return this.#process.run(args, where);
  }

  /** The process is kept for others, unless its surroundings are those of one test. */
  async close(): Promise<void> {
    if (isOver || this.#key.includes('environment') || this.#process.isBusy) await this.#process.end();
    else idle.set(this.#key, [...(idle.get(this.#key) ?? []), this.#process]);
  }
}

class CommandProcess {
  readonly #output = temporaryFolder('output');
  readonly #printed = join(this.#output, 'printed');
  readonly #stderr = join(this.#output, 'stderr');
  readonly #child: ChildProcess;
  readonly #channel: Duplex;
  readonly #codes: AsyncIterator<string>;
  readonly #ended: Promise<unknown>;
  isBusy = false;

  constructor({ isApart = false, environment = {} }: Surroundings) {
    const [printed, stderr] = [openSync(this.#printed, 'a'), openSync(this.#stderr, 'a')];
    this.#child = spawn(process.execPath, [LOOP], {
      env: commandEnvironment(environment),
      stdio: ['ignore', printed, isApart ? stderr : printed, 'pipe'],
    });
    for (const descriptor of [printed, stderr]) closeSync(descriptor);
    this.#ended = once(this.#child, 'exit');
    this.#channel = this.#child.stdio[3] as Duplex;
    this.#codes = createInterface({ input: this.#channel })[Symbol.asyncIterator]();
  }

  async run(
    args: readonly string[],
    { folder, input }: Omit<Command, 'args'>,
  ): Promise<Ran & { readonly stderr: string }> {
    assert.ok(!this.isBusy, 'one command at a time');
    this.isBusy = true;
    for (const file of [this.#printed, this.#stderr]) truncateSync(file);
    this.#channel.write(
      `${JSON.stringify({ args, folder, ...(input !== undefined && { input }) } satisfies Command)}\n`,
    );
    const { value, done = false } = await this.#codes.next();
    const [printed, stderr] = [readFileSync(this.#printed, 'utf8'), readFileSync(this.#stderr, 'utf8')];
    assert.ok(!done, `tessera ${args.join(' ')} has ended the process\n${printed}${stderr}`);
    this.isBusy = false;
    return { status: Number(value), printed, stderr };
  }

  /** Waits for the process: a command that leaves something open would keep it alive, as it would its own. */
  async end(): Promise<void> {
    this.#channel.end();
    assert.deepEqual(await this.#ended, [0, null], readFileSync(this.#stderr, 'utf8'));
    rmSync(this.#output, { recursive: true });
  }
}

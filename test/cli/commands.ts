// Runs commands of `tessera` one after the other in one process, since most of a command's time is the start of its process.
// Arguments, working folder, standard input, output and exit code are as in a process of its own.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../temporary-folder.ts';
import { commandEnvironment, type Ran } from './command.ts';

const LOOP = fileURLToPath(import.meta.resolve('./command-loop.ts'));

export interface Command {
  readonly args: readonly string[];
  readonly folder: string;
  /** A file as standard input, which is empty otherwise. */
  readonly input?: string;
}

export class Commands {
  readonly #output = temporaryFolder('output');
  readonly #printed = join(this.#output, 'printed');
  readonly #stderr = join(this.#output, 'stderr');
  readonly #child: ChildProcess;
  readonly #channel: Duplex;
  readonly #codes: AsyncIterator<string>;
  readonly #ended: Promise<unknown>;
  #isBusy = false;

  /** `isApart`: standard error is not part of what is `printed`. */
  constructor({ isApart = false, environment = {} }: { isApart?: boolean; environment?: Record<string, string> } = {}) {
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
    { folder, input }: { folder: string; input?: string },
  ): Promise<Ran & { readonly stderr: string }> {
    assert.ok(!this.#isBusy, 'one command at a time');
    this.#isBusy = true;
    for (const file of [this.#printed, this.#stderr]) truncateSync(file);
    this.#channel.write(
      `${JSON.stringify({ args, folder, ...(input !== undefined && { input }) } satisfies Command)}\n`,
    );
    const { value, done = false } = await this.#codes.next();
    const [printed, stderr] = [readFileSync(this.#printed, 'utf8'), readFileSync(this.#stderr, 'utf8')];
    assert.ok(!done, `tessera ${args.join(' ')} has ended the process\n${printed}${stderr}`);
    this.#isBusy = false;
    return { status: Number(value), printed, stderr };
  }

  /** Waits for the process: a command that leaves something open would keep it alive, as it would its own. */
  async close(): Promise<void> {
    this.#channel.end();
    assert.deepEqual(await this.#ended, [0, null], readFileSync(this.#stderr, 'utf8'));
    rmSync(this.#output, { recursive: true });
  }
}

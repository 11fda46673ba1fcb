// The processes of the token-file drill: started, killed, replaced and listened to.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import type { Seeded } from '../../test/seeded.ts';
import type { TokenField } from './token-field.ts';
import type { Told } from './token-holder.ts';

const ENTRY = new URL('token-holder.ts', import.meta.url).pathname;
const STARTED_WITHIN_MS = 60_000;
const LONGEST_PAUSE_MS = 600;

export class TokenHolders {
  readonly #args: readonly string[];
  readonly #environment: NodeJS.ProcessEnv;
  readonly #children: ChildProcess[];
  readonly #told = new Set<ChildProcess>();
  readonly #failures = new Map<string, string[]>();
  #got = 0;
  #killed = 0;

  constructor({ server, clientId, file, ca }: TokenField, environment: NodeJS.ProcessEnv, count: number) {
    this.#args = [ENTRY, server, clientId, file, ca];
    this.#environment = { ...process.env, ...environment };
    this.#children = Array.from({ length: count }, () => this.#start());
  }

  get killed(): number {
    return this.#killed;
  }

  async allStarted(): Promise<void> {
    const end = performance.now() + STARTED_WITHIN_MS;
    while (this.#children.some((child) => !this.#told.has(child))) {
      if (performance.now() > end) throw new Error('the processes do not start');
      await pause(100);
    }
  }

  /** kill -9, at a moment that nobody can foresee, and another one in its place. */
  async killOne(chance: Seeded): Promise<void> {
    await pause(chance.below(LONGEST_PAUSE_MS));
    const at = chance.below(this.#children.length);
    await this.#kill(this.#children[at] as ChildProcess);
    this.#children[at] = this.#start();
    this.#killed++;
  }

  async stop(): Promise<{ readonly got: number; readonly failures: ReadonlyMap<string, readonly string[]> }> {
    await Promise.all(this.#children.map((child) => this.#kill(child)));
    return { got: this.#got, failures: this.#failures };
  }

  async #kill(child: ChildProcess): Promise<void> {
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  #start(): ChildProcess {
    const child = spawn(process.execPath, this.#args, { env: this.#environment, stdio: ['ignore', 'pipe', 'pipe'] });
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (!line.endsWith('}')) return; // the kill may truncate the last line
      this.#told.add(child);
      const { got = 0, failed, words = '' } = JSON.parse(line) as Told;
      this.#got += got;
      if (failed !== undefined) this.#fail(failed, words);
    });
    createInterface({ input: child.stderr }).on('line', (line) => this.#fail('stderr', line));
    child.once('exit', (code) => code !== null && this.#fail('ended by itself', `with ${code}`));
    return child;
  }

  #fail(reason: string, words: string): void {
    this.#failures.set(reason, [...(this.#failures.get(reason) ?? []), words]);
  }
}

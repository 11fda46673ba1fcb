// The processes of the token-file drill: started, killed, replaced and listened to.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { parseOwner } from '../../sdk/client/src/store/process-life.ts';
import type { Seeded } from '../../test/seeded.ts';
import type { TokenField } from './token-field.ts';
import type { Told } from './token-holder.ts';

const ENTRY = new URL('token-holder.ts', import.meta.url).pathname;
const STARTED_WITHIN_MS = 240_000; // fifty processes on a busy machine
/** Divided by the number of processes: each is killed as often, however many there are. */
const LONGEST_PAUSE_MS = 15_000;

export class TokenHolders {
  readonly #args: readonly string[];
  readonly #lock: string;
  readonly #mark: string;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #children: ChildProcess[];
  readonly #told = new Set<ChildProcess>();
  readonly #failures = new Map<string, string[]>();
  #got = 0;
  #killed = 0;
  #killedWithLock = 0;
  #killedInFlight = 0;

  constructor({ server, clientId, file, ca }: TokenField, environment: NodeJS.ProcessEnv, count: number) {
    this.#lock = `${file}.lock`;
    this.#mark = `${file}.presented`;
    this.#args = [ENTRY, server, clientId, file, ca];
    this.#environment = { ...process.env, ...environment };
    this.#children = Array.from({ length: count }, () => this.#start());
  }

  get size(): number {
    return this.#children.length;
  }

  /** How many tokens they got. */
  get got(): number {
    return this.#got;
  }

  /** What they report, by reason. */
  get failures(): ReadonlyMap<string, readonly string[]> {
    return this.#failures;
  }

  get killed(): number {
    return this.#killed;
  }

  get killedWithLock(): number {
    return this.#killedWithLock;
  }

  /** Of those with the lock: how many had marked the refresh token as presented. */
  get killedInFlight(): number {
    return this.#killedInFlight;
  }

  async allStarted(): Promise<void> {
    const end = performance.now() + STARTED_WITHIN_MS;
    while (this.#children.some((child) => !this.#told.has(child))) {
      if (performance.now() > end) throw new Error('the processes do not start');
      await pause(100);
    }
  }

  /**
   * kill -9, at a moment that nobody can foresee, and another one in its place. Half of them hit the process with the lock, half of
   * these when it has sent the refresh token or is about to.
   */
  async killOne(chance: Seeded): Promise<void> {
    await pause(chance.below(Math.ceil(LONGEST_PAUSE_MS / this.size)));
    const [aimed, inFlight] = [chance.chance(0.5), chance.chance(0.5)];
    const anyone = chance.below(this.#children.length);
    const holder = aimed ? await this.#holder(inFlight) : -1;
    if (holder >= 0) this.#killedWithLock++;
    if (holder >= 0 && inFlight) this.#killedInFlight++;
    const at = holder >= 0 ? holder : anyone;
    await this.#kill(this.#children[at] as ChildProcess);
    this.#children[at] = this.#start();
    this.#killed++;
  }

  /** The process that has the lock now or soon; -1 if nobody takes it. `inFlight`: and has marked the refresh token. */
  async #holder(inFlight: boolean): Promise<number> {
    for (let tries = 0; tries < 300; tries++, await pause(1)) {
      if (inFlight && !readIfThere(this.#mark).startsWith('{')) continue;
      const { pid } = parseOwner(readIfThere(this.#lock)) ?? {};
      const at = this.#children.findIndex((child) => child.pid === pid);
      if (at >= 0) return at;
    }
    return -1;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#children.map((child) => this.#kill(child)));
  }

  async #kill(child: ChildProcess): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
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

function readIfThere(path: string): string {
  try {
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  } catch {
    return ''; // released in between
  }
}

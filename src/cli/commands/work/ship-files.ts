// Runs the operator's command for each file of a backup, one after another, and again until it succeeds. Which files are done is noted
// beside them, so a restart ships what is left.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** At the end, how often a failing command is tried, and how long a hanging one may take. */
const LAST_TRIES = 3;
const LAST_WAIT_MS = 20_000;
const STILL_RUNNING_MS = 600_000;
/** In the folder of a series: the names of the files that are shipped, one per line. */
const DONE = 'shipped';

export class Shipping {
  readonly #archive: string;
  readonly #command: string;
  readonly #complain: (line: string) => void;
  readonly #ending = new AbortController();
  readonly #lastWaitMs: number;
  #last: Promise<void> = Promise.resolve();
  #running: ChildProcess | undefined;
  #waiting = 0;
  #isOver = false;
  /** The notes of the folder that was looked at last: reading them for each file would take minutes, and the store waits. */
  #notes: { readonly folder: string; readonly shipped: Set<string> } | undefined;

  constructor(archive: string, command: string, complain: (line: string) => void, lastWaitMs = LAST_WAIT_MS) {
    [this.#archive, this.#command, this.#complain, this.#lastWaitMs] = [archive, command, complain, lastWaitMs];
  }

  /** Files that are shipped, or were removed because they are old, are skipped. */
  add(path: string): void {
    this.#waiting += 1;
    this.#last = this.#last.then(() => this.#ship(path));
  }

  /** Resolves when all files are shipped, or time is up. Returns how many are not. */
  async finished(): Promise<number> {
    this.#ending.abort();
    const timer = setTimeout(() => this.#giveUp(), this.#lastWaitMs);
    await this.#last;
    clearTimeout(timer);
    return this.#waiting;
  }

  async #ship(path: string): Promise<void> {
    for (let [tries, pauseMs] = [1, FIRST_PAUSE_MS]; ; tries++, pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      if (this.#isOver) return;
      const code = this.#isNeeded(path) ? await this.#run(path).catch(unstarted) : 0;
      if (code === 0) return this.#done(path);
      this.#complain(`the command for ${path} ended with ${code}`);
      if (this.#ending.signal.aborted && tries >= LAST_TRIES) return;
      await this.#pause(pauseMs);
    }
  }

  #done(path: string): void {
    this.#waiting -= 1;
    if (!this.#isNeeded(path)) return;
    appendFileSync(join(dirname(path), DONE), `${basename(path)}\n`, { mode: 0o600 });
    this.#shippedIn(dirname(path)).add(basename(path));
  }

  #isNeeded(path: string): boolean {
    return existsSync(path) && !this.#shippedIn(dirname(path)).has(basename(path));
  }

  #shippedIn(folder: string): Set<string> {
    if (this.#notes?.folder !== folder) this.#notes = { folder, shipped: shippedIn(folder) };
    return this.#notes.shipped;
  }

  /** The end of the service interrupts it. */
  #pause(ms: number): Promise<void> {
    const { signal } = this.#ending;
    return sleep(signal.aborted ? FIRST_PAUSE_MS : ms, undefined, signal.aborted ? {} : { signal }).catch(
      () => undefined,
    );
  }

  async #run(path: string): Promise<number | string> {
    const names = { TESSERA_BACKUP_FILE: path, TESSERA_BACKUP_NAME: relative(this.#archive, path) };
    const child = spawn('/bin/sh', ['-c', this.#command], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...environmentOfOthers(), ...names },
      detached: true, // a group of its own, so that all of it can be ended
    });
    this.#running = child;
    const reminder = setInterval(() => this.#complain(this.#stillRunning(path)), STILL_RUNNING_MS);
    try {
      const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
      return code ?? signal ?? 'nothing';
    } finally {
      clearInterval(reminder);
      this.#running = undefined;
    }
  }

  #stillRunning(path: string): string {
    return `the command for ${path} has not ended yet; ${this.#waiting - 1} more files wait`;
  }

  #giveUp(): void {
    this.#isOver = true;
    if (this.#running?.pid !== undefined) process.kill(-this.#running.pid, 'SIGKILL');
  }
}

/** Node reports some of these faults by an event, and others, such as too little memory, by throwing. */
function unstarted({ code = 'nothing' }: NodeJS.ErrnoException): string {
  return code;
}

function shippedIn(folder: string): Set<string> {
  const notes = join(folder, DONE);
  return new Set(existsSync(notes) ? readFileSync(notes, 'utf8').split('\n') : []);
}

/** Our own variables may hold the keyring or a password. */
function environmentOfOthers(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TESSERA_')));
}

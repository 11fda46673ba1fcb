// Runs the operator's command for each file of a backup, one after another, and again until it succeeds.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** At the end, how often a failing command is tried. */
const LAST_TRIES = 3;

export class Shipping {
  readonly #archive: string;
  readonly #command: string;
  readonly #complain: (line: string) => void;
  #last: Promise<void> = Promise.resolve();
  #isEnding = false;

  constructor(archive: string, command: string, complain: (line: string) => void) {
    [this.#archive, this.#command, this.#complain] = [archive, command, complain];
  }

  add(path: string): void {
    this.#last = this.#last.then(() => this.#ship(path));
  }

  /** Resolves when all files are shipped, or could not be. */
  async finished(): Promise<void> {
    this.#isEnding = true;
    await this.#last;
  }

  async #ship(path: string): Promise<void> {
    for (let [tries, pauseMs] = [1, FIRST_PAUSE_MS]; ; tries++, pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      const code = await this.#run(path);
      if (code === 0) return;
      this.#complain(`the command for ${path} ended with ${code}`);
      if (this.#isEnding && tries >= LAST_TRIES) return;
      await sleep(this.#isEnding ? FIRST_PAUSE_MS : pauseMs);
    }
  }

  async #run(path: string): Promise<number | string> {
    const names = { TESSERA_BACKUP_FILE: path, TESSERA_BACKUP_NAME: relative(this.#archive, path) };
    const child = spawn('/bin/sh', ['-c', this.#command], {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...names },
    });
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    return code ?? signal ?? 'nothing';
  }
}

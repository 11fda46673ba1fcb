// One running service of a release, as an operator starts and stops it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Home } from '../../../test/e2e/service.ts';
import type { Release } from './release.ts';

/** Long, since a busy machine is slow: only one that hangs takes this long. */
const READY_WITHIN_MS = 300_000;

export class Instance {
  readonly release: Release;
  readonly #child: ChildProcess;
  #log = '';

  /** Resolves when every worker serves. */
  static async start(release: Release, { configFile }: Home, flags: readonly string[], workers = 1): Promise<Instance> {
    const instance = new Instance(release, ['--config', configFile, ...flags, 'serve', '--workers', String(workers)]);
    for (const began = performance.now(); instance.#count('"msg":"ready"') < workers; await pause(20)) {
      if (instance.#child.exitCode === null && performance.now() < began + READY_WITHIN_MS) continue;
      instance.#child.kill('SIGKILL');
      throw new Error(`${release.name} does not serve: ${instance.#log}`);
    }
    return instance;
  }

  private constructor(release: Release, args: readonly string[]) {
    this.release = release;
    const main = join(release.folder, 'src/cli/main.ts');
    this.#child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const output of [this.#child.stdout, this.#child.stderr])
      output?.on('data', (text) => {
        this.#log += text;
      });
    const kill = () => this.#child.kill('SIGKILL');
    process.once('exit', kill); // in case this drill fails
    this.#child.once('exit', () => process.off('exit', kill));
  }

  /** What an orderly run does not log. */
  faults(): string[] {
    return this.#log.split('\n').filter((line) => /"level":"(?:error|fatal)"/.test(line) || /^\S*Error/.test(line));
  }

  /** Returns how long it took: nothing, if it has ended already. */
  async stop(): Promise<number> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return 0;
    const began = performance.now();
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    await exit;
    return Math.round(performance.now() - began);
  }

  #count(text: string): number {
    return this.#log.split(text).length - 1;
  }
}

// The service as a process of its own: how drills start, watch and end it.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { startPinned } from '../bench/pinned.ts';

const ROOT = join(import.meta.dirname, '../..');
/** Only one that hangs takes this long: a busy machine is slow. */
const READY_WITHIN_MS = 300_000;

/** A program of a checkout, with its arguments. */
export type Command = readonly [file: string, ...args: string[]];

interface Configured {
  readonly configFile: string;
}

/** In this way, the service also says where it listens if its log is off. */
export function entryOf({ configFile }: Configured): Command {
  return [join(ROOT, 'test/e2e/process-entry.ts'), configFile];
}

/** `tessera serve` of a checkout; `flags` such as `--set`. */
export function serveOf({ configFile }: Configured, flags: readonly string[] = [], checkout = ROOT): Command {
  return [join(checkout, 'src/cli/main.ts'), '--config', configFile, ...flags, 'serve'];
}

export interface ServiceOptions {
  readonly workers?: number;
  readonly environment?: NodeJS.ProcessEnv;
  readonly core?: number | undefined;
}

export interface Stopped {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly tookMs: number;
}

/** It ended before it served. */
export class NotServing extends Error {
  readonly code: number | null;

  constructor(code: number | null, lines: readonly string[]) {
    super(`the service ended with ${code} before it served: ${lines.join('\n')}`);
    this.code = code;
  }
}

export class Service {
  readonly child: ChildProcess;
  /** What it printed, without the log lines of level info. */
  readonly lines: string[] = [];
  port = 0;
  readonly #errors: string[] = [];
  #serving = 0;

  /** Resolves when every worker serves. */
  static async start(command: Command, { workers = 1, environment, core }: ServiceOptions = {}): Promise<Service> {
    const args = workers > 1 ? [...command.slice(1), '--workers', String(workers)] : command.slice(1);
    const env = { ...process.env, ...environment };
    const service = new Service(
      startPinned(command[0], args, {
        ...{ core, env, nodeFlags: ['--disable-warning=ExperimentalWarning'] },
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    for (const began = performance.now(); service.#serving < workers; await pause(10)) {
      const { exitCode, signalCode } = service.child;
      if (exitCode !== null || signalCode !== null) throw new NotServing(exitCode, service.lines);
      if (performance.now() < began + READY_WITHIN_MS) continue;
      await service.kill();
      throw new Error(`the service does not serve: ${service.lines.join('\n')}`);
    }
    return service;
  }

  private constructor(child: ChildProcess) {
    this.child = child;
    const kill = () => child.kill('SIGKILL');
    process.once('exit', kill); // in case this drill fails
    child.once('exit', () => process.off('exit', kill));
    for (const output of [child.stdout, child.stderr])
      if (output) createInterface({ input: output }).on('line', (line) => this.#read(line, output === child.stderr));
  }

  /** What an orderly run does not print. */
  faults(): string[] {
    return [...this.#errors, ...this.lines.filter((line) => /^\{.*("level":"(?:error|fatal)"|fault)/.test(line))];
  }

  /** With `withinMs`, it is killed if it takes longer. */
  async stop(signal: 'SIGTERM' | 'SIGINT' = 'SIGTERM', withinMs?: number): Promise<Stopped> {
    const began = performance.now();
    const { child } = this;
    if (child.exitCode === null && child.signalCode === null) {
      const closed = once(child, 'close');
      child.kill(signal);
      const timer = withinMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), withinMs);
      await closed;
      clearTimeout(timer);
    }
    return { code: child.exitCode, signal: child.signalCode, tookMs: Math.round(performance.now() - began) };
  }

  /** Like a power failure. */
  async kill(): Promise<void> {
    const { child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  #read(line: string, isError: boolean): void {
    if (isError) this.#errors.push(line);
    const isReady = line.startsWith('listening ') || line.includes('"msg":"ready"');
    if (isReady) this.#serving++;
    if (isReady) this.port = Number(/^listening .*:(\d+)$|"addresses":\["[^"]*:(\d+)"/.exec(line)?.slice(1).join(''));
    if (!line.includes('"level":"info"') || line.includes('fault')) this.lines.push(line);
  }
}

// A whole service in its own process, and callers that send requests as long as it runs.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Issued } from '../../test/authority.ts';
import { type Answer, type Caller, callerOver } from '../../test/e2e/caller.ts';
import { type Home, populatedHome, type SetUp } from '../../test/e2e/service.ts';

const ENTRY = fileURLToPath(new URL('../../test/e2e/process-entry.ts', import.meta.url));
const LISTENING_WITHIN_MS = 20_000;

/** A data folder, and the credentials for services on it. */
export interface Field {
  readonly home: Home;
  readonly path: string;
  readonly ada: Issued;
  remove(): void;
}

export async function aField(settings: SetUp['settings'] = {}): Promise<Field> {
  const home = await populatedHome({ settings: { limits: { stopTimeout: '3s' }, ...settings } });
  const ada = home.authority.issue({ commonName: 'ada' });
  const remove = () => rmSync(home.folder, { recursive: true, force: true });
  return { home, path: `${home.folder}/tessera.db`, ada, remove };
}

export class Served {
  readonly caller: Caller;
  readonly log: readonly Record<string, unknown>[];
  readonly #child: ChildProcess;

  static async start(field: Field, environment: NodeJS.ProcessEnv = {}): Promise<Served> {
    const { child, log, port } = launch(field, environment);
    const found = await Promise.race([port, once(child, 'exit'), pause(LISTENING_WITHIN_MS)]);
    if (typeof found !== 'number') throw new Error(`the service does not listen: ${JSON.stringify(log)}`);
    return new Served(
      child,
      log,
      callerOver('HTTP/2', { port: found, ca: field.home.authority.pem, certificate: field.ada }),
    );
  }

  private constructor(child: ChildProcess, log: readonly Record<string, unknown>[], caller: Caller) {
    this.#child = child;
    this.log = log;
    this.caller = caller;
  }

  async readiness(): Promise<Answer> {
    return this.caller.ask({ path: '/readyz' });
  }

  /** Milliseconds until `/readyz` returns this status; undefined after a timeout. */
  async readyzIs(status: number, withinMs: number): Promise<number | undefined> {
    for (const began = performance.now(); performance.now() < began + withinMs; await pause(20))
      if ((await this.readiness()).status === status) return Math.round(performance.now() - began);
    return undefined;
  }

  /** Log lines that an orderly stop must not have. */
  faults(): string[] {
    return this.log.filter(({ msg }) => msg === 'fault in the background').map((line) => JSON.stringify(line));
  }

  /** Stops it; returns the exit code and the duration. */
  async stop(): Promise<{ readonly code: number | null; readonly tookMs: number }> {
    this.caller.close();
    const began = performance.now();
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const [code] = (await exit) as [number | null];
    return { code, tookMs: Math.round(performance.now() - began) };
  }
}

/** The exit code of a service that cannot start. */
export async function endOfStart(field: Field): Promise<number | null | 'listens'> {
  const { child, port } = launch(field, {});
  const ended = await Promise.race([port, once(child, 'exit')]);
  if (typeof ended !== 'number') return ended[0] as number | null;
  child.kill('SIGKILL');
  return 'listens';
}

function launch({ home }: Field, environment: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [ENTRY, home.configFile], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  const log: Record<string, unknown>[] = [];
  const port = new Promise<number>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [, found] = /^listening .*:(\d+)$/.exec(line) ?? [];
      if (found) resolve(Number(found));
      if (line.startsWith('{')) log.push(JSON.parse(line) as Record<string, unknown>);
    });
  });
  createInterface({ input: child.stderr }).on('line', (line) => log.push({ msg: 'stderr', line }));
  return { child, log, port };
}

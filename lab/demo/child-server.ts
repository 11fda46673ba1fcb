// A server in its own process, which can be killed and started again. Every start gets a port that the system chooses: while a
// server is down, any other connection of this machine may take its old port.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

/** What a server sends to its parent when it is ready. */
export interface Ready {
  readonly port: number;
  readonly tokens?: readonly string[];
}

const START_MS = 60_000;
/** Characters of a server's last output that a message shows. */
const SHOWN = 4000;

export class ChildServer {
  /** Rejects if the server ends by itself. */
  readonly failed: Promise<never>;
  readonly #name: string;
  readonly #patienceMs: number;
  #fail: (error: Error) => void = () => undefined;
  #child: ChildProcess | undefined;
  #port = 0;
  #said = '';
  #isStopped = false;

  constructor(name: string, patienceMs = START_MS) {
    this.#name = name;
    this.#patienceMs = patienceMs;
    this.failed = new Promise((_, reject) => {
      this.#fail = reject;
    });
    this.failed.catch(() => undefined); // whoever waits for it handles it
  }

  /** 0 while it is down, where nothing can listen. */
  get port(): number {
    return this.#port;
  }

  async start(file: string, args: readonly string[]): Promise<Ready> {
    if (this.#isStopped) throw new Error(`${this.#name} was stopped`);
    const env = { ...process.env, NODE_ENV: 'production' };
    const child = spawn(process.execPath, [file, ...args], { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    this.#child = child;
    this.#said = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (this.#said = (this.#said + text).slice(-SHOWN)));
    child.once('close', (code, signal) => {
      if (this.#child === child) this.#fail(this.#error(`ended with ${signal ?? `code ${code}`}`));
    });
    try {
      const ready = await Promise.race([readinessOf(child), this.failed, this.#unready()]);
      this.#port = ready.port;
      return ready;
    } catch (error) {
      await this.kill();
      throw error;
    }
  }

  /** SIGKILL: nothing is finished or closed. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    this.#port = 0;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  /** For good. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.kill();
  }

  async #unready(): Promise<never> {
    await pause(this.#patienceMs, undefined, { ref: false });
    throw this.#error(`was not ready after ${this.#patienceMs / 1000} s`);
  }

  #error(what: string): Error {
    const said = this.#said.trim();
    return new Error(`${this.#name} ${what}. ${said === '' ? 'It printed nothing.' : `It printed:\n${said}`}`);
  }
}

async function readinessOf(child: ChildProcess): Promise<Ready> {
  const [ready] = (await once(child, 'message')) as [Ready];
  return ready;
}

// The generator as the rest of the bench sees it.
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { startPinned } from '../pinned.ts';
import type { SliceReport } from './slice.ts';
import type { ChainReport, WalkSpec } from './walk.ts';

export interface Load {
  readonly port: number;
  readonly tls?: ClientTls | undefined;
  /** One per connection. */
  readonly walks: readonly WalkSpec[];
  readonly freshConnections: boolean;
}

export interface ClientTls {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

export type Order =
  | { readonly do: 'prepare'; readonly name: string; readonly load: Load }
  | { readonly do: 'run'; readonly name: string; readonly seconds: number; readonly warmUpSeconds: number }
  | { readonly do: 'report'; readonly name: string };

export type Answer = { readonly value: unknown } | { readonly fault: string };

export class Generator {
  readonly #child: ChildProcess;
  readonly #prepared = new Set<string>();

  constructor(core: number | undefined) {
    this.#child = startPinned(fileURLToPath(new URL('main.ts', import.meta.url)), [], {
      core,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
  }

  /** Only the first time; later slices continue where the load stopped. */
  async prepare(name: string, load: Load): Promise<void> {
    if (this.#prepared.has(name)) return;
    this.#prepared.add(name);
    await this.#ask({ do: 'prepare', name, load });
  }

  async run(name: string, seconds: number, warmUpSeconds: number): Promise<SliceReport> {
    return (await this.#ask({ do: 'run', name, seconds, warmUpSeconds })) as SliceReport;
  }

  async report(name: string): Promise<readonly ChainReport[]> {
    return (await this.#ask({ do: 'report', name })) as readonly ChainReport[];
  }

  stop(): void {
    this.#child.kill();
  }

  #ask(order: Order): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const died = () => reject(new Error('the load generator died'));
      this.#child.once('exit', died);
      this.#child.once('message', (answer: Answer) => {
        this.#child.off('exit', died);
        if ('fault' in answer) reject(new Error(answer.fault));
        else resolve(answer.value);
      });
      this.#child.send(order);
    });
  }
}

// What the generator of requests is asked to do, and the process that does it: callers must not share a process with the drill.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Pair } from '../../../test/e2e/steps.ts';
import type { Demand } from './load.ts';

const ENTRY = fileURLToPath(new URL('generator-process.ts', import.meta.url));

export type Step = 'grant' | 'verify' | 'refresh' | 'device';

export interface Target {
  readonly port: number;
  readonly ca: string;
  /** The process of the service. */
  readonly pid: number;
}

/** Each has a connection of its own. Its requests follow each other; it gives up at the first refusal. */
export interface CrowdCaller {
  readonly atMs: number;
  readonly from: string;
  readonly steps: readonly Step[];
  readonly pair?: Pair | undefined;
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
}

/** Callers that send the same request over kept connections, as gateways do. */
export interface Load {
  readonly connections: number;
  readonly from: readonly string[];
  /** `verify` if absent. */
  readonly step?: Step;
  readonly tokens: readonly string[];
  readonly certificate?: CrowdCaller['certificate'];
  /** Over HTTP/2: requests at a time on each connection. */
  readonly streams?: number;
  readonly cancelEvery?: number;
  /** Whether all connect before the load begins. */
  readonly isConnected?: boolean;
  /** One after the other over the same connections. `timesPeak`: of the rate of the first. */
  readonly demands: readonly (Demand | { readonly timesPeak: number })[];
  readonly lastsMs: number;
}

export type Order = { readonly crowd: readonly CrowdCaller[] } | { readonly load: Load };

export interface Tally {
  /** Requests that were due, and those that found a free connection. */
  readonly wanted: number;
  readonly sent: number;
  /** By status; see also the constants of `line.ts` and `stream-line.ts`. */
  readonly answers: Readonly<Record<number, number>>;
  readonly unanswered: number;
  /** Refusals (429 and 503) that do not say when to retry. */
  readonly withoutRetryAfter: number;
  /** Milliseconds until the answer, whatever it is. Of a load: of accepted requests. */
  readonly p50: number;
  readonly p99: number;
  readonly slowest: number;
  /** Accepted and sent requests of a load. */
  readonly perSecond: number;
  readonly sentPerSecond: number;
  /** The most that the service took. */
  readonly memoryMiB: number;
}

export class Generator {
  readonly #process: ChildProcess;

  constructor() {
    this.#process = fork(ENTRY);
  }

  /** One tally for a crowd, one for each demand of a load. */
  async run(target: Target, order: Order): Promise<Tally[]> {
    this.#process.send({ target, order });
    const [tallies] = (await once(this.#process, 'message')) as [Tally[]];
    return tallies;
  }

  close(): void {
    this.#process.disconnect();
  }
}

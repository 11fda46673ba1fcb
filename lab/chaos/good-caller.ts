// A caller that requests tokens one after the other, in a process of its own: what delays the attackers must not count as a
// delay of the service.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Issued } from '../../test/authority.ts';
import { callerOver, json } from '../../test/e2e/caller.ts';
import { CERTIFICATE, CLIENT } from '../../test/e2e/steps.ts';

export interface Times {
  readonly requests: number;
  readonly failed: number;
  readonly p50: number;
  readonly p99: number;
  /** The slowest requests: milliseconds since the beginning, and how long each took. */
  readonly slowest: readonly (readonly [at: number, took: number])[];
}

interface Wanted {
  readonly port: number;
  readonly ca: string;
  readonly chain: readonly string[];
  readonly key: string;
  readonly lastsMs: number;
}

const BETWEEN_MS = 2;
const SLOWEST = 6;

export class GoodCaller {
  readonly #process: ChildProcess;
  readonly #reach: Omit<Wanted, 'lastsMs'>;

  constructor({ port, ca }: { readonly port: number; readonly ca: string }, { chain, key }: Issued) {
    this.#process = fork(import.meta.filename, { env: { ...process.env, TESSERA_GOOD_CALLER: '1' } });
    this.#reach = { port, ca, key, chain: chain.map((der) => Buffer.from(der).toString('base64')) };
  }

  async callFor(lastsMs: number): Promise<Times> {
    this.#process.send({ ...this.#reach, lastsMs } satisfies Wanted);
    const [times] = (await once(this.#process, 'message')) as [Times];
    return times;
  }

  close(): void {
    this.#process.disconnect();
  }
}

export function printTimes({ requests, failed, p50, p99, slowest }: Times): string {
  const ms = (time: number) => `${time.toFixed(1)} ms`;
  const worst = slowest.map(([at, took]) => `${took.toFixed(0)} ms at ${(at / 1000).toFixed(1)} s`).join(', ');
  return `${requests} requests, ${failed} failed, p50 ${ms(p50)}, p99 ${ms(p99)}, slowest: ${worst}`;
}

async function call({ port, ca, chain, key, lastsMs }: Wanted): Promise<Times> {
  const certificate = { chain: chain.map((der) => Buffer.from(der, 'base64')), key };
  const caller = callerOver('HTTP/1.1', { port, ca, certificate });
  const calls: [at: number, took: number][] = [];
  let failed = 0;
  const began = performance.now();
  for (let at = began; at < began + lastsMs; at = performance.now()) {
    const { status } = await caller.ask({ path: CERTIFICATE, ...json({ client_id: CLIENT, scope: 'orders:read' }) });
    calls.push([at - began, performance.now() - at]);
    if (status !== 200) failed++;
    await pause(BETWEEN_MS);
  }
  caller.close();
  return timesOf(calls, failed);
}

function timesOf(calls: readonly (readonly [at: number, took: number])[], failed: number): Times {
  const sorted = calls.toSorted(([, a], [, b]) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)]?.[1] ?? 0;
  const slowest = sorted.slice(-SLOWEST).toReversed();
  return { requests: calls.length, failed, p50: at(0.5), p99: at(0.99), slowest };
}

if (process.env['TESSERA_GOOD_CALLER'] && process.send) {
  process.on('message', (wanted: Wanted) => void call(wanted).then((times) => process.send?.(times)));
  process.on('disconnect', () => process.exit());
}

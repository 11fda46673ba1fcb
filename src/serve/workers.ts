// Several worker processes that share the ports. A supervisor starts them, replaces those that die, and stops them together.
import cluster, { type Worker } from 'node:cluster';
import type { Log } from '../log/log.ts';

/** A worker that dies sooner than this after its start is replaced only after a pause. */
const SHORT_LIFE_MS = 5_000;

export function isWorker(): boolean {
  return cluster.isWorker;
}

/** Reports to the supervisor that this worker is serving. */
export function tellServing(): void {
  process.send?.('serving');
}

/** Closes the channel to the supervisor, which would keep a finished worker alive. */
export function leaveSupervisor(): void {
  process.disconnect?.();
}

export interface Supervision {
  readonly count: number;
  readonly stopSignal: Promise<string>;
  /** Workers that have not stopped by then are killed; acknowledged changes are durable. */
  readonly patienceMs: number;
  readonly log: Log;
}

/** Resolves when all workers have stopped: to 0, or to the exit code of a worker that failed before any was serving. */
export async function superviseWorkers({ count, stopSignal, patienceMs, log }: Supervision): Promise<number> {
  const supervised = { isStopping: false, hasServed: false };
  cluster.on('message', () => {
    supervised.hasServed = true;
  });
  const failed = new Promise<number>((resolve) => {
    const start = () => startWorker(supervised, log, start, resolve);
    for (let index = 0; index < count; index++) start();
  });
  const reason = await Promise.race([stopSignal, failed]);
  supervised.isStopping = true;
  const signal = typeof reason === 'string' ? reason : 'SIGTERM';
  await Promise.all(livingWorkers().map((worker) => stopWorker(worker, signal, patienceMs)));
  return typeof reason === 'number' ? reason : 0;
}

function startWorker(
  supervised: { readonly isStopping: boolean; readonly hasServed: boolean },
  log: Log,
  again: () => void,
  giveUp: (code: number) => void,
): void {
  const worker = cluster.fork();
  const began = performance.now();
  worker.once('exit', (code, signal) => {
    if (supervised.isStopping) return;
    // It logged why. Restarting it would fail the same way.
    if (!supervised.hasServed && code) return giveUp(code);
    const isShort = performance.now() - began < SHORT_LIFE_MS;
    log.error({ pid: worker.process.pid, code, signal }, 'a worker died and is replaced');
    setTimeout(() => !supervised.isStopping && again(), isShort ? SHORT_LIFE_MS : 0);
  });
}

function livingWorkers(): Worker[] {
  return Object.values(cluster.workers ?? {}).flatMap((worker) => (worker && !worker.isDead() ? worker : []));
}

function stopWorker(worker: Worker, signal: string, patienceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const end = setTimeout(() => worker.process.kill('SIGKILL'), patienceMs);
    worker.once('exit', () => {
      clearTimeout(end);
      resolve();
    });
    worker.process.kill(signal as NodeJS.Signals);
  });
}

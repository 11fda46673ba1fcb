// Several processes on one machine, sharing the ports: a supervisor that starts them, replaces those that die, and stops
// them together.
import cluster, { type Worker } from 'node:cluster';
import type { Log } from '../log/log.ts';

/** A worker that dies sooner than this after its start is replaced only after a pause. */
const SHORT_LIFE_MS = 5_000;

export function isWorker(): boolean {
  return cluster.isWorker;
}

/** Resolves when all workers have stopped, after `stopSignal` did. */
export async function superviseWorkers(count: number, stopSignal: Promise<string>, log: Log): Promise<void> {
  let stopping = false;
  const start = () => {
    const worker = cluster.fork();
    const began = performance.now();
    worker.once('exit', (code, signal) => {
      if (stopping) return;
      const isShort = performance.now() - began < SHORT_LIFE_MS;
      log.error({ pid: worker.process.pid, code, signal }, 'a worker died and is replaced');
      setTimeout(() => !stopping && start(), isShort ? SHORT_LIFE_MS : 0);
    });
  };
  for (let index = 0; index < count; index++) start();
  const signal = await stopSignal;
  stopping = true;
  await Promise.all(livingWorkers().map((worker) => stopWorker(worker, signal)));
}

function livingWorkers(): Worker[] {
  return Object.values(cluster.workers ?? {}).flatMap((worker) => worker ?? []);
}

function stopWorker(worker: Worker, signal: string): Promise<void> {
  return new Promise((resolve) => {
    worker.once('exit', () => resolve());
    worker.process.kill(signal as NodeJS.Signals);
  });
}

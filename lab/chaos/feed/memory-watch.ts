// The physical memory of processes and their children, and the most that it reached.
import { readdirSync, readFileSync } from 'node:fs';

const EVERY_MS = 250;

/** In MiB. */
export function memoryOf(pids: readonly number[]): number {
  const all = pids.flatMap((pid) => [pid, ...childrenOf(pid)]);
  const kib = all.map((pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0));
  return Math.round(kib.reduce((sum, each) => sum + each, 0) / 1024);
}

/** Returns a function that ends it and returns the most. */
export function watchMemory(pids: readonly number[]): () => number {
  let most = memoryOf(pids);
  const timer = setInterval(() => {
    most = Math.max(most, memoryOf(pids));
  }, EVERY_MS);
  return () => {
    clearInterval(timer);
    return Math.max(most, memoryOf(pids));
  };
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
  );
}

// Files that exist only while a command works: copies of a store contain everything that the store does.
import { rmSync } from 'node:fs';
import { constants } from 'node:os';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Does the work, then removes `paths`, if they are there. A signal that ends the process removes them too. */
export async function removingAfter<T>(paths: readonly string[], work: () => Promise<T>): Promise<T> {
  const remove = () => {
    for (const path of paths) rmSync(path, { recursive: true, force: true });
  };
  const end = (signal: (typeof SIGNALS)[number]) => {
    remove();
    // With several at once, the last one ends the process.
    if (process.listenerCount(signal) === 0) process.exit(128 + constants.signals[signal]);
  };
  for (const signal of SIGNALS) process.once(signal, end);
  try {
    return await work();
  } finally {
    for (const signal of SIGNALS) process.off(signal, end);
    remove();
  }
}

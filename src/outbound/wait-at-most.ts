import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for work that others share, at most this long. A fault before then is thrown; a later one is left to the others. */
export async function waitAtMost(milliseconds: number, work: Promise<unknown>): Promise<void> {
  work.catch(() => undefined);
  const deadline = new AbortController();
  const late = sleep(milliseconds, undefined, { signal: deadline.signal, ref: false }).catch(() => undefined);
  await Promise.race([work, late]).finally(() => deadline.abort());
}

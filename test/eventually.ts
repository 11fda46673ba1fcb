import { setTimeout as sleep } from 'node:timers/promises';

/** Long, since a busy machine is slow. Only a test that fails waits this long. */
const PATIENCE_MS = 60_000;

/** Waits until `holds` returns true. `what` completes the error message if it never does. */
export async function eventually(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; !(await holds()); await sleep(20))
    if (performance.now() > end) throw new Error(`did not happen within ${PATIENCE_MS / 1000} s: ${what}`);
}

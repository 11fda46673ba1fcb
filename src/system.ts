// Where operations get the time and random bytes from.
import { randomFillSync } from 'node:crypto';
import { uptime } from 'node:os';
import { epochSeconds } from './core/time.ts';
import type { Clock, Random } from './operations/ports.ts';

export const systemClock: Clock = {
  now: () => epochSeconds(Date.now() / 1000),
  milliseconds: () => Date.now(),
  running: uptime, // counts on while the machine sleeps, and across restarts of the process
};

const POOL_SIZE = 8192;
const pool = Buffer.alloc(POOL_SIZE);
let used = POOL_SIZE;

/** Random bytes from a pool: asking the system for 16 at a time costs ten times as much. What was given out is wiped from the pool. */
export const systemRandom: Random = (length) => {
  if (length > POOL_SIZE) throw new RangeError('too many random bytes at once');
  if (used + length > POOL_SIZE) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = Buffer.from(pool.subarray(used, used + length));
  pool.fill(0, used, used + length);
  used += length;
  return bytes;
};

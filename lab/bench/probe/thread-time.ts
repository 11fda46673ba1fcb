import { functionsOfC } from '../../../src/doors/server/call-c.ts';

const CLOCK_THREAD_CPUTIME_ID = 3;
const CLOCK = { clock_gettime: { arguments: ['i32', 'buffer'], return: 'i32' } };
const functions = functionsOfC<{ clock_gettime(clock: number, time: Buffer): number }>(CLOCK);
const parts = new BigInt64Array(2);
const bytes = Buffer.from(parts.buffer);

/**
 * Microseconds that this thread has been on a processor, up to now. Node's own figure (getrusage) is, with some kernels, that of
 * the last tick or of the last time the thread slept, so up to 4 ms old; it is used where Node cannot call C.
 */
export function threadTime(): number {
  if (functions?.clock_gettime(CLOCK_THREAD_CPUTIME_ID, bytes) !== 0) {
    const { user, system } = process.threadCpuUsage();
    return user + system;
  }
  return Number(parts[0]) * 1e6 + Number(parts[1]) / 1e3;
}

// Time that a virtual machine's host gave to others, in which neither the service nor its callers could run.
import { readFileSync } from 'node:fs';

/** Begins to measure; returns a function that says which share of the processors' time was stolen since. */
export function watchStolen(): () => number {
  const before = processorTimes();
  return () => {
    const now = processorTimes();
    return (now.stolen - before.stolen) / Math.max(1, now.all - before.all);
  };
}

/** https://man7.org/linux/man-pages/man5/proc_stat.5.html */
function processorTimes(): { readonly all: number; readonly stolen: number } {
  const [all = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  const times = all.split(/ +/).slice(1, 9).map(Number);
  return { all: times.reduce((sum, time) => sum + time, 0), stolen: times[7] ?? 0 };
}

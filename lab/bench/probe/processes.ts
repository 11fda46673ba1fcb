// Resource use of a process tree, from /proc.
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100; // USER_HZ, the same on every Linux that Node runs on

/** Seconds of processor time, all threads and children included. */
export function cpuSecondsOf(pids: readonly number[]): number {
  return sum(pids.flatMap(treeOf).map((pid) => whileThere(() => ticksOf(pid), 0))) / TICKS_PER_SECOND;
}

/** Nanoseconds on a processor, children included: more precise than `cpuSecondsOf`, which counts in hundredths of a second. */
export function runTimeOf(pid: number): number {
  const timeOf = (each: number) => Number(readFileSync(`/proc/${each}/schedstat`, 'utf8').split(' ')[0]);
  return sum(treeOf(pid).map((each) => whileThere(() => timeOf(each), 0)));
}

/** Megabytes, pages shared within the tree counted once. */
export function memoryOf(pids: readonly number[]): number {
  return sum(pids.flatMap(treeOf).map((pid) => whileThere(() => proportionalKilobytes(pid), 0))) / 1024;
}

export function treeOf(pid: number): number[] {
  return [pid, ...whileThere(() => childrenOf(pid), []).flatMap(treeOf)];
}

export function childrenOf(pid: number): number[] {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const lists = tasks.map((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8'));
  return lists.join(' ').split(/\s+/).filter(Boolean).map(Number);
}

/** Processes and threads may end while they are read (PostgreSQL's do). */
function whileThere<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return otherwise;
    throw error;
  }
}

function ticksOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name may hold spaces and parentheses; what follows the last one is plain. utime and stime are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

function proportionalKilobytes(pid: number): number {
  return Number(/^Pss: +(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

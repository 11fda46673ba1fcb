// A CPU quota for one process by a control group, if this machine allows one.
import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PERIOD_US = 10_000;

/** Both forms: control groups of version 1 and 2. */
const WAYS: readonly ((folder: string, quota: number) => void)[] = [
  (folder, quota) => {
    writeFileSync(join(folder, 'cpu.cfs_period_us'), String(PERIOD_US));
    writeFileSync(join(folder, 'cpu.cfs_quota_us'), String(quota));
  },
  (folder, quota) => writeFileSync(join(folder, 'cpu.max'), `${quota} ${PERIOD_US}`),
];
const ROOTS = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup'];

/** Returns a function that removes the group after the process has ended; undefined if no quota is possible. */
export function limitCpu(pid: number, cores: number): (() => void) | undefined {
  for (const [at, root] of ROOTS.entries()) {
    const folder = join(root, `tessera-drill-${pid}`);
    try {
      mkdirSync(folder);
      WAYS[at]?.(folder, Math.round(PERIOD_US * cores));
      writeFileSync(join(folder, 'cgroup.procs'), String(pid));
      return () => rmdirSync(folder);
    } catch {
      removeIfThere(folder);
    }
  }
  return undefined;
}

function removeIfThere(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // it was never created
  }
}

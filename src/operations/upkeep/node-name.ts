// The name of a node. By it, commands and other nodes find out whether its process still runs, if they see the same processes.
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { sha256 } from '../../tokens/sha256.ts';
import type { Random } from '../ports.ts';

/** The same where a process id means the same process: on one machine, until it starts again, and inside one container. */
const HERE = markOfProcesses();

/** Eight hex digits; none on a system that cannot say it. */
function markOfProcesses(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
    return sha256(`${boot} ${readlinkSync('/proc/self/ns/pid')}`).slice(0, 8);
  } catch {
    return '';
  }
}

/** Readable, and unique even if containers share a host name and a process id. */
export function nodeName(random: Random): string {
  return `${hostname()}:${process.pid}:${HERE}${random(3).toString('hex')}`;
}

/** Whether it is certain that the process of this node has ended. Nodes of other machines and containers may run. */
export function isKilled(name: string): boolean {
  const [, host, id, mark] = /^(.*):(\d+):([0-9a-f]{8})[0-9a-f]{6}$/.exec(name) ?? [];
  return host === hostname() && mark === HERE && !isRunning(Number(id));
}

/**
 * Whether nothing suggests that a node still runs, for what may be wrong. In containers, all processes may have the same id.
 * `isShared`: machines share the store; if not, another host name is an earlier one of this machine or container.
 */
export function hasEnded(name: string, isShared: boolean): boolean {
  const [, host, id] = /^(.*):(\d+):[0-9a-f]+$/.exec(name) ?? [];
  if (host !== hostname()) return !isShared;
  return Number(id) === process.pid || !isRunning(Number(id));
}

function isRunning(id: number): boolean {
  try {
    return process.kill(id, 0) && !isZombie(id);
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** It has ended, and its parent has not noticed. */
function isZombie(id: number): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${id}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

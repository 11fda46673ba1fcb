// Who holds a lock, and whether that process still lives.
import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { pid } from 'node:process';

export interface Owner {
  /** Unique for every attempt to take a lock, so that an old owner is never mistaken for a new one. */
  readonly id: string;
  readonly pid: number;
  /** When the process started, in clock ticks since boot: process ids are used again. */
  readonly start: string;
  /** The boot and the process id namespace in which `pid` has its meaning. */
  readonly world: string;
}

/** An owner in another container or on another machine counts as dead if it has not touched its lock for this long. */
const ABANDONED_MS = 30_000;
export const TOUCH_MS = 1_000;

const SELF = { pid, start: startOf(pid) ?? '', world: worldOf() };

export function newOwner(): Owner {
  return { id: randomUUID(), ...SELF };
}

/** `touchedAt`: when the owner last touched its lock. Once true for an owner, this stays true. */
export function isDead(owner: Owner, touchedAt: number): boolean {
  if (owner.world !== SELF.world) return Date.now() - touchedAt > ABANDONED_MS;
  if (SELF.start === '') return !isSignalled(owner.pid);
  return startOf(owner.pid) !== owner.start;
}

export function parseOwner(text: string): Owner | undefined {
  try {
    const owner = JSON.parse(text) as Owner;
    return typeof owner.id === 'string' && typeof owner.pid === 'number' ? owner : undefined;
  } catch {
    return undefined;
  }
}

/** Linux: undefined if no such process runs. A zombie has ended. */
function startOf(pid: number): string | undefined {
  try {
    // The name of the program, in parentheses, may contain spaces and parentheses.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function worldOf(): string {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return hostname();
  }
}

/** Where there is no /proc. */
function isSignalled(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

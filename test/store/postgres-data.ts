// A new data folder costs `initdb` more than a second of processor time. It is made once per machine and account, and copied.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chownSync } from 'node:fs';
import { join } from 'node:path';
import { keptFolder } from '../temporary-folder.ts';

/** PostgreSQL refuses to run as root, so root runs it as nobody. */
export const NOBODY = 65534;
export const isRoot = process.getuid?.() === 0;
export const owner = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

/** Copies a new data folder to `data`, as `initdb` in the folder `programs` makes it with these arguments. */
export function copyNewData(data: string, programs: string, args: readonly string[]): void {
  const key = createHash('sha256')
    .update(JSON.stringify([programs, args]))
    .digest('hex')
    .slice(0, 16);
  const original = keptFolder(`postgres-data-${key}`, (folder) => initialize(folder, programs, args));
  execFileSync('cp', ['-a', join(original, 'data'), data]);
}

function initialize(folder: string, programs: string, args: readonly string[]): void {
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  const command = ['-D', join(folder, 'data'), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', ...args];
  execFileSync(join(programs, 'initdb'), command, { ...owner, stdio: ['ignore', 'ignore', 'inherit'] });
}

// A new data folder costs `initdb` more than a second of processor time. It is made once per machine and account, and copied.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chownSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
  const original = join(tmpdir(), `tessera-postgres-data-${key}-${process.getuid?.() ?? 0}`);
  if (!existsSync(original)) initialize(original, programs, args);
  execFileSync('cp', ['-a', join(original, 'data'), data]);
}

/** Made beside and renamed, so that tests that start at once never see half of it. */
function initialize(target: string, programs: string, args: readonly string[]): void {
  const made = mkdtempSync(`${target}-`);
  if (isRoot) chownSync(made, NOBODY, NOBODY);
  const command = ['-D', join(made, 'data'), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', ...args];
  execFileSync(join(programs, 'initdb'), command, { ...owner, stdio: ['ignore', 'ignore', 'inherit'] });
  try {
    renameSync(made, target);
  } catch {
    rmSync(made, { recursive: true }); // another test was faster
  }
}

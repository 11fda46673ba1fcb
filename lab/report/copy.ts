import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT, run } from '../deploy/shell.ts';

/** A copy of this checkout, with the same packages, to change. */
export function makeCopy(copy: string): void {
  rmSync(copy, { recursive: true, force: true });
  for (const file of run('git', ['ls-files']).split('\n').filter(Boolean)) {
    if (!existsSync(join(ROOT, file))) continue;
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(ROOT, file), join(copy, file));
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
}

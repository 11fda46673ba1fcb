import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
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

/** The file of the code that has this text. Throws if it is not there once, and only once. */
export function fileWith(text: string): string {
  const files = run('git', ['ls-files', 'src', 'sdk', 'deploy']).split('\n').filter(Boolean);
  const found = files.flatMap((file) => {
    const path = join(ROOT, file);
    const pieces = existsSync(path) ? readFileSync(path, 'utf8').split(text).length : 1;
    return Array<string>(pieces - 1).fill(file);
  });
  if (found.length !== 1)
    throw new Error(`this text is in the code ${found.length} times (${found.join(', ')}): ${text}`);
  return found[0] as string;
}

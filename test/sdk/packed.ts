// A package of sdk/ as its users get it: packed, and unpacked into an empty folder.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** Puts the package into node_modules of the folder, and returns the paths of its files. */
export function installPacked(sdk: string, folder: string): string[] {
  const args = ['pack', '--json', '--silent', '--pack-destination', folder];
  const cwd = join(ROOT, 'sdk', sdk);
  const printed = execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  const [packed] = JSON.parse(printed) as { name: string; filename: string; files: { path: string }[] }[];
  if (!packed) throw new Error('npm packed nothing');
  const place = join(folder, 'node_modules', packed.name);
  mkdirSync(place, { recursive: true });
  execFileSync('tar', [
    '--extract',
    '--file',
    join(folder, packed.filename),
    '--directory',
    place,
    '--strip-components=1',
  ]);
  return packed.files.map(({ path }) => path).sort();
}

// A package of sdk/ as its users get it: packed, and unpacked into an empty folder.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../temporary-folder.ts';

const ROOT = join(import.meta.dirname, '../..');

interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

/** Puts the package into node_modules of the folder, and returns the paths of its files. */
export function installPacked(sdk: string, folder: string): string[] {
  const archives = packedOnce(sdk);
  const { name, filename, files } = JSON.parse(readFileSync(join(archives, 'packed.json'), 'utf8')) as Packed;
  const place = join(folder, 'node_modules', name);
  mkdirSync(place, { recursive: true });
  const archive = join(archives, filename);
  execFileSync('tar', ['--extract', '--file', archive, '--directory', place, '--strip-components=1']);
  return files.map(({ path }) => path).sort();
}

/** The folder with the archive, which is made once per run: npm and the compiler take seconds. */
function packedOnce(sdk: string): string {
  const parent = process.env['TEST_RUN_FOLDER'];
  const kept = parent && join(parent, `packed-${sdk}`);
  if (kept && existsSync(kept)) return kept;
  const made = temporaryFolder('packed');
  pack(sdk, made);
  if (!kept) return made;
  try {
    renameSync(made, kept);
  } catch {
    rmSync(made, { recursive: true }); // another process was faster
  }
  return kept;
}

function pack(sdk: string, folder: string): void {
  const args = ['pack', '--json', '--silent', '--pack-destination', folder];
  const cwd = join(ROOT, 'sdk', sdk);
  const printed = execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  const [packed] = JSON.parse(printed) as Packed[];
  if (!packed) throw new Error('npm packed nothing');
  writeFileSync(join(folder, 'packed.json'), JSON.stringify(packed));
}

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Beside src/ and beside the published dist/. */
const ROOT = join(import.meta.dirname, '..');

/** The version in package.json. */
export const RELEASE: string = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;

/** RELEASE, or RELEASE+COMMIT in a checkout. `npm run build` keeps it for the package, which has no .git. */
export const VERSION: string = textOf(join(import.meta.dirname, 'version.txt')) ?? versionIn(ROOT, RELEASE);

/** Reads the files of git: starting it would take longer than most commands. */
export function versionIn(checkout: string, release: string): string {
  const link = textOf(join(checkout, '.git')); // a file in a worktree, else a folder
  const own = resolve(checkout, link?.replace('gitdir: ', '') ?? '.git');
  const shared = resolve(own, textOf(join(own, 'commondir')) ?? '.');
  const [, branch, commit] = /^(?:ref: (.+)|([0-9a-f]+))$/.exec(textOf(join(own, 'HEAD')) ?? '') ?? [];
  const id = commit ?? (branch && (textOf(join(shared, branch)) ?? packed(shared, branch)));
  return id ? `${release}+${id.slice(0, 8)}` : release;
}

function packed(git: string, branch: string): string | undefined {
  const lines = textOf(join(git, 'packed-refs'))?.split('\n') ?? [];
  return lines.find((line) => line.endsWith(` ${branch}`));
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return undefined;
  }
}

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { inflateSync } from 'node:zlib';

/** Beside src/ and beside the published dist/. */
const ROOT = join(import.meta.dirname, '..');

/** The version in package.json. */
export const RELEASE: string = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version;

/** RELEASE, or RELEASE+COMMIT if this is not the commit that was released. `npm run build` keeps it for the package, which has no .git. */
export const VERSION: string = textOf(join(import.meta.dirname, 'version.txt')) ?? versionIn(ROOT, RELEASE);

/** Reads the files of git: starting it would take longer than most commands. */
export function versionIn(checkout: string, release: string): string {
  const link = textOf(join(checkout, '.git')); // a file in a worktree, else a folder
  const own = resolve(checkout, link?.replace('gitdir: ', '') ?? '.git');
  const shared = resolve(own, textOf(join(own, 'commondir')) ?? '.');
  const head = textOf(join(own, 'HEAD'));
  const commit = head?.startsWith('ref: ') ? referred(shared, head.slice('ref: '.length)) : head;
  const isReleased = commit === referred(shared, `refs/tags/v${release}`);
  return isReleased || !commit || !/^[0-9a-f]{40,64}$/.test(commit) ? release : `${release}+${commit.slice(0, 8)}`;
}

/** The commit of a branch or a tag. In packed-refs, a line `^COMMIT` follows a signed tag. */
function referred(git: string, name: string): string | undefined {
  const id = textOf(join(git, name));
  if (id !== undefined) return commitOfTag(join(git, 'objects', id.slice(0, 2), id.slice(2))) ?? id;
  const lines = textOf(join(git, 'packed-refs'))?.split('\n') ?? [];
  const at = lines.findIndex((line) => line.endsWith(` ${name}`));
  return lines[at + 1]?.startsWith('^') ? lines[at + 1]?.slice(1) : lines[at]?.split(' ')[0];
}

/** A signed tag is an object of its own, which names the commit. */
function commitOfTag(path: string): string | undefined {
  const object = textOf(path, (bytes) => inflateSync(bytes));
  return /^tag \d+\0object (\w+)$/m.exec(object ?? '')?.[1];
}

function textOf(path: string, unpack = (bytes: Buffer) => bytes): string | undefined {
  try {
    return unpack(readFileSync(path)).toString('utf8').trim();
  } catch {
    return undefined;
  }
}

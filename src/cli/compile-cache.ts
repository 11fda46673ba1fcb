// Caches compiled code, which makes a start a third faster. Anyone who can write to the cache can run code as this user, so it
// is used only if no other user can write to it or replace it.
import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { homedir, userInfo } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';

/** Does nothing if NODE_COMPILE_CACHE or NODE_DISABLE_COMPILE_CACHE is set. */
export function useCompileCache(): void {
  if (getCompileCacheDir() !== undefined) return;
  const folder = safeFolder();
  if (folder === undefined) return;
  enableCompileCache(folder);
  process.env['NODE_COMPILE_CACHE'] = folder; // for the threads and workers of this process
}

function safeFolder(): string | undefined {
  try {
    const folder = join(cachesOf(process.env), 'tessera');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const real = realpathSync(folder);
    return isOurs(real) ? real : undefined;
  } catch {
    return undefined; // read-only disk or no home: no cache
  }
}

/** systemd's CacheDirectory=, else the user's cache folder: never one below the working folder, so relative paths do not count. */
function cachesOf({ CACHE_DIRECTORY, XDG_CACHE_HOME = '' }: NodeJS.ProcessEnv): string {
  if (CACHE_DIRECTORY) return CACHE_DIRECTORY;
  if (isAbsolute(XDG_CACHE_HOME)) return XDG_CACHE_HOME;
  return join(isAbsolute(homedir()) ? homedir() : userInfo().homedir, '.cache');
}

/** Whether only this user and root can change this folder and its parents. */
function isOurs(folder: string): boolean {
  const { uid, mode } = lstatSync(folder);
  const isSticky = (mode & 0o1000) !== 0; // like /tmp: other users cannot replace our files
  const isShut = (mode & 0o022) === 0 || (isSticky && uid === 0);
  const above = dirname(folder);
  return [process.getuid?.(), 0].includes(uid) && isShut && (above === folder || isOurs(above));
}

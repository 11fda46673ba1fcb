// Compiled code is kept from one start to the next, which makes a start a third quicker. Whoever can write there can make us
// run their code: so it is a folder of this user's own, in which nobody else can put or exchange anything, or none.
import { lstatSync, mkdirSync, realpathSync } from 'node:fs';
import { enableCompileCache, getCompileCacheDir } from 'node:module';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** Does nothing where NODE_COMPILE_CACHE names a folder already, or NODE_DISABLE_COMPILE_CACHE is set. */
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
    return undefined; // a read-only disk, no home: then without
  }
}

/** systemd's CacheDirectory=, else the usual place of a user's caches. */
function cachesOf({ CACHE_DIRECTORY, XDG_CACHE_HOME }: NodeJS.ProcessEnv): string {
  return CACHE_DIRECTORY || XDG_CACHE_HOME || join(homedir(), '.cache');
}

/** Whether this folder, and every folder that leads to it, can be changed by this user and root alone. */
function isOurs(folder: string): boolean {
  const { uid, mode } = lstatSync(folder);
  const isSticky = (mode & 0o1000) !== 0; // as /tmp: others cannot exchange what is ours
  const isShut = (mode & 0o022) === 0 || (isSticky && uid === 0);
  const above = dirname(folder);
  return [process.getuid?.(), 0].includes(uid) && isShut && (above === folder || isOurs(above));
}

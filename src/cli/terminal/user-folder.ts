import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { env } from 'node:process';

/**
 * A folder of this user, by the XDG variable of that name or below the home folder. Never one below the working folder, whose
 * files may be somebody else's: relative paths do not count (as XDG says), and an empty HOME is no home.
 */
export function userFolder(variable: 'XDG_CONFIG_HOME' | 'XDG_CACHE_HOME', usual: string): string {
  const given = env[variable] ?? '';
  if (isAbsolute(given)) return given;
  const home = homedir();
  return join(isAbsolute(home) ? home : userInfo().homedir, usual);
}

import { homedir, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { env } from 'node:process';

/**
 * Where the pair is kept unless `store` says otherwise: the same file that `tessera login` writes, so `by: stored()` finds it.
 * In systemd's StateDirectory=, else in the state folder of the user.
 */
export function defaultTokenFile(of: { server: string; clientId: string; profile?: string | undefined }): string {
  const { host } = new URL(of.server);
  const profile = of.profile === undefined || of.profile === 'default' ? [] : [of.profile];
  const name = [of.clientId, host, ...profile].map((part) => encodeURIComponent(part)).join('@');
  return join(stateFolder(), `${name}.json`);
}

function stateFolder(): string {
  const { STATE_DIRECTORY } = env;
  if (STATE_DIRECTORY) return join(STATE_DIRECTORY.split(':')[0] ?? '', 'tokens');
  return join(userFolder('XDG_STATE_HOME', '.local/state'), 'tessera', 'tokens');
}

/**
 * A folder of this user, by the XDG variable of that name or below the home folder. Never one below the working folder, whose
 * files may be somebody else's: relative paths do not count (as XDG says), and an empty HOME is no home.
 */
export function userFolder(variable: 'XDG_CONFIG_HOME' | 'XDG_STATE_HOME', usual: string): string {
  const given = env[variable] ?? '';
  if (isAbsolute(given)) return given;
  return join(isAbsolute(homedir()) ? homedir() : userInfo().homedir, usual);
}

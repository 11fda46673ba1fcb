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

/** Never below the working folder: relative paths do not count (as XDG says), and an empty HOME is no home. */
function stateFolder(): string {
  const { STATE_DIRECTORY, XDG_STATE_HOME = '' } = env;
  if (STATE_DIRECTORY) return join(STATE_DIRECTORY.split(':')[0] ?? '', 'tokens');
  const home = isAbsolute(homedir()) ? homedir() : userInfo().homedir;
  return join(isAbsolute(XDG_STATE_HOME) ? XDG_STATE_HOME : join(home, '.local', 'state'), 'tessera', 'tokens');
}

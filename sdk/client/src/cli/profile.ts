// A login by name: where tokens come from. The tokens themselves are in the token file.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TokenFailure } from '../failure.ts';
import { userFolder } from '../store/default-file.ts';

export interface Profile {
  readonly server: string;
  readonly clientId: string;
  readonly by: 'device' | 'certificate' | 'assertion';
  readonly scope?: string | undefined;
  readonly ca?: string | undefined;
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  readonly assertionFile?: string | undefined;
  /** After `logout`: only `login` makes the next grant, also where that needs no person. */
  readonly loggedOut?: true | undefined;
}

export function profileName(flag: string | undefined): string {
  const name = flag ?? (process.env['TESSERA_PROFILE'] || 'default');
  if (/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$/.test(name)) return name;
  throw new TokenFailure(
    'usage',
    `${JSON.stringify(name)} is not a profile name`,
    'Use letters, digits, ".", "_", "-".',
  );
}

export function loadProfile(name: string): Profile | undefined {
  const path = pathOf(name);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as Profile;
  } catch {
    throw new TokenFailure('storage', `${path} cannot be read`, 'Remove it and log in again.');
  }
}

export function saveProfile(name: string, profile: Profile): void {
  mkdirSync(folder(), { recursive: true, mode: 0o700 });
  writeFileSync(pathOf(name), `${JSON.stringify(profile, undefined, 2)}\n`, { mode: 0o600 });
}

export function forgetProfile(name: string): void {
  rmSync(pathOf(name), { force: true });
}

export function profileNames(): string[] {
  try {
    const files = readdirSync(folder()).filter((file) => file.endsWith('.json'));
    return files.map((file) => file.slice(0, -'.json'.length)).sort();
  } catch {
    return [];
  }
}

function pathOf(name: string): string {
  return join(folder(), `${name}.json`);
}

function folder(): string {
  return join(userFolder('XDG_CONFIG_HOME', '.config'), 'tessera', 'profiles');
}

import { accessSync, constants, statSync } from 'node:fs';
import type { Config } from '../../config/schema.ts';
import { storeAt } from '../../open-store.ts';
import { MISSING_STORE, onReadOnlyDisk } from '../../store/store-file.ts';
import { bad, type Finding, good, poor } from './finding.ts';

const { R_OK, W_OK, X_OK } = constants;

/** What a file must be like. */
interface Demands {
  /** What this user must be able to do with it: by default, read it. */
  readonly access?: number;
  /** Permissions that no other user may have. */
  readonly forbidden: number;
  /** The problem, if others have them. */
  readonly why: string;
  readonly todo: string;
  /** What to do if the file is missing. */
  readonly missing?: string;
  readonly isFolder?: true;
}

/** Checks that the files exist, that this user can use them, and that other users cannot read them. */
export function examineFiles(config: Config): Finding[] {
  const { dataFolder, keyring } = config;
  const { file } = storeAt(config);
  return [
    ...examineFile('data folder', dataFolder, {
      isFolder: true,
      access: R_OK | W_OK | X_OK,
      forbidden: 0o022,
      why: 'others may write to it',
      todo: `Do: chmod 700 ${dataFolder}`,
      missing: 'For a new installation: tessera init. Otherwise check dataFolder, or name your file with --config.',
    }),
    ...(keyring.from === 'file'
      ? examineFile('keyring file', keyring.path, {
          ...forOwner(keyring.path),
          missing: MISSING_KEYRING,
        })
      : []),
    ...(file === undefined
      ? []
      : examineFile('store file', file, { ...forOwner(file, '*'), access: R_OK | W_OK, missing: MISSING_STORE })),
  ];
}

const MISSING_KEYRING = 'For a new installation: tessera init. Otherwise restore it from its backup.';

/** A file that only its owner may read. */
export function forOwner(path: string, more = ''): Demands {
  return { forbidden: 0o077, why: 'others may read it', todo: `Do: chmod 600 ${path}${more}` };
}

export function examineFile(about: string, path: string, demands: Demands): Finding[] {
  const { forbidden, why, todo, access = R_OK } = demands;
  try {
    const found = statSync(path);
    const mode = found.mode & 0o777;
    const wrong = demands.isFolder ? !found.isDirectory() : found.isDirectory();
    if (wrong) return [bad(about, `${path} is ${demands.isFolder ? 'not ' : ''}a folder`, WRONG_KIND)];
    accessSync(path, access);
    if ((mode & forbidden) === 0) return [good(about, path)];
    return [poor(about, `${path}: ${why} (mode ${mode.toString(8)})`, todo)];
  } catch (error) {
    return [unusable(about, path, error, demands.missing)];
  }
}

const WRONG_KIND = 'Move it away, or check the path in the configuration.';

/** Why a file cannot be opened. A missing file is another matter than one that this user may not read. */
export function unusable(
  about: string,
  path: string,
  error: unknown,
  missing = 'Put it there, or check the path in the configuration.',
): Finding {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return bad(about, `${path} is missing`, missing);
  if (code === 'EACCES')
    return bad(
      about,
      `${path}: this user may not open it`,
      'Run this as the user that runs the service. The files must belong to that user: chown.',
    );
  if (code === 'EROFS') {
    const { message, todo } = onReadOnlyDisk(path);
    return bad(about, message, todo);
  }
  return bad(about, `${path} cannot be read (${code})`, 'Check the path.');
}

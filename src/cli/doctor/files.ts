import { statSync } from 'node:fs';
import type { Config } from '../../config/schema.ts';
import { bad, type Finding, good, poor } from './finding.ts';

/** Checks that the files exist and that other users cannot read them. */
export function examineFiles({ dataFolder, keyring, store }: Config): Finding[] {
  return [
    ...examineFile('data folder', dataFolder, 0o022, 'others may write to it', `Do: chmod 700 ${dataFolder}`),
    ...(keyring.from === 'file'
      ? examineFile('keyring file', keyring.path, 0o077, 'others may read it', `Do: chmod 600 ${keyring.path}`)
      : []),
    ...(store.kind === 'sqlite'
      ? examineFile('store file', store.path, 0o077, 'others may read it', `Do: chmod 600 ${store.path}*`)
      : []),
  ];
}

export function examineFile(about: string, path: string, forbidden: number, why: string, todo: string): Finding[] {
  try {
    const mode = statSync(path).mode & 0o777;
    if ((mode & forbidden) === 0) return [good(about, path)];
    return [poor(about, `${path}: ${why} (mode ${mode.toString(8)})`, todo)];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return [
      bad(
        about,
        `${path} cannot be read (${code})`,
        code === 'ENOENT' ? 'Put it there, or check the path in the configuration.' : 'Check its owner.',
      ),
    ];
  }
}

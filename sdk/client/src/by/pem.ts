import { readFileSync } from 'node:fs';
import { TokenFailure } from '../failure.ts';

/** A PEM text as it is, or the contents of the file of that name. */
export function pemOf(what: string, given: string): string {
  return given.includes('-----BEGIN') ? given : readText(what, given);
}

export function readText(what: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such file' : code === 'EACCES' ? 'this user may not read it' : code;
    throw new TokenFailure('usage', `Cannot read the ${what} ${path}: ${why}`, 'Check the path.', { cause: error });
  }
}

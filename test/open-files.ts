import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** The paths of the files in this folder that this process has open. */
export function openFilesIn(folder: string): string[] {
  const links = readdirSync('/proc/self/fd').flatMap((file) => linkOf(join('/proc/self/fd', file)) ?? []);
  return links.filter((path) => path.startsWith(`${folder}/`));
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // closed since: the one that read the folder
  }
}

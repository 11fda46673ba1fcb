import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';

const PAGE = 4096;

/** As a disk does that loses a page: the file keeps its size. */
export function overwriteLastPage(path: string): void {
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(PAGE, 0xff), 0, PAGE, fstatSync(file).size - PAGE);
  closeSync(file);
}

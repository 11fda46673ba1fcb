import { closeSync, openSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const PAGE = 4096;

/** As a disk does that loses a page: the file keeps its size. The page is one of a table; without the schema, nothing could be read. */
export function overwriteLastPage(path: string): void {
  const database = new DatabaseSync(path, { readOnly: true });
  const { page } = database.prepare('SELECT max(rootpage) AS page FROM sqlite_schema').get() as { page: number };
  database.close();
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(PAGE, 0xff), 0, PAGE, (page - 1) * PAGE);
  closeSync(file);
}

import { DatabaseSync } from 'node:sqlite';

/** As the next release that changes the schema leaves it. */
export function newer(path: string): void {
  const database = new DatabaseSync(path);
  const { user_version: schema } = database.prepare('PRAGMA user_version').get() ?? {};
  database.exec(`PRAGMA user_version = ${Number(schema) + 1}`);
  database.close();
}

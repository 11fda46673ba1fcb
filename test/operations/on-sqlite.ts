// The set-up of tests of operations: a real SQLite file, a clock that moves, a node on it.
import type { TestContext } from 'node:test';
import type { TokenPorts } from '../../src/operations/ports.ts';
import { storeOf } from '../../src/store/change.ts';
import { aNode, type Node, TestClock } from '../node.ts';
import { newSqlite } from '../store/new-sqlite.ts';
import { type SqliteTestDatabase, sqliteDatabase } from '../store/sqlite-database.ts';

export interface OnSqlite {
  readonly node: Node;
  readonly clock: TestClock;
  readonly database: SqliteTestDatabase;
}

export async function onSqlite(t: TestContext, difference: Partial<TokenPorts> = {}): Promise<OnSqlite> {
  const clock = new TestClock();
  const database = await sqliteDatabase(clock.now);
  t.after(() => database.remove());
  newSqlite(database.path);
  const node = await aNode(storeOf(await database.open()), { clock, ...difference });
  return { node, clock, database };
}

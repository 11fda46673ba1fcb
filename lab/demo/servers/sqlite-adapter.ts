import { DatabaseSync } from 'node:sqlite';

/**
 * The documented adapter of oidc-provider, on one table. `graceSeconds`: a spent token counts as unspent for this long, as in
 * products with a grace period. oidc-provider itself has none.
 */
export function sqliteAdapter(file: string, graceSeconds: number) {
  const database = new DatabaseSync(file);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS entries (model, id, grant_id, payload, consumed, PRIMARY KEY (model, id)) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS entries_by_grant ON entries (model, grant_id)`);
  const upsert = database.prepare('INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?, NULL)');
  const find = database.prepare('SELECT payload, consumed FROM entries WHERE model = ? AND id = ?');
  const consume = database.prepare('UPDATE entries SET consumed = coalesce(consumed, ?) WHERE model = ? AND id = ?');
  const destroy = database.prepare('DELETE FROM entries WHERE model = ? AND id = ?');
  const revoke = database.prepare('DELETE FROM entries WHERE model = ? AND grant_id = ?');

  return class SqliteAdapter {
    readonly #model: string;

    constructor(model: string) {
      this.#model = model;
    }

    async upsert(id: string, payload: { grantId?: string }): Promise<void> {
      upsert.run(this.#model, id, payload.grantId ?? null, JSON.stringify(payload));
    }

    async find(id: string): Promise<object | undefined> {
      const row = find.get(this.#model, id) as { payload: string; consumed: number | null } | undefined;
      if (!row) return undefined;
      const isSpent = row.consumed !== null && row.consumed + graceSeconds <= Date.now() / 1000;
      return { ...(JSON.parse(row.payload) as object), ...(isSpent && { consumed: row.consumed }) };
    }

    async consume(id: string): Promise<void> {
      consume.run(Math.floor(Date.now() / 1000), this.#model, id);
    }

    async destroy(id: string): Promise<void> {
      destroy.run(this.#model, id);
    }

    async revokeByGrantId(grantId: string): Promise<void> {
      revoke.run(this.#model, grantId);
    }
  };
}

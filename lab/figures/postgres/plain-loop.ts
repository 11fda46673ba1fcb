import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { type Contestant, rate } from './refreshing.ts';

const CONNECTIONS = 10;
const PREPARE = `CREATE TABLE plain (id bytea PRIMARY KEY, revision integer NOT NULL, hash bytea NOT NULL, at bigint NOT NULL)
  WITH (fillfactor = 70); CREATE TABLE plain_events (sequence bigserial PRIMARY KEY, at bigint, subject bytea);
  INSERT INTO plain SELECT decode(lpad(to_hex(n), 32, '0'), 'hex'), 1, '\\x00', 0 FROM generate_series(0, 9999) n`;
const LOAD = { name: 'load', text: 'SELECT revision, hash FROM plain WHERE id = $1' };
const SWAP = {
  name: 'swap',
  text: `WITH done AS (UPDATE plain SET revision = revision + 1, hash = $2, at = $3 WHERE id = $1 AND revision = $4 RETURNING id)
    INSERT INTO plain_events (at, subject) SELECT $3, id FROM done`,
};

/** The naive version: a read and one statement per refresh, over a pool, without tokens or batching. */
export async function plainLoop(url: string, callers: number): Promise<Contestant> {
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS });
  await pool.query(PREPARE);
  const once = async (caller: number, turn: number) => {
    const id = Buffer.from((caller * 20 + (turn % 20)).toString(16).padStart(32, '0'), 'hex');
    const { rows } = await pool.query({ ...LOAD, values: [id] });
    await pool.query({ ...SWAP, values: [id, randomBytes(32), turn, rows[0].revision] });
  };
  return {
    name: 'PostgreSQL, a statement per refresh',
    run: (milliseconds) => rate(callers, milliseconds, once),
    stop: async () => {
      await pool.end();
      return '';
    },
  };
}

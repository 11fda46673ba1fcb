import pg from 'pg';
import type { Hex } from '../../../src/core/hex.ts';
import type { BareRow, RotateAll } from './bare-rows.ts';

const LOAD = `SELECT g.revision, g.scope, g.refresh_until, encode(g.refresh_hash, 'hex') FROM unnest($1::text[]) WITH ORDINALITY AS wanted (id, at)
  JOIN grants g ON g.id = decode(wanted.id, 'hex') ORDER BY at`;
const UPDATE = `UPDATE grants g SET revision = g.revision + 1, generation = g.generation + 1, refresh_hash = decode(n.hash, 'hex'),
    nonce = decode(n.nonce, 'hex'), issued_at = $5, expires_at = $6
  FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[]) AS n (id, revision, hash, nonce)
  WHERE g.id = decode(n.id, 'hex') AND g.revision = n.revision`;

/** Two statements for all that wait, over one session. */
export async function openBarePostgres(address: string): Promise<RotateAll> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  return async (grantIds, rotate) => {
    const loaded = await client.query<[string, string, string, string]>({
      ...{ name: 'load', text: LOAD, values: [grantIds], rowMode: 'array' },
    });
    const next = loaded.rows.map(([revision, scope, refreshUntil, refreshHash], at) => {
      const row: BareRow = {
        revision: Number(revision),
        scope,
        refreshUntil: Number(refreshUntil),
        refreshHash: refreshHash as Hex,
      };
      return rotate(at, row);
    });
    const [first] = next;
    const values = [
      next.map(({ grantId }) => grantId),
      next.map(({ revision }) => revision),
      next.map(({ refreshHash }) => refreshHash),
      next.map(({ nonce }) => nonce),
      first?.issuedAt,
      first?.expiresAt,
    ];
    const { rowCount } = await client.query({ name: 'update', text: UPDATE, values });
    if (rowCount !== grantIds.length) throw new Error('a row had changed');
  };
}

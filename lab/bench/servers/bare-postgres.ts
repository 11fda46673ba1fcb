import pg from 'pg';
import type { Hex } from '../../../src/core/hex.ts';
import { encodeEvent, eventColumns } from '../../../src/store/tables/events.ts';
import type { BareRow, RotateAll } from './bare-rows.ts';

const LOAD = `SELECT g.revision, g.scope, g.refresh_until, encode(g.refresh_hash, 'hex') FROM unnest($1::text[]) WITH ORDINALITY AS wanted (id, at)
  JOIN grants g ON g.id = decode(wanted.id, 'hex') ORDER BY at`;
const UPDATE = `UPDATE grants g SET revision = g.revision + 1, generation = g.generation + 1, refresh_hash = decode(n.hash, 'hex'),
    nonce = decode(n.nonce, 'hex'), issued_at = $5, expires_at = $6
  FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[]) AS n (id, revision, hash, nonce)
  WHERE g.id = decode(n.id, 'hex') AND g.revision = n.revision`;

const NAMES = eventColumns.map(({ name }) => name);
const APPEND = `WITH appended AS (INSERT INTO events (sequence, ${NAMES})
  SELECT nextval('event_sequence'), at, type, client_id, identity_id, decode(subject_id, 'hex'), presenter, detail
  FROM unnest($7::bigint[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[]) AS e (${NAMES}))`;

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
    const events = next.flatMap(({ event }) => (event ? [encodeEvent(event)] : []));
    const { rowCount } = await client.query(
      events.length === 0
        ? { name: 'update', text: UPDATE, values }
        : {
            name: 'both',
            text: `${APPEND} ${UPDATE}`,
            values: [...values, ...NAMES.map((_, at) => events.map((event) => event[at]))],
          },
    );
    if (rowCount !== grantIds.length) throw new Error('a row had changed');
  };
}

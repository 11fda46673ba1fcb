// What the back end reports about itself: whether a refresh could be served now.
import type { GrantId } from '../../core/grant.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { TABLES } from '../all-tables.ts';
import { failing } from '../back-end.ts';
import type { StoreCheck, StoreCheckName, StoreReport } from '../store.ts';
import { grants } from '../tables/grants.ts';
import { arrayOf } from './arrays.ts';
import type { Commits } from './commits.ts';
import type { Connection } from './connection.ts';
import type { Connections } from './connections.ts';
import { type StatementRefused, unlessLocked } from './faults.ts';
import type { Loads } from './loads.ts';
import { NEWEST, schemaState } from './migrations.ts';

const CHANGED = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];

/** What a node does with each table. Its role must be allowed all of it. */
export const NEEDED: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(TABLES.map(({ name }) => [name, CHANGED])),
  events: ['SELECT', 'INSERT', 'DELETE'],
  event_sequence: ['SELECT', 'USAGE'],
};

/** The missing privileges. A missing table counts as lacking all of them. */
const MISSING = `SELECT needed.name, needed.privilege, place IS NULL
  FROM unnest($1::text[], $2::text[]) AS needed (name, privilege),
    LATERAL (SELECT to_regclass(quote_ident(needed.name))::oid AS place) found
  WHERE place IS NULL OR NOT CASE (SELECT relkind FROM pg_class WHERE oid = place)
    WHEN 'S' THEN has_sequence_privilege(place, needed.privilege) ELSE has_table_privilege(place, needed.privilege) END`;

/** A row for each session of the server, so that nodes do not wait for each other. It is swept after a day. */
const WRITE = `INSERT INTO attempts (about, revision, count, ends_at)
  SELECT 'readiness of session ' || pg_backend_pid(), 1, 0, floor(extract(epoch FROM clock_timestamp()))::bigint + 86400
  ON CONFLICT (about) DO UPDATE SET count = (attempts.count + 1) % 1000000 RETURNING 1`;

/**
 * Takes the table locks that a refresh takes, and updates a grant that nobody is changing. Whether it updated what it found: a
 * trigger can make an update do nothing.
 */
const OPEN_TABLES = `WITH one AS MATERIALIZED (SELECT id FROM grants LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED),
    changed AS (UPDATE grants g SET revision = g.revision FROM one WHERE g.id = one.id RETURNING 1),
    ended AS (DELETE FROM events WHERE sequence = 0)
  SELECT ((SELECT count(*) FROM one) = (SELECT count(*) FROM changed))::integer`;
const SWALLOWED = 'the database accepts an update and does not make it: look for triggers and rules on its tables';

const DISK_FULL = '53100';
const NO_GRANT = '0'.repeat(32) as GrantId;

export interface Examined {
  readonly connections: Connections;
  readonly loads: Loads;
  readonly commits: Commits;
}

export async function examine(examined: Examined): Promise<StoreReport> {
  const { now, check } = await examineRead(examined);
  if (now === undefined) return { now, checks: [check] };
  const others = [examineSchema, examinePrivileges, examineWrite].map((each) => each(examined));
  return { now, checks: [check, ...(await Promise.all(others)), examineSpace(examined)] };
}

/** A real read of a grant with its holder, by the statement that every request uses. */
async function examineRead({ loads }: Examined): Promise<{ now: EpochSeconds | undefined; check: StoreCheck }> {
  const now = await loads.now().catch((fault: unknown) => ({ fault }));
  if (typeof now === 'object')
    return { now: undefined, check: failing('store', 'the database does not answer', now.fault) };
  const check = await settled('store', 'a grant cannot be read', async () => void (await loads.load(grants, NO_GRANT)));
  return { now, check };
}

function examineSchema({ connections }: Examined): Promise<StoreCheck> {
  return settled('schema', 'the schema is not one that this release can use', async () => {
    const { version, isUsable } = await schemaState({ run: (text, values) => connections.read(text, values) });
    if (!isUsable) throw new Error(`the schema is ${version}, this release needs ${NEWEST}`);
  });
}

async function examinePrivileges({ connections }: Examined): Promise<StoreCheck> {
  const needed = Object.entries(NEEDED).flatMap(([name, all]) => all.map((privilege) => [name, privilege] as const));
  return settled('privileges', 'the role of this node lacks a privilege or a table', async () => {
    const names = needed.map(([name]) => name);
    const privileges = needed.map(([, privilege]) => privilege);
    const { rows } = await connections.read(MISSING, [arrayOf('text', names), arrayOf('text', privileges)]);
    const words = rows.map(([name, what, isGone]) => (isGone ? `${name} does not exist` : `no ${what} on ${name}`));
    if (rows.length > 0) throw new Error([...new Set(words)].join(', '));
  });
}

/** A small write, and the result of the last writes of requests: those may need space that this one does not. */
async function examineWrite({ connections, commits }: Examined): Promise<StoreCheck> {
  const fault = commits.recentFault;
  if (fault && !isFull(fault)) return failing('writes', 'the last write of a request failed', fault);
  return settled('writes', 'the database does not accept writes', async () => {
    // A locked row proves that the database accepts writes.
    const written = await connections.run(WRITE).catch(unlessLocked);
    // A table that is locked is no locked row: everybody waits for it.
    const wasUpdated = await connections.write(openTables);
    if (written?.count === 0 || !wasUpdated) throw new Error(SWALLOWED);
  });
}

/** Changes nothing. False if an update of a grant did nothing. */
async function openTables(connection: Connection): Promise<boolean> {
  await connection.execute('BEGIN');
  try {
    return (await connection.run(OPEN_TABLES)).rows[0]?.[0] === 1;
  } finally {
    await connection.rollBack();
  }
}

function examineSpace({ commits }: Examined): StoreCheck {
  const fault = commits.recentFault;
  return fault && isFull(fault) ? failing('space', 'the database has no room to write', fault) : { name: 'space' };
}

function isFull({ code }: StatementRefused): boolean {
  return code === DISK_FULL;
}

async function settled(name: StoreCheckName, reason: string, work: () => Promise<void>): Promise<StoreCheck> {
  try {
    await work();
    return { name };
  } catch (fault) {
    return failing(name, reason, fault);
  }
}

// The layout `citus`: grants are distributed by id, identities copied to each worker, all else is at the coordinator.
import { StoreUnusable } from '../store.ts';
import type { Connection } from './connection.ts';
import { alone, type ReportProgress, take } from './migrations.ts';

const STEPS: readonly (readonly [isDone: string, step: string, report: string])[] = [
  [
    `SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'identities'::regclass AND repmodel = 't'`,
    `SELECT create_reference_table('identities')`,
    'copying identities to each worker',
  ],
  [
    `SELECT count(*) FROM pg_dist_partition WHERE logicalrelid = 'grants'::regclass AND partmethod = 'h'`,
    `SELECT create_distributed_table('grants', 'id')`,
    'distributing grants',
  ],
  ...['grants', 'identities'].map(
    (table) =>
      [
        `SELECT 1 WHERE pg_relation_size('${table}') = 0`,
        `SELECT truncate_local_data_after_distributing_table('${table}')`,
        `removing the former rows of ${table}`,
      ] as const,
  ),
];

const INSTALLED = `SELECT (SELECT count(*) FROM pg_available_extensions WHERE name = 'citus'),
  (SELECT count(*) FROM pg_extension WHERE extname = 'citus')`;
const SERVERS = `SELECT count(*) FILTER (WHERE groupid = 0),
  count(*) FILTER (WHERE groupid <> 0 AND isactive AND noderole = 'primary') FROM pg_dist_node`;

/** Throws if the server is no coordinator with workers. Returns how many it has. */
export async function countWorkers(connection: Connection): Promise<number> {
  const [available = 0, created = 0] = await numbers(connection, INSTALLED);
  if (available === 0)
    throw unusable('Citus is not installed on this server', 'Install Citus on it and on its workers');
  if (created === 0)
    throw unusable('this database lacks the extension citus', 'As an administrator: CREATE EXTENSION citus');
  const [coordinators = 0, workers = 0] = await numbers(connection, SERVERS);
  if (coordinators === 0)
    throw unusable(
      'Citus does not know its coordinator',
      "As an administrator: SELECT citus_set_coordinator_host('HOST')",
    );
  if (workers === 0)
    throw unusable(
      'Citus has no workers',
      "As an administrator: SELECT citus_add_node('HOST', 5432), for each of them",
    );
  return workers;
}

function unusable(what: string, todo: string): StoreUnusable {
  return new StoreUnusable(what, `${todo}: docs/scale.md, Citus.`);
}

/** Distributes the rows that are here. Can be repeated; the role must own the tables. */
export async function distribute(connection: Connection, report: ReportProgress = () => undefined): Promise<void> {
  await alone(connection, report, async () => {
    for (const [isDone, step, what] of STEPS) {
      if ((await numbers(connection, isDone))[0]) continue;
      report(what);
      await take(connection, step, '', report);
    }
  });
}

async function numbers(connection: Connection, text: string): Promise<number[]> {
  return ((await connection.run(text)).rows[0] ?? []).map(Number);
}

export interface SpreadFacts {
  readonly release: string;
  readonly shards: number;
  readonly workers: number;
  /** Workers that do not answer, and why. */
  readonly away: readonly string[];
  /** Settings with which sessions of this role on a worker break a promise. */
  readonly unfit: readonly string[];
}

/** On workers, sessions have the settings of the role: ours are not passed on. */
const UNFIT = `SELECT string_agg(name || ' = ' || setting, ', ') FROM pg_settings WHERE name = 'lock_timeout' AND setting = '0'
  OR name = 'synchronous_commit' AND setting IN ('off', 'local') OR name = 'session_replication_role' AND setting <> 'origin'`;

const WORKERS = `SELECT n.nodename || ':' || n.nodeport, coalesce(r.success, false)::integer, coalesce(r.result, 'is not active')
  FROM pg_dist_node n LEFT JOIN run_command_on_workers($1) r USING (nodename, nodeport)
  WHERE n.groupid <> 0 AND n.noderole = 'primary'`;
const RELEASE = `SELECT extversion, (SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = 'grants'::regclass)
  FROM pg_extension WHERE extname = 'citus'`;

export async function spreadFacts(connection: Connection): Promise<SpreadFacts> {
  const [release, shards] = (await connection.run(RELEASE)).rows[0] as unknown as [string, number];
  const rows = (await connection.run(WORKERS, [UNFIT])).rows as unknown as [
    worker: string,
    isFine: number,
    says: string,
  ][];
  const words = (isFine: boolean) =>
    rows.flatMap(([worker, fine, says]) => (Boolean(fine) === isFine && says !== '' ? [`${worker}: ${says}`] : []));
  return { release, shards, workers: rows.length, away: words(false), unfit: words(true) };
}

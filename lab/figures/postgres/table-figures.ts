import type { PostgresServer } from '../../../test/store/postgres-server.ts';

/** Sizes in MB, and the number of updates without index writes. */
export async function tableFigures(server: PostgresServer, database: string): Promise<Record<string, unknown>> {
  const [row = {}] = await server.query(
    `SELECT round(pg_table_size('grants') / 1e6, 1) AS grants_mb, round(pg_indexes_size('grants') / 1e6, 1) AS indexes_mb,
       (SELECT round(sum(pg_total_relation_size(relid)) / 1e6, 1) FROM pg_partition_tree('events')) AS events_mb, n_tup_upd AS updates, n_tup_hot_upd AS heap_only,
       n_dead_tup AS dead FROM pg_stat_user_tables WHERE relname = 'grants'`,
    database,
  );
  return row;
}

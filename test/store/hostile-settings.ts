// Settings that a role can have by `ALTER ROLE … SET`, chosen by name. Each line says what went or could go wrong under it.
import type { PostgresServer } from './postgres-server.ts';

/** Setting, hostile value, and why it matters. */
export const HOSTILE: readonly (readonly [name: string, value: string, why: string])[] = [
  ['bytea_output', 'escape', 'hashes and keys come in another format'],
  ['client_encoding', 'LATIN1', 'text comes in another encoding, or not at all'],
  ['DateStyle', 'SQL, DMY', 'dates come in another format'],
  ['IntervalStyle', 'sql_standard', 'intervals come in another format'],
  ['TimeZone', 'Pacific/Kiritimati', 'local times are 14 hours off'],
  ['extra_float_digits', '-15', 'the clock loses its digits'],
  ['standard_conforming_strings', 'off', 'a backslash in a literal escapes'],
  ['backslash_quote', 'off', 'the same, with a refusal'],
  ['array_nulls', 'off', 'NULL in an array becomes a text'],
  ['transform_null_equals', 'on', 'a comparison with NULL finds rows'],
  ['quote_all_identifiers', 'on', 'names come with quotes'],
  ['lc_messages', 'C', 'errors in another language: see also postgres-language.test.ts'],
  ['lc_numeric', 'C', 'decimal separators'],
  ['search_path', 'pg_catalog', 'no table is found'],
  ['row_security', 'on', 'a policy hides rows without a word'],
  ['default_transaction_isolation', 'serializable', 'commits fail where rows are contended'],
  ['default_transaction_deferrable', 'on', 'serializable reads wait'],
  ['synchronous_commit', 'off', 'commits are acknowledged before they are durable'],
  ['exit_on_error', 'on', 'a failed statement ends the session'],
  ['statement_timeout', '1000', 'statements end early'],
  ['lock_timeout', '1', 'contended rows fail at once'],
  ['idle_in_transaction_session_timeout', '1000', 'sessions end between two statements'],
  ['idle_session_timeout', '1000', 'idle sessions end'],
  ['transaction_timeout', '1000', 'transactions end early'],
  ['session_replication_role', 'replica', 'foreign keys are not checked'],
  ['client_min_messages', 'debug5', 'notices arrive between the rows'],
  ['enable_seqscan', 'on', 'whole tables are read'],
  ['enable_indexscan', 'off', 'whole tables are read'],
  ['enable_indexonlyscan', 'off', 'another plan'],
  ['enable_bitmapscan', 'off', 'another plan'],
  ['enable_nestloop', 'off', 'rows are locked in another order'],
  ['enable_hashjoin', 'off', 'another plan'],
  ['enable_mergejoin', 'off', 'another plan'],
  ['enable_sort', 'off', 'another order of rows, where none is said'],
  ['enable_hashagg', 'off', 'another plan'],
  ['enable_material', 'off', 'another plan'],
  ['plan_cache_mode', 'force_custom_plan', 'every statement is planned anew'],
  ['max_parallel_workers_per_gather', '4', 'statements are run by several processes'],
  ['force_parallel_mode', 'on', 'the same, always (up to 15)'],
  ['debug_parallel_query', 'on', 'the same, always (from 16 on)'],
  ['parallel_setup_cost', '0', 'the same, more often'],
  ['random_page_cost', '1000000', 'indexes look expensive'],
  ['cpu_index_tuple_cost', '1000000', 'indexes look expensive'],
  ['from_collapse_limit', '1', 'another plan'],
  ['join_collapse_limit', '1', 'another plan'],
  ['geqo_threshold', '2', 'plans are made by chance'],
  ['constraint_exclusion', 'on', 'another plan'],
  ['work_mem', '64', 'sorts go to disk'],
  ['jit', 'on', 'statements are compiled'],
  ['jit_above_cost', '0', 'all of them'],
  ['commit_delay', '1000', 'commits wait for each other'],
  ['restrict_nonsystem_relation_kind', 'view, foreign-table', 'views are refused (from 17 on)'],
  ['default_table_access_method', 'heap', 'new tables are stored otherwise'],
  ['xmloption', 'document', 'nothing: a setting that must not matter'],
];

// `default_transaction_read_only` is not among them: it is how operators make a database read-only, and means 503.

/** Those that this release of PostgreSQL has. */
export async function hostileSettings(server: PostgresServer): Promise<typeof HOSTILE> {
  const known = new Set((await server.query('SELECT name FROM pg_settings')).map(({ name }) => name));
  return HOSTILE.filter(([name]) => known.has(name));
}

let made = 0;

/** A superuser of its own, since some of these settings are for superusers, with these defaults in every database. */
export async function hostileRole(server: PostgresServer, settings: typeof HOSTILE): Promise<string> {
  const role = `hostile_${++made}`;
  await server.query(`CREATE ROLE ${role} LOGIN SUPERUSER`);
  for (const [name, value] of settings) await server.query(`ALTER ROLE ${role} SET ${name} = ${literal(name, value)}`);
  return role;
}

export function literal(name: string, value: string): string {
  return name === 'search_path' ? value : `'${value}'`;
}

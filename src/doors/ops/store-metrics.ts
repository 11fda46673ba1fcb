import type { Registry } from 'prom-client';
import type { StoreFigures } from '../../store/store.ts';
import { histogram, type Shown, show, single } from './show-metric.ts';

/** What `figures` returns is read with each scrape. */
export function showStore(registry: Registry, figures: () => StoreFigures | undefined): void {
  const sessions = () => figures()?.sessions;
  const shown: readonly Shown[] = [
    {
      name: 'tessera_store_commit_duration_seconds',
      help: 'Time of a transaction until it is durable. Changes that wait at the same moment share one.',
      type: 'histogram',
      values: (name) => {
        const commits = figures()?.commits;
        return commits ? histogram(name, {}, commits) : [];
      },
    },
    {
      name: 'tessera_store_read_duration_seconds',
      help: 'Time of a read from PostgreSQL, with the wait for a session. Reads of one table that wait at the same moment share one.',
      type: 'histogram',
      values: (name) => {
        const reads = figures()?.reads;
        return reads ? histogram(name, {}, reads) : [];
      },
    },
    {
      name: 'tessera_store_commits_waiting',
      help: 'Changes that wait for the transaction before them.',
      type: 'gauge',
      values: () => single(figures()?.waiting),
    },
    {
      name: 'tessera_store_wal_bytes',
      help: 'Size of the WAL file of SQLite.',
      type: 'gauge',
      aggregator: 'max',
      values: () => single(figures()?.walBytes),
    },
    {
      name: 'tessera_store_sessions',
      help: 'Sessions to PostgreSQL by state: busy or idle.',
      type: 'gauge',
      values: () => {
        const pool = sessions();
        if (!pool) return [];
        const byState = { busy: pool.open - pool.idle, idle: pool.idle };
        return Object.entries(byState).map(([state, value]) => ({ labels: { state }, value }));
      },
    },
    {
      name: 'tessera_store_sessions_limit',
      help: 'The most sessions to PostgreSQL that may be open.',
      type: 'gauge',
      values: () => single(sessions()?.limit),
    },
    {
      name: 'tessera_store_sessions_waiting',
      help: 'Statements that wait for a free session to PostgreSQL.',
      type: 'gauge',
      values: () => single(sessions()?.waiting),
    },
  ];
  for (const metric of shown) show(registry, metric);
}

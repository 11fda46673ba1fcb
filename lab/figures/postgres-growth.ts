// Table sizes after many refreshes, and what they write to the WAL. Runs without fsync, since sizes do not depend on it.
import { openAt } from '../../test/store/postgres-node.ts';
import { PostgresServer } from '../../test/store/postgres-server.ts';
import type { Row } from './data.ts';
import { table } from './measure.ts';
import { fillPostgres } from './postgres/fill.ts';
import { refreshing } from './postgres/refreshing.ts';
import { tableFigures } from './postgres/table-figures.ts';

export interface GrowthFigures {
  readonly grants: number;
  readonly callers: number;
  readonly refreshes: number;
  /** Refreshes between two measurements. */
  readonly seconds: number;
}

export async function growthFigures({ grants, callers, refreshes, seconds }: GrowthFigures): Promise<void> {
  const server = await PostgresServer.start({ settings: ['shared_buffers = 256MB', 'max_wal_size = 4GB'] });
  await server.query('CREATE DATABASE tessera');
  const backEnd = await openAt(server.url('tessera'));
  const contestant = await refreshing('PostgreSQL', backEnd, callers);
  await fillPostgres(server, 'tessera', grants);
  console.log('before', await tableFigures(server, 'tessera'));
  for (let done = 0; done < refreshes; ) {
    const before = await walFigures(server);
    const some = Math.round((await contestant.run(seconds * 1000)) * seconds);
    done += some;
    const sizes = await tableFigures(server, 'tessera');
    const bytes = ((Number(sizes['grants_mb']) + Number(sizes['indexes_mb'])) * 1e6) / grants;
    table([{ refreshes: done, ...perRefresh(before, await walFigures(server), some), 'bytes per grant': bytes }]);
    console.log(`after about ${done}`, sizes);
  }
  await backEnd.close();
  await server.remove();
}

type WalFigures = Readonly<Record<'bytes' | 'records' | 'pages', number>>;

/** Written since the start. `pages` are those copied whole, once after each checkpoint. */
async function walFigures(server: PostgresServer): Promise<WalFigures> {
  const [row = {}] = await server.query(
    'SELECT wal_bytes::float8 AS bytes, wal_records::float8 AS records, wal_fpi::float8 AS pages FROM pg_stat_wal',
  );
  return row as WalFigures;
}

function perRefresh(before: WalFigures, after: WalFigures, refreshes: number): Row {
  const each = (what: keyof WalFigures) => (after[what] - before[what]) / refreshes;
  return { 'WAL bytes': each('bytes'), 'WAL records': each('records'), 'full pages': each('pages') };
}

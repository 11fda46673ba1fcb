// Table sizes after many refreshes. Runs without fsync, since sizes do not depend on it.
import { openAt } from '../../test/store/postgres-node.ts';
import { PostgresServer } from '../../test/store/postgres-server.ts';
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
    done += Math.round((await contestant.run(seconds * 1000)) * seconds);
    console.log(`after about ${done}`, await tableFigures(server, 'tessera'));
  }
  await backEnd.close();
  await server.remove();
}

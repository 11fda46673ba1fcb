// node lab/postgres-growth.ts [--refreshes N] [--grants N]: what many refreshes do to the size of the tables. The disk is
// not waited for: sizes do not depend on it.
import { parseArgs } from 'node:util';
import { openAt } from '../test/store/postgres-node.ts';
import { PostgresServer } from '../test/store/postgres-server.ts';
import { fillPostgres } from './postgres/fill.ts';
import { refreshing } from './postgres/refreshing.ts';
import { tableFigures } from './postgres/table-figures.ts';

const SLICE_MS = 20_000;
const { values } = parseArgs({
  options: { refreshes: { type: 'string', default: '1000000' }, grants: { type: 'string', default: '10000' } },
});

const server = await PostgresServer.start({ settings: ['shared_buffers = 256MB', 'max_wal_size = 4GB'] });
await server.query('CREATE DATABASE tessera');
const backEnd = await openAt(server.url('tessera'));
const callers = await refreshing('PostgreSQL', backEnd, 64);
await fillPostgres(server, 'tessera', Number(values.grants));
console.log('before', await tableFigures(server, 'tessera'));
for (let done = 0; done < Number(values.refreshes); ) {
  done += Math.round((await callers.run(SLICE_MS)) * (SLICE_MS / 1000));
  console.log(`after about ${done}`, await tableFigures(server, 'tessera'));
}
await backEnd.close();
await server.remove();

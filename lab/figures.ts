// npm run figures [-- NAME …] [--help]: what the store and certificates cost on this machine. Compare ratios, not absolute numbers.
import { parseArgs } from 'node:util';
import { certificateFigures } from './figures/certificates.ts';
import { connectionFigures } from './figures/connections.ts';
import { consoleFigures } from './figures/console.ts';
import { circumstances, type Rows, writeFigures } from './figures/data.ts';
import { directoryWalkFigures } from './figures/directory-walk.ts';
import { eventByteFigures } from './figures/event-bytes.ts';
import { removalFigures } from './figures/event-removal.ts';
import { eventFigures } from './figures/events.ts';
import { takeRows } from './figures/measure.ts';
import { writePages } from './figures/pages.ts';
import { postgresFigures } from './figures/postgres.ts';
import { growthFigures } from './figures/postgres-growth.ts';
import { proofFigures } from './figures/proofs.ts';
import { refreshFigures } from './figures/refreshes.ts';
import { requestFigures } from './figures/requests.ts';
import { sizeFigures } from './figures/size.ts';
import { tracingFigures } from './figures/tracing.ts';
import { verdictFigures } from './figures/verdicts.ts';
import { verifyFigures } from './figures/verify.ts';
import { walFigures } from './figures/wal.ts';
import { writerFigures } from './figures/writer.ts';

const USAGE = `npm run figures -- [NAME …] [OPTION …]: all of the first kind, or those named

  refresh          refreshes a second on SQLite, beside a bare loop of single commits
  events           what the event of a refresh costs
  event-bytes      bytes on disk per event of a refresh, on SQLite and PostgreSQL
  size             bytes on disk per grant, new and after refreshes
  writer           the writing half alone, under the settings that could be chosen
  wal              how large the log of SQLite becomes while somebody reads
  certificates     calls with certificates, beside a bare TLS server
  requests         what counting and logging a request cost, beside the simplest alternatives
  verdicts         processor time of one verdict on certificates made to be expensive

Each writes its data to the folder figures, from which the pages are made: figures/size.json, … With --quick, to out/figures.
  pages            makes the pages again

Only where they are named, and of no use while the machine does something else:
  postgres         refreshes a second on PostgreSQL and on SQLite, beside a plain loop and an echo
                   --grants 10000 --callers 64 --rounds 5 --seconds 3
  event-removal    how long PostgreSQL takes to remove a day of events, and refreshes a second meanwhile
                   --events 10000000 --callers 64 --seconds 4
  tracing          refreshes a second with tracing off, with 5 percent and with all requests recorded, in turns
                   --rounds 5 --seconds 0.8
  console          how long the pages of the console take, and refreshes a second while ten are open
                   --store sqlite --grants 100000 --events 1000000 --rounds 2 --seconds 10; in full: 1000000 and 10000000
  connections      memory of an idle TLS connection in the service; takes two minutes
                   --connections 4000
  verify           requests a second of an API with @tessera/verify, beside the same API without it, on each framework
                   --rounds 5 --seconds 0.5
  proofs           honest DPoP proofs at a steady rate half of them of one key: refusals, and memory; takes ten minutes
                   --per-second 500 --seconds 600
  postgres-growth  what many refreshes do to the size of PostgreSQL's tables, and the WAL they write
                   --refreshes 1000000 --grants 10000 --callers 64 --seconds 20
  directory-walk   one recheck walk of a large LDAP directory, and refreshes a second meanwhile; needs slapd; takes five minutes
                   --entries 100000 --living 10000 --seconds 300`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean' },
    quick: { type: 'boolean', default: false },
    grants: { type: 'string' },
    callers: { type: 'string', default: '64' },
    rounds: { type: 'string' },
    events: { type: 'string' },
    store: { type: 'string', default: 'sqlite' },
    refreshes: { type: 'string', default: '1000000' },
    seconds: { type: 'string' },
    connections: { type: 'string', default: '4000' },
    entries: { type: 'string', default: '100000' },
    living: { type: 'string', default: '10000' },
    'per-second': { type: 'string', default: '500' },
  },
});
const [grants, rounds] = [Number(values.grants ?? 10_000), Number(values.rounds ?? 5)];
const [callers, refreshes] = [Number(values.callers), Number(values.refreshes)];

const ALWAYS = {
  refresh: refreshFigures,
  events: eventFigures,
  'event-bytes': eventByteFigures,
  size: sizeFigures,
  writer: writerFigures,
  wal: walFigures,
  certificates: certificateFigures,
  requests: requestFigures,
  verdicts: verdictFigures,
};
const FIGURES: Readonly<Record<string, () => Promise<void>>> = {
  ...ALWAYS,
  postgres: () => postgresFigures({ grants, callers, rounds, seconds: Number(values.seconds ?? 3) }),
  'event-removal': () =>
    removalFigures({ events: Number(values.events ?? 10_000_000), callers, seconds: Number(values.seconds ?? 4) }),
  tracing: () => tracingFigures({ rounds, seconds: Number(values.seconds ?? 0.8) }),
  console: () => {
    const size = { grants: Number(values.grants ?? 100_000), events: Number(values.events ?? 1_000_000) };
    const slices = { rounds: Number(values.rounds ?? 2), seconds: Number(values.seconds ?? 10) };
    return consoleFigures({ isPostgres: values.store === 'postgres', ...size, ...slices });
  },
  connections: () => connectionFigures(Number(values.connections)),
  verify: () => verifyFigures({ rounds, seconds: Number(values.seconds ?? 0.5) }),
  'directory-walk': () =>
    directoryWalkFigures({
      entries: Number(values.entries),
      living: Number(values.living),
      seconds: Number(values.seconds ?? 300),
    }),
  proofs: () => proofFigures({ perSecond: Number(values['per-second']), seconds: Number(values.seconds ?? 600) }),
  'postgres-growth': () => growthFigures({ grants, callers, refreshes, seconds: Number(values.seconds ?? 20) }),
};

if (positionals[0] === 'pages') {
  writePages();
  process.exit(0);
}
const unknown = positionals.filter((name) => !Object.hasOwn(FIGURES, name));
if (values.help || unknown.length > 0) {
  console.log(USAGE);
  process.exit(unknown.length > 0 ? 1 : 0);
}
for (const name of positionals.length > 0 ? positionals : Object.keys(ALWAYS)) {
  console.log(`\n## ${name}`);
  const about = circumstances(`npm run figures -- ${name === positionals[0] ? process.argv.slice(2).join(' ') : name}`);
  await FIGURES[name]?.();
  const file = name === 'console' && values.store === 'postgres' ? 'console-postgres' : name;
  writeFigures(file, { ...about, rows: takeRows() } as Rows, values.quick);
}

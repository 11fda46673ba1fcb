// The console on a full store: how long each page takes, as a multiple of the account page; and how many refreshes a second there are while
// ten consoles are open, beside none, in turns on the same server.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Config } from '../../src/config/schema.ts';
import { OPERATORS } from '../../src/core/rules/operator.ts';
import { after, seconds as length } from '../../src/core/time.ts';
import { openStore } from '../../src/open-store.ts';
import { addIdentity } from '../../src/operations/admin/identities.ts';
import { grants as grantRows } from '../../src/store/tables/grants.ts';
import { sessions } from '../../src/store/tables/sessions.ts';
import { systemRandom } from '../../src/system.ts';
import { sha256 } from '../../src/tokens/sha256.ts';
import { put } from '../../test/node.ts';
import { OPERATOR } from '../../test/samples.ts';
import { writeCertificates } from '../bench/certificates.ts';
import { tessera } from '../bench/contestants/tessera.ts';
import { CLIENT_ID } from '../bench/fill.ts';
import { Generator } from '../bench/generator/generator.ts';
import { CORES } from '../bench/pinned.ts';
import { median } from '../quantiles.ts';
import { figuresFolder, table } from './measure.ts';

export interface ConsoleFigures {
  readonly isPostgres: boolean;
  readonly grants: number;
  readonly events: number;
  readonly rounds: number;
  /** Of one slice. */
  readonly seconds: number;
}

const CONNECTIONS = 64;
const CONSOLES = 10;
/** As console.js fetches an open page. */
const LIVE_MS = 10_000;
const DOORS = 'listeners.0.doors=["authsvc","oauth","pages","console","ops"]';

const PAGES = {
  account: '/account',
  overview: '/console',
  'overview, 30 days': '/console?span=month',
  grants: '/console/grants',
  'grants of an integration': `/console/grants?integration=${CLIENT_ID}`,
  'grants by address': '/console/grants?address=192.0.2.1',
  integrations: '/console/integrations',
  integration: `/console/integrations/${CLIENT_ID}`,
  'what disabling it touches': `/console/integrations/${CLIENT_ID}/disable`,
  identities: '/console/identities',
  events: '/console/events',
  'events by type': '/console/events?type=reused',
  'events of an issuer': '/console/events?about=LAB',
  'events between two days': '/console/events?from=2026-01-02&to=2026-01-03',
};

export async function consoleFigures({ isPostgres, ...wanted }: ConsoleFigures): Promise<void> {
  const folder = figuresFolder();
  const tls = writeCertificates(folder);
  const own = join(folder, 'store');
  mkdirSync(own);
  const filling = { known: 4 * CONNECTIONS, others: 1000 };
  let cookie = '';
  const prepare = async (config: Config) => {
    cookie = await signIn(config);
    await (isPostgres ? fillPostgres : fillSqlite)(config, wanted);
  };
  const options = { folder: own, certificates: folder, tls, filling, sets: [DOORS], postgres: isPostgres, prepare };
  const running = await tessera(options).start();
  const generator = new Generator(CORES.generator);
  try {
    const refreshing = running.load('refresh', CONNECTIONS);
    if (!refreshing) throw new Error('there is nothing to refresh');
    const get = async (path: string) => {
      const url = `http://127.0.0.1:${refreshing.port}${path}`;
      const answer = await fetch(url, { headers: { cookie, 'tessera-live': 'yes' }, redirect: 'manual' });
      const text = await answer.text();
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${text.slice(0, 200)}`);
    };
    console.log(`${isPostgres ? 'PostgreSQL' : 'SQLite'}, ${wanted.grants} grants, ${wanted.events} events`);
    await pageTimes(get);
    await generator.prepare('refresh', refreshing);
    await refreshesBeside(get, generator, wanted);
  } finally {
    generator.stop();
    await running.stop();
  }
  rmSync(folder, { recursive: true });
}

/** A session of an operator, as a passkey begins it. */
async function signIn(config: Config): Promise<string> {
  const store = await openStore(config, 'service');
  const added = await addIdentity(
    { userName: 'olga', groups: [OPERATORS] },
    { store, by: OPERATOR, random: systemRandom },
  );
  if (!added.ok) throw new Error(added.refusal.reason);
  const [secret, now] = [systemRandom(32), await store.now()];
  const times = {
    createdAt: now,
    seenAt: now,
    endsAt: after(now, length(7200)),
    proof: { by: 'passkey', at: now },
  } as const;
  await put(store, sessions, { id: sha256(secret), identityId: added.value.id, ...times });
  await store.close();
  return `tessera=${secret.toString('base64url')}`;
}

const COPIED = grantRows.columns.slice(1).map(({ name }) => name);
type Size = Pick<ConsoleFigures, 'grants' | 'events'>;
const EVENT_COLUMNS = 'sequence, at, type, client_id, subject_id, presenter, detail';
const EVENT_VALUES = `'refreshed', '${CLIENT_ID}', id, '192.0.2.7 curl/8.5.0', '{"requestId":"0123456789abcdef"}'`;
const SINCE = Date.UTC(2026, 0) / 1000;

async function fillSqlite({ store }: Config, { grants, events }: Size): Promise<void> {
  const database = new DatabaseSync(store.kind === 'sqlite' ? store.path : '', { timeout: 60_000 });
  const many = (count: number) => `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${count})`;
  database.exec(`${many(grants)} INSERT INTO grants (id, revision, ${COPIED}) SELECT randomblob(16), 1, ${COPIED}
    FROM n, (SELECT * FROM grants LIMIT 1) one`);
  database.exec(`${many(events)} INSERT INTO events (${EVENT_COLUMNS})
    SELECT last + n, ${SINCE} + n * 86400 * 30 / ${events}, ${EVENT_VALUES.replace('id', 'randomblob(16)')}
    FROM n, (SELECT coalesce(max(sequence), 0) AS last FROM events)`);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

async function fillPostgres({ store }: Config, { grants, events }: Size): Promise<void> {
  const client = new pg.Client({ connectionString: store.kind === 'postgres' ? store.url.reveal() : '' });
  await client.connect();
  await client.query(`INSERT INTO grants (id, revision, ${COPIED}) SELECT decode(md5(n::text), 'hex'), 1, ${COPIED}
    FROM (SELECT * FROM grants LIMIT 1) one, generate_series(1, ${grants}) n`);
  await client.query(`SELECT setval('event_sequence', nextval('event_sequence') + ${events})`);
  await client.query('SELECT tessera_extend_events(0)');
  await client.query(`INSERT INTO events (${EVENT_COLUMNS})
    SELECT last_value - n, ${SINCE} + (${events} - n) * (86400 * 30)::bigint / ${events}, ${EVENT_VALUES.replace('id', "decode(md5(n::text), 'hex')")}
    FROM event_sequence, generate_series(1, ${events}) n`);
  await client.query('VACUUM ANALYZE');
  await client.end();
}

const TIMES = 9;

async function pageTimes(get: (path: string) => Promise<void>): Promise<void> {
  const took = new Map<string, number[]>();
  for (let time = 0; time <= TIMES; time++)
    for (const [name, path] of Object.entries(PAGES)) {
      const began = performance.now();
      await get(path);
      if (time > 0) took.set(name, [...(took.get(name) ?? []), performance.now() - began]);
    }
  const account = median(took.get('account') ?? []);
  const row = ([page, times]: [string, number[]]) => ({
    page,
    ms: Number(median(times).toFixed(1)),
    'of account': Number((median(times) / account).toFixed(1)),
  });
  table([...took].map(row));
}

/** Open, closed, closed, open: both have the same share of whatever else changes. */
async function refreshesBeside(
  get: (path: string) => Promise<void>,
  generator: Generator,
  { rounds, seconds }: ConsoleFigures | Omit<ConsoleFigures, 'isPostgres'>,
): Promise<void> {
  const rates: Record<'open' | 'closed', number[]> = { open: [], closed: [] };
  let shown = 0;
  const consoles = { isOpen: false, isLeft: false };
  const looking = Array.from({ length: CONSOLES }, async (_, index) => {
    await sleep((LIVE_MS / CONSOLES) * index);
    while (!consoles.isLeft) {
      const next = sleep(LIVE_MS);
      if (consoles.isOpen) {
        await get(index % 2 === 0 ? '/console' : '/console/events');
        shown++;
      }
      await next;
    }
  });
  await generator.run('refresh', 0, 3);
  for (let round = 0; round < rounds; round++)
    for (const state of ['closed', 'open', 'open', 'closed'] as const) {
      consoles.isOpen = state === 'open';
      const { requests, seconds: took } = await generator.run('refresh', seconds, 0.2);
      rates[state].push(requests / took);
    }
  consoles.isLeft = true;
  const ratios = rates.open.map((rate, at) => rate / (rates.closed[at] ?? rate));
  table([
    {
      'refreshes/s, no console': Math.round(median(rates.closed)),
      [`with ${CONSOLES}`]: Math.round(median(rates.open)),
      ratio: Number(median(ratios).toFixed(3)),
      lowest: Number(Math.min(...ratios).toFixed(3)),
      'pages shown': shown,
    },
  ]);
  await Promise.all(looking);
}

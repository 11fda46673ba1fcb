// How long the removal of a full, old partition of the event log takes, and how many refreshes a second go on meanwhile.
import { setTimeout as pause } from 'node:timers/promises';
import { epochSeconds } from '../../src/core/time.ts';
import type { TokenPair } from '../../src/operations/grant/token-pair.ts';
import { storeOf } from '../../src/store/change.ts';
import { accepted, aNode, issue, type Node, refresh } from '../../test/node.ts';
import { openAt } from '../../test/store/postgres-node.ts';
import { PostgresServer } from '../../test/store/postgres-server.ts';
import { quantile } from '../quantiles.ts';
import { table } from './measure.ts';

const GRANTS = 2000;
/** The windows before and after the one with the removal. */
const WINDOWS = 3;
const SINCE = 1_700_000_000;
const DAY = 86_400;

export async function removalFigures(options: { events: number; callers: number; seconds: number }): Promise<void> {
  const { events, callers, seconds } = options;
  const server = await PostgresServer.start({ durable: true, settings: ['max_wal_size = 4GB'] });
  const backEnd = await openAt(server.url());
  await aDay(server, events);
  const node = await aNode(storeOf(backEnd));
  const load = new Load(node, await Promise.all(Array.from({ length: GRANTS }, () => issue(node))), callers);
  await load.rate(seconds);
  const rates = [];
  for (let n = 0; n < WINDOWS; n++) rates.push(await load.rate(seconds));
  const [during, tookMs] = await Promise.all([load.rate(seconds), remove()]);
  for (let n = 0; n < WINDOWS; n++) rates.push(await load.rate(seconds));
  await load.stop();
  const usual = quantile(rates, 0.5);
  const [left] = await server.query(`SELECT count(*) AS old FROM events WHERE at < ${SINCE + 2 * DAY}`);
  table([
    {
      events,
      'events left': Number(left?.['old']),
      'removed in ms': Math.round(tookMs),
      'refreshes/s': Math.round(usual),
      'during removal': Math.round(during),
      ratio: Number((during / usual).toFixed(3)),
      'lowest other window': Number((Math.min(...rates) / usual).toFixed(3)),
    },
  ]);
  await backEnd.close();
  await server.remove();

  /** As the sweep does, in the middle of the window. */
  async function remove(): Promise<number> {
    await pause(seconds * 300);
    const began = performance.now();
    while ((await backEnd.sweepEvents(epochSeconds(SINCE + 2 * DAY), 500)) > 0);
    return performance.now() - began;
  }
}

/** Fills the first partition with the events of one past day. */
async function aDay(server: PostgresServer, events: number): Promise<void> {
  await server.query(`INSERT INTO events (sequence, at, type, client_id, subject_id, presenter, detail)
    SELECT n, ${SINCE} + n * ${DAY}::bigint / ${events}, 'refreshed', 'orders-sync', decode(md5(n::text), 'hex'), '192.0.2.7 curl/8.5.0',
      '{"requestId":"0123456789abcdef"}' FROM generate_series(1, ${events}) n`);
  await server.query(
    `SELECT setval('event_sequence', greatest(${events}, (SELECT min(upper) FROM tessera_event_partitions())))`,
  );
  await server.query('SELECT tessera_extend_events(0)');
  await server.query('VACUUM ANALYZE events'); // long ago, if they are old: removal does not interrupt it
  await server.query('CHECKPOINT');
}

class Load {
  readonly #ended: Promise<unknown>;
  #running = true;
  #done = 0;

  constructor(node: Node, pairs: TokenPair[], callers: number) {
    this.#ended = Promise.all(Array.from({ length: callers }, (_, n) => this.#refresh(node, pairs, n, callers)));
  }

  async rate(seconds: number): Promise<number> {
    const [before, began] = [this.#done, performance.now()];
    await pause(seconds * 1000);
    return ((this.#done - before) / (performance.now() - began)) * 1000;
  }

  async stop(): Promise<void> {
    this.#running = false;
    await this.#ended;
  }

  /** Each caller has its own grants. */
  async #refresh(node: Node, pairs: TokenPair[], first: number, step: number): Promise<void> {
    let n = first;
    while (this.#running) {
      pairs[n] = accepted(await refresh(node, pairs[n] as TokenPair));
      this.#done += 1;
      n = n + step < pairs.length ? n + step : first;
    }
  }
}

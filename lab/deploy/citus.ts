// The layout citus of docs/scale.md: a coordinator and two workers.
import { spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { examineServer } from '../../src/cli/doctor/store.ts';
import type { Config } from '../../src/config/schema.ts';
import type { TokenPair } from '../../src/operations/grant/token-pair.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { Secret } from '../../src/tokens/secret.ts';
import { accepted, check, issue, type Node, refresh, revoke, textOf } from '../../test/node.ts';
import { Seeded } from '../../test/seeded.ts';
import { openAt } from '../../test/store/postgres-node.ts';
import { failover, failoverField } from '../chaos/failover.ts';
import { raceOn, withThreeNodes } from '../chaos/postgres-race.ts';
import { fillPostgres } from '../figures/postgres/fill.ts';
import { refreshing } from '../figures/postgres/refreshing.ts';
import { byTurns, rateWords } from '../figures/postgres.ts';
import { CitusCluster, citusMissing } from './citus-cluster.ts';

const ROUNDS = 20;
const CALLERS = 64;
const RACES = 200;
const KILLS = 6;
const DEAD_MS = 1_500;
const CUT_MS = 20_000;
const CUT_EVERY_MS = 80;

/** Each returns what it found broken. */
const PARTS: readonly (readonly [what: string, run: () => Promise<readonly string[]>])[] = [
  ['the store suite', storeSuite],
  ['a store with data gets the layout', newLayout],
  [`${ROUNDS} × ${CALLERS} callers refresh one grant; ${RACES} refreshes race a revocation`, races],
  ['connections to workers are cut while grants are revoked', cutConnections],
  [`${KILLS} killed workers under load`, killedWorkers],
];

export async function onCitus(flags: readonly string[]): Promise<void> {
  const missing = citusMissing();
  if (missing !== undefined) return console.log(`SKIPPED: ${PARTS.length} parts: ${missing}`);
  if (flags.includes('--rates')) return rates();
  let broken = 0;
  for (const [what, run] of PARTS) {
    const found = await run();
    broken += found.length;
    console.log(`${found.length === 0 ? 'ok    ' : 'BROKEN'}  ${what}`);
    for (const each of found.slice(0, 10)) console.log(`        ${each}`);
  }
  process.exitCode = broken === 0 ? 0 : 1;
}

async function storeSuite(): Promise<string[]> {
  const args = ['--test', '--test-reporter=spec', 'lab/deploy/citus-suite.ts'];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 2 ** 26 });
  console.log(
    stdout
      .split('\n')
      .filter((line) => /^ℹ (?:pass|fail|cancelled)/.test(line))
      .join(', '),
  );
  return status === 0 ? [] : stdout.split('\n').filter((line) => /^\s*✖/.test(line));
}

async function withCluster<T>(work: (cluster: CitusCluster) => Promise<T>): Promise<T> {
  const cluster = await CitusCluster.start();
  try {
    await cluster.database('tessera');
    return await work(cluster);
  } finally {
    await cluster.remove();
  }
}

function newLayout(): Promise<string[]> {
  return withCluster(async (cluster) => {
    const broken: string[] = [];
    await cluster.migrate('tessera');
    await withThreeNodes(cluster.url('tessera'), async (nodes) => {
      const [node] = nodes as [Node];
      const pairs = await Promise.all(Array.from({ length: 500 }, () => issue(node)));
      const ended = await Promise.all(pairs.slice(0, 100).map((pair) => revoke(node, pair)));
      const outcomes = [await cluster.migrate('tessera', 'citus'), await cluster.migrate('tessera', 'citus')];
      if (outcomes.some(({ workers }) => workers !== 2)) broken.push(JSON.stringify(outcomes));
      const found = await Promise.all(pairs.map((pair) => check(node, pair)));
      const wrong = found.filter(({ ok }, n) => ok !== n >= ended.length).length;
      if (wrong > 0) broken.push(`${wrong} grants are not as they were`);
      for (const pair of pairs.slice(ended.length)) accepted(await check(node, accepted(await refresh(node, pair))));
      await node.store.sweepEvents((await node.store.now()) as never, 10);
    });
    const [left] = await cluster.coordinator.query("SELECT pg_relation_size('grants') AS bytes", 'tessera');
    if (Number(left?.['bytes']) > 0) broken.push('the former rows are still there');
    const [, layout] = await examined(cluster);
    if (!/^good Citus [\d.-]+, grants in 32 shards on 2 workers$/.test(layout ?? '')) broken.push(`doctor: ${layout}`);
    return broken;
  });
}

/** What doctor says of the server and of its layout. */
async function examined(cluster: CitusCluster): Promise<string[]> {
  const config = { store: { kind: 'postgres', url: new Secret(cluster.url('tessera')) } } as unknown as Config;
  return (await examineServer(config)).map(({ verdict, says }) => `${verdict} ${says}`);
}

function races(): Promise<string[]> {
  return withCluster(async (cluster) => {
    await cluster.migrate('tessera', 'citus');
    return withThreeNodes(cluster.url('tessera'), async (nodes) => {
      const broken: string[] = [];
      for (let round = 0; round < ROUNDS; round++) broken.push(...(await raceOnce(nodes)));
      const worked = await raceOn(nodes, RACES);
      return worked > 0 ? [...broken, `${worked} tokens worked after a revocation`] : broken;
    });
  });
}

/** All callers present the same token: all get the same pair. */
async function raceOnce(nodes: readonly Node[]): Promise<string[]> {
  const pair = await issue(nodes[0] as Node);
  const called = Array.from({ length: CALLERS }, async (_, n) => {
    try {
      return textOf(accepted(await refresh(nodes[n % nodes.length] as Node, pair)));
    } catch (fault) {
      return fault instanceof StoreUnavailable ? `503: ${fault.message}` : String(fault);
    }
  });
  const answers = new Set(await Promise.all(called));
  return answers.size === 1 ? [] : [...answers].map((each) => `not the one pair: ${each.slice(0, 200)}`);
}

/**
 * A commit that a worker has prepared takes effect there when Citus recovers it, which is slow here. Until then the row looks
 * unchanged, so it must not be acknowledged.
 */
function cutConnections(): Promise<string[]> {
  return withCluster(async (cluster) => {
    await cluster.migrate('tessera', 'citus');
    await cluster.coordinator.query('ALTER SYSTEM SET citus.recover_2pc_interval = 60000');
    await cluster.coordinator.query('SELECT pg_reload_conf()');
    return withThreeNodes(cluster.url('tessera'), async (nodes) => {
      const pairs = await Promise.all(Array.from({ length: 1200 }, () => issue(nodes[0] as Node)));
      const until = performance.now() + CUT_MS;
      const cutting = cluster.workers.map(async (worker) => {
        for (; performance.now() < until; await pause(CUT_EVERY_MS)) await worker.query(CUT).catch(() => undefined);
      });
      const callers = Array.from({ length: 12 }, (_, n) =>
        revokeUntil(
          until,
          nodes,
          pairs.filter((_, at) => at % 12 === n),
        ),
      );
      const [acknowledged, worked] = (await Promise.all(callers)).reduce(([a, b], [c, d]) => [a + c, b + d], [0, 0]);
      await Promise.all(cutting);
      console.log(`${acknowledged} acknowledged revocations`);
      if (acknowledged < 10) return ['too few revocations'];
      return worked > 0 ? [`${worked} revoked tokens were accepted`] : [];
    });
  });
}

const CUT = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name LIKE 'citus_internal%' AND state <> 'idle' OR query LIKE 'PREPARE TRANSACTION%'`;

async function revokeUntil(until: number, nodes: readonly Node[], pairs: readonly TokenPair[]) {
  let [acknowledged, worked] = [0, 0];
  for (const pair of pairs) {
    if (performance.now() > until) break;
    const isRevoked = await revoke(nodes[0] as Node, pair).then(({ ok }) => ok, unlessUnavailable);
    if (!isRevoked) continue;
    acknowledged++;
    for (const node of nodes)
      worked += Number((await check(node, pair).then(({ ok }) => ok, unlessUnavailable)) ?? false);
  }
  return [acknowledged, worked] as const;
}

function unlessUnavailable(fault: unknown): undefined {
  if (!(fault instanceof StoreUnavailable)) throw fault;
}

function killedWorkers(): Promise<string[]> {
  return withCluster(async (cluster) => {
    await cluster.migrate('tessera', 'citus');
    const [broken, seen]: [string[], string[]] = [[], []];
    let killed = 0;
    const worker = () => cluster.workers[killed % 2] as (typeof cluster.workers)[0];
    const field = await failoverField({
      url: cluster.url('tessera'),
      severReplication: async () => undefined,
      killPrimary: () => worker().kill(),
      takeOver: async () => {
        await pause(DEAD_MS);
        const [, layout] = await examined(cluster);
        if (!layout?.startsWith('bad ')) broken.push(`doctor: ${layout}`);
        await worker().launch();
        killed++;
      },
      repair: async () => undefined,
      remove: async () => undefined,
    });
    for (let n = 0; n < KILLS; n++) {
      const { promised, statuses, unavailable, recoveredAfterMs, broken: found } = await failover(field, new Seeded(n));
      broken.push(...found);
      const http = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
      seen.push(
        `${promised} promises, ${unavailable} × unavailable, HTTP ${http}, back after ${recoveredAfterMs.toFixed(0)} ms`,
      );
    }
    console.log(seen.join('\n'));
    await field.remove();
    return broken;
  });
}

/** Refreshes a second, beside the same server without the layout, in turns. */
function rates(): Promise<void> {
  return withCluster(async (cluster) => {
    await cluster.database('plain');
    await cluster.migrate('plain');
    await cluster.migrate('tessera', 'citus');
    for (const callers of [CALLERS, 8]) {
      const names = { plain: 'PostgreSQL', tessera: 'Citus, two workers' };
      const backEnds = await Promise.all(Object.keys(names).map((name) => openAt(cluster.url(name))));
      const contestants = await Promise.all(
        Object.values(names).map((name, n) => refreshing(name, backEnds[n] as (typeof backEnds)[0], callers)),
      );
      for (const name of Object.keys(names)) await fillPostgres(cluster.coordinator, name, 20_000);
      for (const [name, each] of await byTurns(contestants, 3, 5))
        console.log(`${callers} callers`, rateWords(name, each));
      console.log((await Promise.all(contestants.map((each) => each.stop()))).join('; '));
      await Promise.all(backEnds.map((backEnd) => backEnd.close()));
    }
  });
}

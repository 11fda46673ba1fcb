// The guard behind real proxies: the table proxy × case, how soon a revocation counts, and ten minutes in which everything is killed.
import { spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { call } from '../../test/e2e/guard/calls.ts';
import { startGuard, startRecipe, startUpstream } from '../../test/e2e/guard/proxies.ts';
import type { RunningProxy } from '../../test/e2e/proxies/proxy.ts';
import { freePort } from '../../test/free-port.ts';
import { FeedField } from '../chaos/feed/feed-field.ts';
import { endGrant } from '../chaos/feed/freshness.ts';
import { quantile } from '../quantiles.ts';

const REVOCATIONS = 200;
const BOUND_S = 10;
/** What a start and a look at a busy machine may take. */
const SLACK_MS = 3_000;

/** `--only-outages MINUTES`, `--only-revocations`: a part of it. */
export async function behindProxies([only, minutes = '10']: readonly string[]): Promise<void> {
  if (!only) spawnSync('npm', ['test', '--', 'test/e2e/guard/recipes.test.ts'], { stdio: 'inherit' });
  const field = await FeedField.start('sqlite');
  const api = await startUpstream();
  try {
    if (only !== '--only-outages') for (const guards of [1, 4]) await measureRevocations(field, api, guards);
    if (only !== '--only-revocations') await killEverything(field, api, Number(minutes));
  } finally {
    await api.stop();
    await field.remove();
  }
}

function guardOf({ options }: FeedField, port?: number): Promise<RunningProxy> {
  const { issuer, resourceServer } = options;
  const { id, audience } = resourceServer;
  const configuration = {
    ...{ issuer, ca: 'ca.pem', from: 'headers', maxStale: BOUND_S },
    resourceServers: [{ id, audience, secretFile: 'secret' }],
    rules: [{ path: '/orders', audience, scope: 'orders:read' }],
  };
  return startGuard(configuration, options, port);
}

async function statusOf(port: number, token: string): Promise<number> {
  return (await call(port, 'GET /orders', [`Authorization: Bearer ${token}`])).status;
}

/** From the commit of the revocation until the last of the proxies refuses. */
async function measureRevocations(field: FeedField, api: RunningProxy, count: number): Promise<void> {
  const guards = await Promise.all(Array.from({ length: count }, () => guardOf(field)));
  const proxies = await Promise.all(guards.map((guard) => startRecipe('nginx', guard.port, api.port)));
  const took: number[] = [];
  for (let n = 0; n < REVOCATIONS; n++) {
    const token = await field.token('jwt');
    for (const { port } of proxies)
      if ((await statusOf(port, token)) !== 200) throw new Error('a good token is refused');
    await endGrant(field, token);
    const began = performance.now();
    const refused = proxies.map(async ({ port }) => {
      while ((await statusOf(port, token)) === 200) await pause(1);
      return performance.now() - began;
    });
    took.push(Math.max(...(await Promise.all(refused))));
  }
  const [p50, p99] = [0.5, 0.99].map((part) => Math.round(quantile(took, part)));
  console.log(`revoked → refused at the proxy, ${count} guards, ${REVOCATIONS} times: p50 ${p50} ms, p99 ${p99} ms`);
  await Promise.all([...proxies, ...guards].map((each) => each.stop()));
}

/** Something that is killed and started again on its port. */
class Fragile {
  readonly #start: () => Promise<unknown>;
  readonly #kill: () => Promise<unknown>;
  /** When it was last started; infinite while it is away. */
  upSince = Number.POSITIVE_INFINITY;
  downSince = Number.NEGATIVE_INFINITY;
  /** How long it was away before. */
  away = 0;

  constructor(start: () => Promise<unknown>, kill: () => Promise<unknown>) {
    this.#start = start;
    this.#kill = kill;
  }

  async start(): Promise<void> {
    await this.#start();
    this.upSince = performance.now();
    this.away = this.upSince - this.downSince;
  }

  async killFor(ms: number): Promise<void> {
    await this.end();
    await pause(ms);
    await this.start();
  }

  async end(): Promise<void> {
    this.upSince = Number.POSITIVE_INFINITY;
    this.downSince = performance.now();
    await this.#kill();
  }
}

function fragileProcess(start: () => Promise<RunningProxy>): Fragile {
  let running: RunningProxy | undefined;
  const kill = async () => {
    if (running) process.kill(running.pid, 'SIGKILL');
    await running?.stop();
  };
  return new Fragile(async () => (running = await start()), kill);
}

async function killEverything(field: FeedField, api: RunningProxy, minutes: number): Promise<void> {
  const [guardPort, proxyPort] = [await freePort(), await freePort()];
  const guard = fragileProcess(() => guardOf(field, guardPort));
  const proxy = fragileProcess(() => startRecipe('caddy', guardPort, api.port, proxyPort));
  const service = new Fragile(
    () => field.startNodes(),
    () => field.stopNodes('SIGKILL'),
  );
  service.upSince = performance.now();
  for (const each of [guard, proxy]) await each.start();
  const end = performance.now() + minutes * 60_000;
  const counts = { good: 0, refusedMeanwhile: 0, revokedInTime: 0, kills: 0, passedRevoked: 0, refusedHonest: 0 };
  /** When each was ended, and when the guard last accepted it. */
  const tokens = new Map<string, { endedAt: number; seenAt: number }>();

  /** Whether nothing that is away explains a refusal of a token that this guard has accepted. */
  const mustPass = (now: number, seenAt: number) => {
    const isUp = (each: Fragile) => now - each.upSince > SLACK_MS;
    if (!isUp(guard) || !isUp(proxy) || seenAt < guard.upSince) return false;
    const isAway = service.upSince === Number.POSITIVE_INFINITY;
    const awayFor = isAway ? now - service.downSince : service.away;
    const wasFresh = service.downSince - guard.upSince > SLACK_MS || service.downSince === Number.NEGATIVE_INFINITY;
    return (
      (wasFresh && awayFor < BOUND_S * 1000 - SLACK_MS) || (!isAway && isUp(service) && now - service.upSince > 10_000)
    );
  };
  const calling = async () => {
    while (performance.now() < end) {
      const [token, state] = [...tokens][Math.floor(Math.random() * tokens.size)] ?? [];
      if (token === undefined || !state) {
        await pause(20);
        continue;
      }
      const began = performance.now();
      const status = await statusOf(proxyPort, token).catch(() => 0);
      const now = performance.now();
      if (status === 200 && began - state.endedAt > BOUND_S * 1000) counts.passedRevoked += 1;
      else if (status === 200) counts.good += 1;
      else if (state.endedAt < now) counts.revokedInTime += 1;
      else if (mustPass(began, state.seenAt) && mustPass(now, state.seenAt)) {
        counts.refusedHonest += 1;
        console.log(
          `refused ${status}: service ${now - service.upSince} ${now - service.downSince}, guard ${now - guard.upSince}`,
        );
      } else counts.refusedMeanwhile += 1;
      if (status === 200) state.seenAt = now;
      await pause(20);
    }
  };
  const changing = async () => {
    while (performance.now() < end) {
      await pause(300);
      const fresh = await field.token('jwt').catch(() => undefined);
      if (fresh) tokens.set(fresh, { endedAt: Number.POSITIVE_INFINITY, seenAt: 0 });
      const live = [...tokens].filter(([, { endedAt }]) => endedAt === Number.POSITIVE_INFINITY);
      const [oldest] = live.length > 8 ? live : [];
      if (oldest) {
        await endGrant(field, oldest[0]);
        oldest[1].endedAt = performance.now();
      }
      if (tokens.size > 40) for (const [token] of [...tokens].slice(0, 10)) tokens.delete(token);
    }
  };
  const killing = async () => {
    while (performance.now() < end) {
      await pause(2_000 + Math.random() * 8_000);
      const each = [service, service, guard, proxy][Math.floor(Math.random() * 4)] as Fragile;
      await each.killFor(Math.random() * (each === service ? 20_000 : 2_000));
      counts.kills += 1;
    }
  };
  await Promise.all([calling(), calling(), changing(), killing()]);
  console.log(`${minutes} minutes:`, counts);
  process.exitCode = counts.passedRevoked + counts.refusedHonest > 0 ? 1 : 0;
  for (const each of [proxy, guard]) await each.end();
}

// Puts the service together from an open store, a keyring and the configuration.
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { settingsOf } from '../config/load.ts';
import { publicNameOf } from '../config/public-name.ts';
import type { Config } from '../config/schema.ts';
import { seconds } from '../core/time.ts';
import { connectionReader } from '../doors/caller/connection.ts';
import { presentedJudge } from '../doors/caller/judge-presented.ts';
import { describeRefused } from '../doors/caller/refused-certificate.ts';
import { openDoors } from '../doors/doors.ts';
import { Metrics } from '../doors/ops/metrics.ts';
import { Readiness, type ReadinessNews } from '../doors/ops/readiness.ts';
import type { Census } from '../doors/server/places.ts';
import type { Log } from '../log/log.ts';
import { openDirectory } from '../open-directory.ts';
import type { Clock, Ports, TokenPorts } from '../operations/ports.ts';
import { countEndingSoon } from '../operations/upkeep/ending-soon.ts';
import { type EventNews, EventWatch } from '../operations/upkeep/event-watch.ts';
import { byOneNode } from '../operations/upkeep/lease.ts';
import { RecentActs } from '../operations/upkeep/recent-acts.ts';
import { NodeReporter } from '../operations/upkeep/report-node.ts';
import { keeperOfTimes, SEEN_EVERY } from '../operations/upkeep/service-times.ts';
import { SharedLists } from '../operations/upkeep/shared-lists.ts';
import { SWEEPING, sweep } from '../operations/upkeep/sweep.ts';
import { Timekeeper } from '../operations/upkeep/timekeeper.ts';
import { systemFetch } from '../outbound/system-fetch.ts';
import { CertificateJudge } from '../pki/judge/certificate-judge.ts';
import { type Chore, startChores } from '../serve/chores.ts';
import { followLists } from '../serve/follow-lists.ts';
import { RevocationFollower } from '../serve/follow-revocations.ts';
import { joinGathering } from '../serve/gather.ts';
import { GiveBack } from '../serve/give-back.ts';
import type { ServiceParts } from '../serve/listener.ts';
import { type OpenListener, openListener } from '../serve/open-listener.ts';
import { isWorker } from '../serve/workers.ts';
import { recordingOutages } from '../store/outages.ts';
import { FollowedRegistry } from '../store/registry.ts';
import { type Store, StoreUnavailable } from '../store/store.ts';
import { systemClock, systemRandom } from '../system.ts';
import type { Keyring } from '../tokens/keyring.ts';
import { type AssertionParts, composeAssertions } from './assertions.ts';
import { doorParts } from './doors.ts';
import { startTracing, type Tracing } from './tracing.ts';

export interface Service {
  /** The addresses it listens on, once it does. */
  listen(): Promise<readonly string[]>;
  /** Which places are held, over all listeners. */
  census(): Census;
  /** Finishes the requests in flight, then closes everything. */
  stop(): Promise<void>;
}

/** `clock`: tests drive it; it must be the one the store was opened with. */
export async function composeService(
  config: Config,
  opened: Store,
  keyring: Keyring,
  log: Log,
  clock: Clock = systemClock,
): Promise<Service> {
  const timekeeper = await Timekeeper.begin({ store: opened, clock });
  const node = nodeName();
  const tracing = await startTracing(config, { nodeName: node, clock, random: systemRandom, log });
  const recorded = recordingOutages(opened, timekeeper.admit);
  const store = tracing?.traceStore(recorded) ?? recorded;
  const registry = new FollowedRegistry(store);
  await registry.refresh();
  const directory = openDirectory(store);
  const settings = settingsOf(config);
  const issuer = config.publicUrl;
  const ports: Ports = { store, registry, keyring, directory, settings, issuer, clock, random: systemRandom };
  const watch = new EventWatch({
    store,
    milliseconds: clock.milliseconds,
    news: logEvents(log, (lag) => parts.metrics?.eventLag(lag)),
    acts: config.store.kind === 'postgres' ? new RecentActs(store) : undefined,
  });
  const assertions = composeAssertions(ports, log);
  const judges = { judge: judgeOf(config, ports, log, tracing), assertions: assertions.callerPorts };
  const parts = await partsOf(config, { ...ports, timekeeper, watch }, judges, log, tracing);
  const listeners = config.listeners.map((place) =>
    openListener({ ...place, publicName: publicNameOf(place, config) }, parts),
  );
  // The readiness check logs once that the store is unavailable.
  const logFault = (fault: unknown) =>
    fault instanceof StoreUnavailable
      ? log.debug({ fault: fault.message }, 'left for later')
      : log.error({ fault: String(fault) }, 'fault in the background');
  const reporter = new NodeReporter(node, ports);
  const report = { everyMs: 2_000, work: () => reporter.report(clock.now), atStart: 'awaited' } as const;
  const watchEvents = { everyMs: 2_000, work: () => watch.look(), atStart: 'begun' } as const;
  const others = choresOf(parts, timekeeper, registry, listeners, logFault);
  const chores = [report, watchEvents, assertions.renewKeys, ...others];
  const stopChores = await startChores(chores, logFault);
  return {
    listen: () => Promise.all(listeners.map((listener) => listener.listen())),
    census: () => sumOf(listeners.map((listener) => listener.census())),
    stop: async () => {
      // The background work goes on until the last request is answered: requests need its results.
      await Promise.all(listeners.map((listener) => listener.drain()));
      const leaving = Promise.race([reporter.leave().catch(logFault), sleep(LEAVE_MS, undefined, { ref: false })]);
      await Promise.all([stopChores(), leaving]);
      await Promise.all([store.close(), tracing?.stop()]);
    },
  };
}

function sumOf(censuses: readonly Census[]): Census {
  const sum = (what: keyof Census) => censuses.reduce((total, census) => total + census[what], 0);
  return { held: sum('held'), living: sum('living'), orphaned: sum('orphaned') };
}

/** How long a stop waits for a store that is unavailable. */
const LEAVE_MS = 1_000;

/** Readable, and unique even if containers share a host name and a process id. */
function nodeName(): string {
  return `${hostname()}:${process.pid}:${systemRandom(3).toString('hex')}`;
}

function judgeOf({ revocation }: Config, ports: Ports, log: Log, tracing: Tracing | undefined): CertificateJudge {
  return new CertificateJudge({
    fetch: tracing?.traceFetch(systemFetch()) ?? systemFetch(),
    now: ports.clock.now,
    exchange: new SharedLists(ports),
    limits: { ...revocation, ocspWithoutNonce: seconds(revocation.ocspWithoutNonce) },
    logRefused: (url, why) => log.warn({ url, why }, 'revocation list not used'),
  });
}

/** The pause between two steps of a sweep. A step takes a tenth of this or more. */
const BREATH_MS = 10;

function choresOf(
  { ports, judge, metrics, readiness, log }: Parts,
  timekeeper: Timekeeper,
  registry: FollowedRegistry,
  listeners: readonly OpenListener[],
  logFault: (fault: unknown) => void,
): readonly Chore[] {
  const readLists = followLists(judge, registry, logFault);
  const revocations = new RevocationFollower(judge, ports, hostname());
  const endRevoked = async () => {
    const grants = await revocations.follow();
    if (grants > 0) log.warn({ grants }, 'certificates revoked: grants ended');
  };
  const reload = async () => {
    for (const listener of listeners) listener.reload();
  };
  const sweepOnce = () => sweep(ports, () => sleep(BREATH_MS));
  const keepTimes = keeperOfTimes(ports);
  const giveBack = new GiveBack();
  const countGrants = async () => metrics?.endingSoon(await countEndingSoon(ports));
  return [
    // A change applies within a second.
    { everyMs: 400, work: async () => (await registry.refresh()) && reload() },
    { everyMs: 2_000, work: reload },
    { everyMs: 1_000, work: () => readiness.look(), atStart: 'awaited' },
    { everyMs: SEEN_EVERY * 1_000, work: keepTimes, atStart: 'awaited' },
    // Lists apply from the first request on. Ending the grants of a long list takes longer, and runs meanwhile.
    { everyMs: 2_000, work: readLists, atStart: 'awaited' },
    { everyMs: 1_000, work: () => judge.followLists(registry.issuers), atStart: 'awaited' },
    { everyMs: 2_000, work: endRevoked, atStart: 'begun' },
    { everyMs: 60_000, work: async () => timekeeper.maySweep && byOneNode(SWEEPING, sweepOnce, ports) },
    { everyMs: 10_000, work: () => judge.revocation.renewLists(), atStart: 'begun' },
    { everyMs: 300_000, work: countGrants, atStart: 'begun' },
    { everyMs: 5_000, work: async () => giveBack.look() },
  ];
}

function logReadiness(log: Log): ReadinessNews {
  return {
    failing: (check, { reason, detail }) => log.error({ check, reason, detail }, 'not ready'),
    holdsAgain: (check) => log.info({ check }, 'ready again'),
    clocksApart: (seconds) => log.warn({ seconds }, 'the clocks of node and store are apart: keep both by NTP'),
  };
}

const LONG_LAG = 30;
/** Lost acts in one log line; `tessera store history` lists all. */
const MOST_LOGGED = 20;

function logEvents(log: Log, measure: (lag: number) => void): EventNews {
  let isLate = false;
  return {
    rolledBack: ({ seen, found, lost }) => {
      const text =
        'the store was put back to an older state: what was issued, revoked and administered since then is lost';
      log.error({ seen, found, lostActs: lost.length, newest: lost.slice(-MOST_LOGGED) }, text);
    },
    accepted: (epoch) => log.info({ epoch }, 'an operator accepted that the store was put back'),
    lag: (seconds) => {
      measure(seconds);
      if (!isLate && seconds > LONG_LAG) log.warn({ seconds }, 'readers of the event log are held back');
      isLate = seconds > LONG_LAG;
    },
  };
}

interface Watchers {
  readonly timekeeper: Timekeeper;
  readonly watch: Pick<EventWatch, 'problem'>;
}

interface Judges {
  readonly judge: CertificateJudge;
  readonly assertions: AssertionParts['callerPorts'];
}

interface Parts extends ServiceParts {
  readonly metrics: Metrics | undefined;
  readonly readiness: Readiness;
}

async function partsOf(
  config: Config,
  { timekeeper, watch, ...ports }: Ports & Watchers,
  { judge, assertions }: Judges,
  log: Log,
  tracing: Tracing | undefined,
): Promise<Parts> {
  const { limits, proxies } = config;
  const metrics = config.metrics.enabled ? new Metrics() : undefined;
  metrics?.watchStore(() => ports.store.figures());
  if (tracing) metrics?.watchSpans(() => tracing.tally());
  if (isWorker()) metrics?.shareWithWorkers(joinGathering);
  const readConnection = connectionReader(proxies.addresses);
  const callerPorts: TokenPorts = {
    ...ports,
    judge: presentedJudge({
      judge,
      admitClock: () => timekeeper.admitOwn(ports.clock.now()),
      onIgnoredHeader: () => metrics?.ignoredHeader(),
    }),
    logRefused: (refused) => log.info({ ...describeRefused(refused) }, 'certificate refused'),
    ...assertions,
  };
  const readiness = new Readiness({ ...ports, timekeeper }, logReadiness(log), () => [
    { name: 'history', ...(watch.problem && { problem: watch.problem }) },
  ]);
  return {
    ports,
    judge,
    log,
    metrics,
    traces: tracing?.requests,
    readiness,
    readConnection,
    doors: await openDoors(doorParts(config, { ports, callerPorts, metrics, readiness, readConnection })),
    limits: {
      headerBytes: limits.headerBytes,
      bodyBytes: limits.bodyBytes,
      headersTimeoutMs: limits.headersTimeout * 1000,
      requestTimeoutMs: limits.requestTimeout * 1000,
      idleTimeoutMs: limits.idleTimeout * 1000,
      stopTimeoutMs: limits.stopTimeout * 1000,
      drainIdleMs: limits.drainIdle * 1000,
      connections: limits.connections,
      inFlight: limits.maxInFlight,
      streams: limits.followers,
      addressShare: limits.addressShare,
      networkShare: limits.networkShare,
      queueMs: limits.queueMilliseconds,
    },
    proxies: { addresses: proxies.addresses, header: proxies.clientCertificateHeader, headerName: proxies.headerName },
  };
}

// What every listener of a service shares.
import type { Config } from '../config/schema.ts';
import { connectionReader } from '../doors/caller/connection.ts';
import { openDoors } from '../doors/doors.ts';
import { Metrics } from '../doors/ops/metrics.ts';
import { Readiness } from '../doors/ops/readiness.ts';
import type { Log } from '../log/log.ts';
import type { Ports } from '../operations/ports.ts';
import { RefusalCounts } from '../operations/upkeep/count-refusals.ts';
import type { EventWatch } from '../operations/upkeep/event-watch.ts';
import { FigureKeeper } from '../operations/upkeep/figures.ts';
import type { Timekeeper } from '../operations/upkeep/timekeeper.ts';
import { joinGathering } from '../serve/gather.ts';
import type { ServiceParts } from '../serve/listener.ts';
import { connectionsWithin, openFilesLimit } from '../serve/open-files.ts';
import { isWorker } from '../serve/workers.ts';
import { VERSION } from '../version.ts';
import { doorParts } from './doors.ts';
import type { Judges } from './judges.ts';
import { logCaps, logReadiness } from './log-notices.ts';
import type { Tracing } from './tracing.ts';

interface Watchers {
  readonly timekeeper: Timekeeper;
  readonly watch: Pick<EventWatch, 'problem'>;
  readonly node: string;
}

export interface Parts extends Omit<ServiceParts, 'inspects'> {
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly keeper: FigureKeeper;
  readonly refusals: RefusalCounts;
}

export async function partsOf(
  config: Config,
  { timekeeper, watch, node, ...ports }: Ports & Watchers,
  { judge, callerPorts: judging }: Judges,
  log: Log,
  tracing: Tracing | undefined,
): Promise<Parts> {
  const { proxies } = config;
  const metrics = new Metrics({
    store: () => ports.store.figures(),
    spans: tracing && (() => tracing.tally()),
    droppedLists: () => judge.revocation.dropped,
  });
  if (isWorker()) metrics.shareWithWorkers(joinGathering);
  const source = { totals: () => metrics.totals(), lag: () => metrics.eventLag, version: VERSION };
  const keeper = new FigureKeeper(node, ports, source);
  const readConnection = connectionReader(proxies.addresses);
  const refusals = new RefusalCounts(ports);
  const countIgnoredHeader = () => metrics.ignoredHeader();
  const callerPorts = { ...ports, ...judging, countIgnoredHeader, unwrittenRefusals: () => refusals.unwritten };
  const readiness = new Readiness({ ...ports, timekeeper }, logReadiness(log), () => [
    { name: 'history', ...(watch.problem && { problem: watch.problem }) },
    ...judge.revocation.limitsReached.map((remark) => ({ name: 'revocation lists', remark })),
  ]);
  const onCap = logCaps(log, ports.clock.milliseconds);
  const shown = config.metrics.enabled ? metrics : undefined;
  const doors = doorParts(
    config,
    { ports, callerPorts, metrics: shown, readiness, keeper, readConnection, onCap },
    log,
  );
  return {
    ports,
    judge,
    log,
    metrics,
    traces: tracing?.requests,
    readiness,
    keeper,
    readConnection,
    doors: await openDoors(doors),
    overLimit: doors.overLimit,
    refusals,
    overLineLimit: doors.overLineLimit,
    limits: serverLimits(config, log, ports.registry),
    proxies: { addresses: proxies.addresses, header: proxies.clientCertificateHeader, headerName: proxies.headerName },
  };
}

function serverLimits(
  { limits, listeners }: Config,
  log: Log,
  registry: Pick<Ports['registry'], 'resourceServers'>,
): ServiceParts['limits'] {
  const openFiles = openFilesLimit();
  const connections = connectionsWithin(limits.connections, openFiles, listeners.length);
  if (connections < limits.connections)
    log.warn({ openFiles, connections }, 'the limit on open files allows fewer than limits.connections');
  return {
    headerBytes: limits.headerBytes,
    bodyBytes: limits.bodyBytes,
    headersTimeoutMs: limits.headersTimeout * 1000,
    requestTimeoutMs: limits.requestTimeout * 1000,
    idleTimeoutMs: limits.idleTimeout * 1000,
    stopTimeoutMs: limits.stopTimeout * 1000,
    drainIdleMs: limits.drainIdle * 1000,
    connections,
    inFlight: limits.maxInFlight,
    eventStreams: limits.followers,
    // Only one resource server follows: nobody else needs the rest.
    eventStreamsOfOne: () =>
      registry.resourceServers.length > 1 ? Math.max(1, limits.followers / 2) : limits.followers,
    addressShare: limits.addressShare,
    networkShare: limits.networkShare,
  };
}

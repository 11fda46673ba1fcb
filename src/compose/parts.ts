// What every listener of a service shares.
import { readFileSync } from 'node:fs';
import { ConfigFault } from '../config/mistake.ts';
import type { Config } from '../config/schema.ts';
import { asksForCertificates, servedDoors, serves, takesHeader } from '../config/served-doors.ts';
import { type Validity, whyRefused } from '../core/rules/expiry.ts';
import { connectionReader, networkMatcher } from '../doors/caller/connection.ts';
import { type DoorParts, openDoors } from '../doors/doors.ts';
import { addressLimit, RateLimit } from '../doors/http/rate-limit.ts';
import { Metrics } from '../doors/ops/metrics.ts';
import { Readiness } from '../doors/ops/readiness.ts';
import { type Look, readLook } from '../doors/pages/parts/assets.ts';
import type { Log } from '../log/log.ts';
import { DpopProofs } from '../operations/grant/dpop-proofs.ts';
import type { Ports } from '../operations/ports.ts';
import { RefusalCounts } from '../operations/upkeep/count-refusals.ts';
import type { EventWatch } from '../operations/upkeep/event-watch.ts';
import { FigureKeeper } from '../operations/upkeep/figures.ts';
import type { NodeReporter } from '../operations/upkeep/report-node.ts';
import type { Timekeeper } from '../operations/upkeep/timekeeper.ts';
import { joinGathering } from '../serve/gather.ts';
import type { ServiceParts } from '../serve/listener.ts';
import { isWorker } from '../serve/workers.ts';
import { VERSION } from '../version.ts';
import type { Judges } from './judges.ts';
import { logCaps, logReadiness } from './log-notices.ts';
import type { Tracing } from './tracing.ts';

export interface Parts extends ServiceParts {
  readonly metrics: Metrics;
  readonly readiness: Readiness;
  readonly keeper: FigureKeeper;
  readonly refusals: RefusalCounts;
}

interface Followers {
  readonly timekeeper: Timekeeper;
  readonly watch: EventWatch;
  readonly reporter: NodeReporter;
}

export async function partsOf(
  config: Config,
  { timekeeper, watch, reporter, ...ports }: Ports & Followers,
  { judge, callerPorts: judging, readDocument }: Judges,
  log: Log,
  tracing: Tracing | undefined,
): Promise<Parts> {
  const { proxies } = config;
  const proofs = new DpopProofs(ports);
  const metrics = new Metrics({
    store: () => ports.store.figures(),
    spans: tracing && (() => tracing.tally()),
    droppedLists: () => judge.revocation.dropped,
    isReady: () => readiness.isReady,
    proofs: () => proofs.load(),
  });
  if (isWorker()) metrics.shareWithWorkers(joinGathering);
  const source = { totals: () => metrics.totals(), lag: () => metrics.eventLag, version: VERSION };
  const keeper = new FigureKeeper(reporter.name, ports, source);
  const readConnection = connectionReader(proxies.addresses);
  const refusals = new RefusalCounts(ports);
  const countIgnoredHeader = () => metrics.ignoredHeader();
  const countSibling = () => metrics.sibling();
  const { derivation } = reporter;
  const unwrittenRefusals = () => refusals.unwritten;
  const callerPorts = { ...ports, ...judging, countIgnoredHeader, countSibling, derivation, unwrittenRefusals };
  const certificates = new Map<string, Validity>();
  const refusedOnes = () => [...certificates.values()].flatMap((one) => whyRefused(one, ports.clock.now()) ?? []);
  const readiness = new Readiness({ ...ports, timekeeper }, logReadiness(log), () => [
    { name: 'history', ...(watch.problem && { problem: watch.problem }) },
    ...judge.revocation.limitsReached.map((remark) => ({ name: 'revocation lists', remark })),
    // Other nodes have the same certificate, and proxies may accept it: 503 would only end what still works.
    ...refusedOnes().map((remark) => ({ name: 'server certificate', remark })),
  ]);
  const onCap = logCaps(log, ports.clock.milliseconds);
  const shown = config.metrics.enabled ? metrics : undefined;
  const shared = { ports, callerPorts, metrics: shown, readiness, keeper, readConnection, readDocument, onCap, proofs };
  const doors = doorParts(config, shared);
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
    certificates,
    overLimit: doors.overLimit,
    refusals,
    overLineLimit: doors.overLineLimit,
    limits: serverLimits(config, log, ports.registry),
    proxies: { addresses: proxies.addresses, header: proxies.clientCertificateHeader, headerName: proxies.headerName },
  };
}

const TO_ALLOW = 'Raise it (ulimit -n; systemd: LimitNOFILE), or lower limits.connections.';

function serverLimits(
  { limits, listeners }: Config,
  log: Log,
  registry: Pick<Ports['registry'], 'resourceServers'>,
): ServiceParts['limits'] {
  const openFiles = openFilesLimit();
  const connections = connectionsWithin(limits.connections, openFiles, listeners.length);
  if (connections < limits.connections)
    log.warn(
      { openFiles, connections, todo: TO_ALLOW },
      'the limit on open files allows fewer than limits.connections',
    );
  return {
    ...limits,
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
  };
}

// Connections need open files, and so does the store: a process without any left could not answer those it has.

/** For the store, its checks, the log, and connections to others. */
const OTHERS = 128;
const LEAST = 8;

/** How many connections each listener may have with this limit on open files. */
export function connectionsWithin(wanted: number, openFiles: number, listeners: number): number {
  return Math.min(wanted, Math.max(LEAST, Math.floor((openFiles - OTHERS) / listeners)));
}

/** How many files this process may have open. Node has raised the limit as far as it may. */
export function openFilesLimit(read = () => readFileSync('/proc/self/limits', 'utf8')): number {
  try {
    const [, limit] = /^Max open files +(\d+) /m.exec(read()) ?? [];
    return Number(limit ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY; // not on Linux
  }
}

/** The address for callers with a client certificate, if a listener for them has one of its own. */
function certificateUrlOf({ listeners, proxies, publicUrl }: Config): string | undefined {
  const apart = listeners.filter(
    (listener) => serves(listener, 'oauth') && listener.publicUrl !== undefined && listener.publicUrl !== publicUrl,
  );
  const found = apart.find(asksForCertificates) ?? (takesHeader(proxies) ? apart[0] : undefined);
  return found?.publicUrl;
}

/** Events about reused tokens of one identity, if reuse is only reported. The metrics count every reuse. */
const REPORTS = { perMinute: 1, burst: 60 };

export function doorParts(
  config: Config,
  shared: Pick<
    DoorParts,
    | 'ports'
    | 'callerPorts'
    | 'metrics'
    | 'readiness'
    | 'keeper'
    | 'readConnection'
    | 'readDocument'
    | 'onCap'
    | 'proofs'
  >,
): DoorParts & Pick<ServiceParts, 'overLineLimit'> {
  const { limits, authsvc, oauth, publicUrl, pages } = config;
  const rate = ({ perMinute, burst }: { perMinute: number; burst: number }) =>
    new RateLimit({ burst, perSecond: perMinute / 60 }, shared.ports.clock.milliseconds);
  const isExempt = networkMatcher(limits.exemptNetworks);
  const lines = rate(limits.requestsPerAddress);
  return {
    ...shared,
    publicUrl,
    certificateUrl: certificateUrlOf(config),
    version: VERSION,
    servedDoors: servedDoors(config),
    overLimit: addressLimit(rate(limits.requestsPerAddress), shared.readConnection, isExempt),
    overLineLimit: ({ network, presenter }, { operation, reason }) =>
      !isExempt(presenter.address) && lines.take(`${network} ${operation} ${reason}`) !== undefined,
    overCheckLimit: addressLimit(rate(limits.checksPerAddress), shared.readConnection, isExempt),
    perIntegration: { grants: rate(limits.requestsPerIntegration), devices: rate(limits.requestsPerIntegration) },
    caps: {
      grants: [
        { setting: 'limits.grantsPerIdentity', of: 'identityId', rate: rate(limits.grantsPerIdentity) },
        { setting: 'limits.grantsPerIntegration', of: 'clientId', rate: rate(limits.grantsPerIntegration) },
      ],
      refreshes: [
        { setting: 'limits.refreshesPerGrant', of: 'grantId', rate: rate(limits.refreshesPerGrant) },
        { setting: 'limits.refreshesPerIdentity', of: 'identityId', rate: rate(limits.refreshesPerIdentity) },
      ],
      reports: [{ setting: 'onReuse: report', of: 'identityId', rate: rate(REPORTS) }],
    },
    authsvcMounts: authsvc.mounts,
    oauthMount: oauth.enabled ? oauth.mount : undefined,
    scimDirectories: config.directories.flatMap((one) =>
      one.kind === 'oidc' && one.scim ? [{ ...one.scim, label: one.label, issuer: one.issuer }] : [],
    ),
    look: lookOf(pages),
  };
}

function lookOf(pages: Config['pages']): Look {
  try {
    return readLook(pages);
  } catch (error) {
    const problem = `${pages.logo} cannot be read (${(error as NodeJS.ErrnoException).code})`;
    const todo = 'Put an SVG or PNG file there, or leave the setting out.';
    throw new ConfigFault([{ path: 'pages.logo', problem, todo }]);
  }
}

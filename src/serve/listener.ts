// One listener: an app with its doors on one address. Its TLS files can be replaced while it listens.
import type { AddressInfo } from 'node:net';
import type { Server as TlsServer } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { requestIds } from '../core/request-id.ts';
import type { Validity } from '../core/rules/expiry.ts';
import type { Connection, ReadConnection } from '../doors/caller/connection.ts';
import { chainOf, type PresentedOptions, presentedReader } from '../doors/caller/presented-certificate.ts';
import type { Door, ListenerParts } from '../doors/door.ts';
import { type AddressLimit, RateLimit } from '../doors/http/rate-limit.ts';
import { unownedReplies } from '../doors/http/refusal-replies.ts';
import type { RequestRecord } from '../doors/http/request-record.ts';
import type { Census } from '../front/admission.ts';
import { type App, makeApp } from '../front/app.ts';
import { FRONT, type Limits } from '../front/limits.ts';
import { secureContext, type TlsFiles } from '../front/tls.ts';
import { faultLines } from '../log/fault-lines.ts';
import type { Log } from '../log/log.ts';
import { requestLines } from '../log/request-line.ts';
import type { Ports } from '../operations/ports.ts';
import type { RefusalCounts } from '../operations/upkeep/count-refusals.ts';
import type { CertificateJudge } from '../pki/judge/certificate-judge.ts';
import type { RequestTraces } from './trace-requests.ts';
import { isWorker } from './workers.ts';

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  /** Other processes may listen on the same port. */
  readonly sharePort?: boolean;
  readonly tls?: TlsFiles | undefined;
  /** Only listed proxies may connect, since the traffic is not encrypted. */
  readonly behindProxy?: boolean;
  /** The names of the doors it serves. Undefined: all that need not be named. */
  readonly doors?: readonly string[] | undefined;
}

export interface ListenerLoad extends Census {
  readonly places: number;
  readonly connections: number;
  readonly mostConnections: number;
}

export interface ListenerMetrics {
  observe(record: RequestRecord, milliseconds: number): void;
  watchListener(load: () => ListenerLoad): void;
}

export interface ServiceParts {
  readonly ports: Ports;
  readonly judge: CertificateJudge;
  readonly log: Log;
  readonly metrics: ListenerMetrics | undefined;
  readonly traces?: RequestTraces | undefined;
  readonly limits: Limits;
  /** Of the server certificates in use, by file. */
  readonly certificates: Map<string, Validity>;
  readonly readConnection: ReadConnection;
  readonly overLimit: AddressLimit;
  readonly refusals: Pick<RefusalCounts, 'count'>;
  /** Charged for the log lines of unauthenticated clients, whatever they request. Lines of one kind do not take the place of others. */
  readonly overLineLimit: (connection: Connection, record: RequestRecord) => boolean;
  readonly proxies: {
    readonly addresses: readonly string[];
    readonly header: PresentedOptions['header'];
    readonly headerName?: string | undefined;
  };
  readonly doors: readonly Door[];
}

export interface Listener {
  listen(): Promise<string>;
  /** New connections get the new certificate and issuers; open ones are left alone. */
  exchange(tls: TlsFiles): void;
  census(): Census;
  drain(): Promise<void>;
}

export function makeListener(options: ListenerOptions, parts: ServiceParts): Listener {
  const doors = parts.doors.filter(({ name, isNamedOnly }) => options.doors?.includes(name) ?? !isNamedOnly);
  const app = appFor(doors, options, parts);
  const { inFlight, connections } = parts.limits;
  const load = () => ({ places: inFlight, connections: app.connections(), mostConnections: connections });
  parts.metrics?.watchListener(() => ({ ...app.census(), ...load() }));
  const listenerParts = { readPresented: presentedOn(app, options, parts), isNamed: options.doors !== undefined };
  for (const door of doors) mountApart(app.fastify, door, listenerParts);
  const server = app.fastify.server as unknown as TlsServer;
  return {
    listen: async () => {
      // For `localhost`, fastify would open a second server, for ::1, without the gate and its limits.
      const host = options.host.toLowerCase() === 'localhost' ? '127.0.0.1' : options.host;
      // Each worker has its own socket on the port, and the kernel spreads connections over them without the supervisor.
      const isShared = isWorker() || options.sharePort === true;
      const sharing = isShared ? { exclusive: true, reusePort: true } : {};
      await app.fastify.listen({ host, port: options.port, backlog: FRONT.backlog.most, ...sharing });
      return addressOf(server, options);
    },
    exchange: (tls) => server.setSecureContext(secureContext(tls)),
    census: () => app.census(),
    drain: () => app.drain(),
  };
}

function addressOf(server: TlsServer, { tls }: ListenerOptions): string {
  const { address, family, port } = server.address() as AddressInfo;
  return `${tls ? 'https' : 'http'}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** Lines about requests over a rate limit or without a slot: the metrics count them all. Otherwise a flood would fill the log. */
const LIMITED_LINES = { burst: 50, perSecond: 5 };

function appFor(doors: readonly Door[], { tls, behindProxy }: ListenerOptions, parts: ServiceParts): App {
  const { log, metrics, traces, limits, proxies, ports, readConnection, overLimit, overLineLimit, refusals } = parts;
  const writeLine = requestLines(log, ports.clock.milliseconds);
  const logFault = faultLines(log, ports.clock.milliseconds);
  const limitedLines = new RateLimit(LIMITED_LINES, ports.clock.milliseconds);
  const unowned = unownedReplies(doors.find(({ isForPeople }) => isForPeople)?.refusals);
  const monitoring = doors.filter(({ isMonitoring }) => isMonitoring);
  return makeApp({
    limits,
    tls,
    proxies: proxies.addresses,
    behindProxy,
    requestId: requestIds(ports.random(2).toString('hex'), ports.clock.milliseconds),
    begin: readConnection,
    trace: traces && ((request, proceed) => traces.enter(request, readConnection(request).trace, proceed)),
    // One line per request, without its path: a caller who mistypes it may have pasted a token there.
    onAnswered: (request, reply, record, ms) => {
      metrics?.observe(record, ms);
      const { reason, outcome } = record;
      if (reason !== undefined && outcome === 'refused') refusals.count({ ...record, reason, requestId: request.id });
      const connection = readConnection(request);
      const { trace, presenter } = connection;
      const span = traces?.leave(request, reply, record, ms, trace);
      const { grantId, identityId, resourceServer, isMonitoring } = record;
      const isUnknownCaller = !(grantId ?? identityId ?? resourceServer ?? isMonitoring);
      const isSpared =
        record.reason === 'rate-limited' || record.reason === 'overloaded'
          ? limitedLines.take('') !== undefined
          : isUnknownCaller && overLineLimit(connection, record);
      const level = record.outcome === 'fault' ? 'error' : isMonitoring || isSpared ? 'debug' : 'info';
      const ids = { traceId: (span ?? trace)?.traceId, parentSpanId: trace?.spanId, spanId: span?.spanId };
      const line = { id: request.id, status: reply.statusCode, ms, address: presenter.address, ...ids };
      writeLine(level, line, record);
    },
    onFault: (request, fault, reason) => {
      const { trace } = readConnection(request);
      const isDefect = reason === 'fault';
      // Of what is away or full, the message says all.
      const text = isDefect ? describeError(fault) : String(fault);
      logFault('fault', { text, isDefect }, { id: request.id, traceId: trace?.traceId, reason });
    },
    overLimit,
    repliesAt: (url) => doors.find((door) => door.owns(url))?.refusals ?? unowned,
    isMonitoring: (url) => monitoring.some((door) => door.owns(url)),
  });
}

function presentedOn({ fastify }: App, { tls }: ListenerOptions, parts: ServiceParts): ListenerParts['readPresented'] {
  if (tls?.clientCertificates === 'require') requireCertificates(fastify.server as unknown as TlsServer);
  const { header, headerName } = parts.proxies;
  return presentedReader({ readConnection: parts.readConnection, header, headerName });
}

function requireCertificates(server: TlsServer): void {
  server.prependListener('secureConnection', (socket) => {
    if (chainOf(socket).length === 0) socket.destroy();
  });
}

/** In an app of its own: hooks of one door do not run for another. */
function mountApart(app: FastifyInstance, door: Door, listener: ListenerParts): void {
  app.register(async (inner) => {
    const { bodyBytes } = door;
    if (bodyBytes)
      inner.addHook('onRoute', (route) => {
        route.config = { ...route.config, bodyBytes };
      });
    door.mount(inner, listener);
  });
}

/** An error for the operator's log, with its stack where it has one. */
function describeError(fault: unknown): string {
  return fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
}

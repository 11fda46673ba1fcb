// One listener: an app with its doors, on one address, and what can be exchanged while it listens.
import type { Socket } from 'node:net';
import type { TLSSocket, Server as TlsServer } from 'node:tls';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Refusal } from '../core/refusal.ts';
import type { Seconds } from '../core/time.ts';
import { type ErrorKeys, errorBody } from '../doors/authsvc/answers.ts';
import { hangAuthsvc } from '../doors/authsvc/dialect.ts';
import { answerRefusal } from '../doors/authsvc/reply.ts';
import { WORDING } from '../doors/authsvc/wording.ts';
import { showsAccessToken } from '../doors/caller/bearer.ts';
import { connectionReader, peersOf, type ReadConnection } from '../doors/caller/connection.ts';
import { rememberChains } from '../doors/caller/handshake-chain.ts';
import { presentedJudge } from '../doors/caller/judge-presented.ts';
import { type PresentedOptions, presentedReader } from '../doors/caller/presented-certificate.ts';
import { describeRefused } from '../doors/caller/refused-certificate.ts';
import { hangOps } from '../doors/ops/door.ts';
import type { Metrics } from '../doors/ops/metrics.ts';
import type { Readiness } from '../doors/ops/readiness.ts';
import { makePages, type Pages } from '../doors/pages/door.ts';
import type { Look } from '../doors/pages/parts/look.ts';
import { type App, type Limits, makeApp } from '../doors/server/app.ts';
import type { Census } from '../doors/server/places.ts';
import type { RateLimit } from '../doors/server/rate-limit.ts';
import type { Story } from '../doors/server/story.ts';
import { secureContext, type TlsFiles } from '../doors/server/tls.ts';
import { describe } from '../doors/token/descriptions.ts';
import type { Log } from '../log/log.ts';
import { type LogRequest, requestLines } from '../log/request-line.ts';
import type { CallerPorts, Ports } from '../operations/ports.ts';
import type { CertificateJudge } from '../pki/judge/certificate-judge.ts';
import { openapiDocument } from './openapi.ts';
import { errorKeysAt, preparedRefusals } from './turned-away.ts';
import { isWorker } from './workers.ts';

export interface ListenerOptions {
  readonly host: string;
  readonly port: number;
  readonly tls?: TlsFiles | undefined;
  /** Only listed proxies may connect: what they carry in clear is for their ears alone. */
  readonly behindProxy?: boolean;
  /** Undefined: all of them. */
  readonly doors?: readonly Door[] | undefined;
}

type Door = 'authsvc' | 'pages' | 'ops';

/** What all listeners of a service share. */
export interface ServiceParts {
  readonly ports: Ports;
  readonly judge: CertificateJudge;
  readonly log: Log;
  readonly metrics: Metrics | undefined;
  readonly limits: Limits;
  readonly perAddress: RateLimit;
  readonly perIntegration: Readonly<Record<'grants' | 'devices', RateLimit>>;
  readonly proxies: {
    readonly addresses: readonly string[];
    readonly header: PresentedOptions['header'];
    readonly headerName?: string | undefined;
  };
  readonly authsvcMounts: readonly { readonly path: string; readonly errorKeys: ErrorKeys }[];
  readonly publicUrl: string;
  readonly version: string;
  readonly look: Look;
  readonly readiness: Readiness;
}

export interface Listener {
  listen(): Promise<string>;
  /** New connections get the new certificate and issuers; open ones are left alone. */
  exchange(tls: TlsFiles): void;
  /** Which places its requests hold. */
  census(): Census;
  drain(): Promise<void>;
}

export function makeListener(options: ListenerOptions, parts: ServiceParts): Listener {
  const readConnection = connectionReader(parts.proxies.addresses);
  const telling = { line: requestLines(parts.log, parts.ports.clock.milliseconds), metrics: parts.metrics };
  const prepareRefusal = preparedRefusals(parts.authsvcMounts);
  const pages = serves(options, 'pages') ? pagesOf(parts, readConnection) : undefined;
  const app = makeApp({
    limits: parts.limits,
    tls: options.tls,
    proxies: parts.proxies.addresses,
    requestId: requestIds(parts.ports.random(4)),
    begin: readConnection,
    tell: (request, reply, story, ms) => tellRequest(request, reply, story, ms, readConnection, telling),
    tellFault: (request, fault) => parts.log.error({ id: request.id, fault: wordsOf(fault) }, 'fault'),
    refuse: (request, reply, refusal) =>
      pages?.owns(request.url) ? pages.refuse(request, reply, refusal) : refuseAnywhere(request, reply, refusal, parts),
    bareRefusal: (reason) => {
      const { status, error } = WORDING[reason];
      const phrase = describe({ reason });
      return { status, phrase, body: JSON.stringify(errorBody(error, phrase, 'spec')) };
    },
    isAuthentic: (headers) => showsAccessToken(headers, parts.ports.keyring),
    prepareRefusal: (url, reason) => prepareRefusal(url, reason, pages?.owns(url) ?? false),
    tellTurnedAway: (reason) => parts.metrics?.observe({ operation: 'none', outcome: 'refused', reason }, 0),
  });
  parts.metrics?.showPlaces(() => app.census());
  hangDoors(app, options, parts, readConnection);
  if (pages) hangApart(app.fastify, (inner) => pages.hang(inner));
  const server = app.fastify.server as unknown as TlsServer;
  server.maxConnections = parts.limits.connections;
  if (options.behindProxy) admitProxiesOnly(server, parts.proxies.addresses);
  return {
    listen: () => app.fastify.listen({ host: options.host, port: options.port, ...portSharing() }),
    exchange: (tls) => server.setSecureContext(secureContext(tls)),
    census: () => app.census(),
    drain: () => app.drain(),
  };
}

function serves({ doors }: ListenerOptions, door: Door): boolean {
  return !doors || doors.includes(door);
}

function pagesOf(parts: ServiceParts, readConnection: ReadConnection): Pages {
  const { ports, publicUrl, look } = parts;
  const overLimit = (request: FastifyRequest) => limited(parts.perAddress.take(readConnection(request).network));
  const openapi = openapiDocument({ publicUrl, version: parts.version, authsvcMounts: parts.authsvcMounts });
  return makePages({ ports, publicUrl, look, readConnection, overLimit, openapi });
}

function hangDoors(
  { fastify }: App,
  options: ListenerOptions,
  parts: ServiceParts,
  readConnection: ReadConnection,
): void {
  const { tls } = options;
  const chainOf = tls ? rememberChains(fastify.server as unknown as TlsServer) : () => [];
  if (tls?.clientCertificates === 'require') requireCertificates(fastify.server as unknown as TlsServer, chainOf);
  const { proxies, publicUrl } = parts;
  const { header, headerName } = proxies;
  const readPresented = presentedReader({ readConnection, chainOf, header, headerName });
  const ports = callerPorts(parts);
  const overLimit = (request: FastifyRequest) => limited(parts.perAddress.take(readConnection(request).network));
  const overIntegrationLimit = (clientId: string, what: 'grants' | 'devices') =>
    integrationLimit(clientId, what, parts);
  if (serves(options, 'authsvc')) {
    for (const { path: mount, errorKeys } of parts.authsvcMounts) {
      hangAuthsvc(fastify, {
        mount,
        errorKeys,
        verificationUri: `${publicUrl}/device`,
        ports,
        readConnection,
        readPresented,
        overLimit,
        overIntegrationLimit,
      });
    }
  }
  if (serves(options, 'ops')) hangApart(fastify, (app) => hangOps(app, parts));
}

function callerPorts({ ports, judge, metrics, log }: ServiceParts): CallerPorts {
  return {
    ...ports,
    judge: presentedJudge({ judge, onIgnoredHeader: () => metrics?.ignoredHeader() }),
    logRefused: (refused) => log.info({ ...describeRefused(refused) }, 'certificate refused'),
  };
}

/** Workers each have a socket of their own on the port, and the kernel spreads callers over them: no supervisor in between. */
function portSharing(): { exclusive?: true; reusePort?: true } {
  return isWorker() ? { exclusive: true, reusePort: true } : {};
}

function admitProxiesOnly(server: TlsServer, proxies: readonly string[]): void {
  const { isProxy } = peersOf(proxies);
  server.prependListener('connection', (socket: Socket) => {
    if (!isProxy(socket.remoteAddress ?? '')) socket.destroy();
  });
}

function requireCertificates(server: TlsServer, chainOf: (socket: TLSSocket) => readonly Uint8Array[]): void {
  server.prependListener('secureConnection', (socket) => {
    if (chainOf(socket).length === 0) socket.destroy();
  });
}

/** Hooks of one door stay with that door. */
function hangApart(app: FastifyInstance, hang: (app: FastifyInstance) => void): void {
  app.register(async (inner) => hang(inner));
}

function integrationLimit(
  clientId: string,
  what: 'grants' | 'devices',
  { perIntegration, ports }: ServiceParts,
): Refusal | undefined {
  return ports.registry.integration(clientId) && limited(perIntegration[what].take(clientId));
}

function limited(wait: Seconds | undefined): Refusal | undefined {
  return wait === undefined ? undefined : { reason: 'rate-limited', retryAfter: wait };
}

/** Refusals that no door worded: the dialect of the mount they came to, else plain spec keys. */
function refuseAnywhere(
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Refusal,
  { authsvcMounts }: ServiceParts,
): FastifyReply {
  const keys = errorKeysAt(request.url, authsvcMounts);
  return answerRefusal(request, reply, refusal, WORDING[refusal.reason], keys);
}

/** One line per request. The path is not part of it: whoever mistypes one may have pasted a token into it. */
function tellRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  story: Story,
  ms: number,
  readConnection: ReadConnection,
  { line, metrics }: { readonly line: LogRequest; readonly metrics: Metrics | undefined },
): void {
  const { address } = readConnection(request).presenter;
  metrics?.observe(story, ms);
  const level = story.outcome === 'fault' ? 'error' : story.operation === 'ops' ? 'debug' : 'info';
  line(level, { id: request.id, status: reply.statusCode, ms, address }, story);
}

/** Unlike those of any other listener or process, and in the order of arrival: they only tie words to a line of the log. */
function requestIds(start: Buffer): () => string {
  const prefix = start.toString('hex');
  let count = 0;
  return () => prefix + (count++).toString(16).padStart(8, '0');
}

/** A fault for the operator: what broke and where, as its maker worded it. */
function wordsOf(fault: unknown): string {
  return fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
}

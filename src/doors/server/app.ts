// A fastify instance with our limits, refusals and log lines. Doors are mounted into it.
import type { IncomingHttpHeaders } from 'node:http';
import type { Server } from 'node:net';
import {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  fastify,
} from 'fastify';
import { Overloaded } from '../../core/overloaded.ts';
import { seconds } from '../../core/time.ts';
import { OutcomeUnknown, StoreUnavailable } from '../../store/store.ts';
import { KeyMissing } from '../../tokens/keyring.ts';
import { peersOf } from '../caller/connection.ts';
import type { AddressLimit } from './address-limit.ts';
import { answerBrokenRequests, BrokenRequest, whyMalformed } from './broken-request.ts';
import { Connections } from './connections.ts';
import { Drain } from './drain.ts';
import { Gate } from './gate.ts';
import { Handshakes } from './handshakes.ts';
import { http2Options } from './http2-limits.ts';
import { methodTable } from './methods.ts';
import { type Census, endConnection, type Place } from './places.ts';
import { type PreparedRefusal, withAllow } from './prepared-refusal.ts';
import { Pressure } from './pressure.ts';
import { readBody } from './read-body.ts';
import type { RefusalReplies } from './refusal-replies.ts';
import { headerBytes, isHttp2 } from './request-bytes.ts';
import { Shares, shareLimit } from './shares.ts';
import { endStalled } from './stalled.ts';
import { type Story, storyOf } from './story.ts';
import { type TlsFiles, tlsOptions } from './tls.ts';
import type { ServerReason, ServerRefusal } from './transport-refusal.ts';
import { Yielding } from './yielding.ts';

export interface Limits {
  readonly headerBytes: number;
  readonly bodyBytes: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly stopTimeoutMs: number;
  /** How long a stop waits for the next request on an idle connection. */
  readonly drainIdleMs: number;
  readonly connections: number;
  readonly inFlight: number;
  /** Event streams. */
  readonly streams: number;
  /** Percent of `connections`, `inFlight` and `streams` that one address, and one network, may hold. */
  readonly addressShare: number;
  readonly networkShare: number;
  /** How long requests may wait before late ones are refused. */
  readonly queueMs: number;
}

/** What the server needs of the service around it. */
export interface AppOptions {
  readonly limits: Limits;
  readonly tls?: TlsFiles | undefined;
  /** Addresses and CIDR ranges of the proxies, which are trusted to name the caller's address. */
  readonly proxies: readonly string[];
  readonly requestId: () => string;
  /** Called when a request arrives, before anything is decided about it. */
  readonly begin: (request: FastifyRequest) => void;
  /** Runs the handler of a request as a part of its trace. Absent if there is no tracing. */
  readonly trace?: ((request: FastifyRequest, proceed: () => void) => void) | undefined;
  /** Called once per request, when its answer is out or its caller is gone. */
  readonly onAnswered: (request: FastifyRequest, reply: FastifyReply, story: Story, milliseconds: number) => void;
  /** Called with errors that are no refusals, for the operator's log. The caller gets no details. */
  readonly onFault: (request: FastifyRequest, fault: unknown) => void;
  /** Who words a refusal for a request to this address that no door was reached for, or that a door did not answer itself. */
  readonly repliesAt: (url: string) => RefusalReplies;
  /** Whether a request carries an authentic token in its headers: such callers are served first. */
  readonly isAuthentic: (headers: IncomingHttpHeaders) => boolean;
  /** Whether a request is a health check or a scrape, which the limit on requests does not count. */
  readonly isMonitoring: (url: string) => boolean;
  /** Charged for requests that no door sees: without a limit, anybody could fill the log with them. */
  readonly overLimit: AddressLimit;
  /** Called for each request that is turned away before a door is reached: those have no log line. */
  readonly onTurnedAway: (reason: ServerReason) => void;
}

export interface App {
  readonly fastify: FastifyInstance;
  census(): Census;
  /** Open connections. */
  connections(): number;
  /** Accepts no new connections, and closes each open one after its next response. Resolves when all are closed. */
  drain(port: { readonly isShared: boolean }): Promise<void>;
}

const RETRY_SHORTLY = seconds(1);
/** Doors parse requests themselves. Without this, fastify loads a validator and a serializer that are never used. */
const WITHOUT_SCHEMAS = { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } };

function noSchemas(): never {
  throw new Error('routes have no schemas here: doors parse requests themselves');
}

export function makeApp(options: AppOptions): App {
  const app = newFastify(options, (request, reply) => follow(request, reply, guard.gate, options));
  const allowedMethods = methodTable(app);
  const guard = guardServer(app.server, options, (target) => preparePathRefusal(target, allowedMethods, options));
  const drain = new Drain(app.server, guard.gate.places, options.limits.drainIdleMs);

  app.removeAllContentTypeParsers();
  // fastify caches the parser of a named type, and looks up that of '*' on every request.
  for (const type of ['application/json', 'application/x-www-form-urlencoded', '*'])
    app.addContentTypeParser(type, (request, _payload, done) => readBody(request, options.limits.bodyBytes, done));

  app.addHook('onRequest', (request, reply, proceed) => {
    follow(request, reply, guard.gate, options);
    const refusal = checkRequest(request, options.limits);
    if (refusal) return void refuse(request, reply, refusal, options);
    if (request.is404) return void refusePath(request, reply, allowedMethods(request.url), options);
    proceed();
  });
  const { trace } = options;
  // After the body was read: reading it loses the context.
  if (trace) app.addHook('preValidation', (request, _reply, proceed) => trace(request, proceed));
  app.addHook('onSend', (request, reply, payload, proceed) => {
    const place = guard.gate.placeOf(reply.raw);
    if (place && guard.gate.places.isEnding) endConnection(place);
    if (isHttp2(request.raw)) reply.removeHeader('connection'); // HTTP/2 has no such header
    proceed(null, payload);
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error.code !== 'FST_ERR_NOT_FOUND') return refuse(request, reply, refusalOf(error, request, options), options);
    // Over HTTP/2 any method arrives. fastify calls no hook for those it does not know.
    follow(request, reply, guard.gate, options);
    return refusePath(request, reply, allowedMethods(request.url), options);
  });

  return {
    fastify: app,
    census: () => guard.gate.places.census(),
    connections: () => guard.connections.count,
    drain: async ({ isShared }) => {
      // Connections still open by then are closed, so that no caller can delay the stop for ever.
      const timer = setTimeout(() => guard.connections.destroyAll(), options.limits.stopTimeoutMs);
      await drain.begin(isShared);
      clearTimeout(timer);
      await app.close();
      guard.stop();
    },
  };
}

/** The limits between the network and the doors. */
function guardServer(server: Server, options: AppOptions, refuseMethod: (target: string) => PreparedRefusal) {
  const { limits, isAuthentic, isMonitoring, repliesAt } = options;
  const { addressShare, networkShare } = limits;
  const shares = new Shares();
  const peers = peersOf(options.proxies);
  const ofConnections = shareLimit(limits.connections, addressShare, networkShare);
  const pressure = new Pressure(limits.queueMs);
  const handshakes = options.tls && new Handshakes(pressure, server, limits.queueMs);
  const yielding = new Yielding(() => gate.places.visitors, limits.connections);
  const connections = new Connections(server, { shares, limit: ofConnections, peers, handshakes, yielding });
  const gate = new Gate(server, {
    shares,
    places: limits.inFlight,
    bodyBytes: limits.bodyBytes,
    limit: shareLimit(limits.inFlight, addressShare, networkShare),
    streams: { total: limits.streams, share: shareLimit(limits.streams, addressShare, networkShare) },
    peers,
    pressure,
    isAuthentic,
    isMonitoring,
    repliesAt,
    onRefused: options.onTurnedAway,
  });
  answerBrokenRequests(server, gate, refuseMethod);
  return { gate, connections, stop: endStalled(gate.places, limits) };
}

/** Calls onAnswered once for the request. */
function follow(request: FastifyRequest, reply: FastifyReply, gate: Gate, options: AppOptions): void {
  options.begin(request);
  const place = gate.placeOf(reply.raw);
  if (!place) return;
  // V8 allocates a function that is assigned to a property where it stands among long-lived objects, where it keeps the request
  // alive until the next full collection: hence the constants. Refreshes made 0.9 of the rate, and the process took 50 MB more.
  const leave: Place['leave'] = ({ answered, milliseconds }) => {
    const story = storyOf(request);
    if (!answered) story.outcome = 'aborted';
    else if (story.outcome === 'accepted' && story.grantId !== undefined) gate.trust(place.visitor);
    options.onAnswered(request, reply, story, milliseconds);
  };
  const refuseLate = () => {
    if (!reply.sent) void refuse(request, reply, { reason: 'request-too-slow' }, options);
  };
  place.leave = leave;
  place.refuseLate = refuseLate;
}

/** Checks that apply to every request. */
function checkRequest({ raw }: FastifyRequest, limits: Limits): ServerRefusal | undefined {
  const reason = whyMalformed(raw);
  if (reason) return { reason };
  // Over HTTP/1.1, Node checks this before there is a request.
  const isTooLarge = isHttp2(raw) && headerBytes(raw) > limits.headerBytes;
  return isTooLarge ? { reason: 'headers-too-large' } : undefined;
}

/** Called before the body is read: there is no route to read it. */
function refusePath(
  request: FastifyRequest,
  reply: FastifyReply,
  allowed: string | undefined,
  options: AppOptions,
): FastifyReply {
  const limited = options.overLimit(request);
  if (limited) return refuse(request, reply, limited, options);
  if (!allowed) return refuse(request, reply, { reason: 'not-found' }, options);
  return refuse(request, reply.header('allow', allowed), { reason: 'method-not-allowed' }, options);
}

/** The same for a request that never reaches a route. */
function preparePathRefusal(
  url: string,
  allowedMethods: (url: string) => string | undefined,
  { repliesAt }: AppOptions,
): PreparedRefusal {
  const allowed = allowedMethods(url);
  const prepared = repliesAt(url).prepare(url, allowed ? 'method-not-allowed' : 'not-found');
  return allowed ? withAllow(prepared, allowed) : prepared;
}

function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: ServerRefusal,
  { repliesAt }: Pick<AppOptions, 'repliesAt'>,
): FastifyReply {
  return repliesAt(request.url).reply(request, reply, refusal);
}

function newFastify(
  options: AppOptions,
  followBare: (request: FastifyRequest, reply: FastifyReply) => void,
): FastifyInstance {
  const { limits, tls } = options;
  const http1 = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.idleTimeoutMs,
    connectionsCheckingInterval: 1000,
    requireHostHeader: false, // checkRequest refuses it, in JSON
  };
  const shared = {
    genReqId: options.requestId,
    exposeHeadRoutes: false, // HEAD never revokes
    return503OnClosing: false, // our own hook does, in the door's words
    forceCloseConnections: 'idle',
    clientErrorHandler: () => undefined, // answerBrokenRequests does
    frameworkErrors: (_error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      // No hook runs for a path that cannot be decoded.
      followBare(request, reply);
      refuse(request, reply, { reason: 'not-found' }, options);
    },
    schemaController: WITHOUT_SCHEMAS,
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 200 },
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.idleTimeoutMs,
    http2SessionTimeout: 0, // stalled.ts ends sessions, whatever frames they send
  } as const;
  if (!tls) return fastify({ ...shared, http: http1 }) as FastifyInstance;
  const secure = { ...tlsOptions(tls, limits.headersTimeoutMs), ...http2Options(limits) };
  const https = { ...http1, ...secure, allowHTTP1: true };
  // fastify types HTTP/2 requests differently; the parts we use are the same.
  return fastify({ ...shared, http2: true, https } as FastifyServerOptions);
}

/** Maps an error of fastify or an operation to a refusal. Unknown errors are faults; their text is not sent. */
function refusalOf(error: FastifyError, request: FastifyRequest, options: AppOptions): ServerRefusal {
  if (error instanceof StoreUnavailable) {
    options.onFault(request, error);
    const reason = error instanceof OutcomeUnknown ? 'outcome-unknown' : 'store-unavailable';
    return { reason, retryAfter: RETRY_SHORTLY };
  }
  if (error instanceof BrokenRequest) return options.overLimit(request) ?? { reason: error.reason };
  if (error instanceof KeyMissing) {
    options.onFault(request, error);
    return { reason: 'key-missing', retryAfter: RETRY_SHORTLY };
  }
  if (error instanceof Overloaded) return { reason: 'overloaded', retryAfter: RETRY_SHORTLY };
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return { reason: 'content-type-unsupported' };
  if (error.statusCode !== undefined && error.statusCode < 500) return { reason: 'body-unreadable' };
  options.onFault(request, error);
  return { reason: 'fault' };
}

// A fastify instance with our limits, our errors and our log line; doors are hung into it.
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
import type { Refusal, RefusalReason } from '../../core/refusal.ts';
import { seconds } from '../../core/time.ts';
import { OutcomeUnknown, StoreUnavailable } from '../../store/store.ts';
import { KeyMissing } from '../../tokens/keyring.ts';
import { peersOf } from '../caller/connection.ts';
import { answerBrokenRequests, type BareRefusal, BrokenRequest, isWellFormed } from './broken-request.ts';
import { Connections } from './connections.ts';
import { Gate, STREAMS_OF_STRANGERS } from './gate.ts';
import { Handshakes } from './handshakes.ts';
import { methodTable } from './methods.ts';
import type { Census } from './places.ts';
import type { PrepareRefusal } from './prepared-refusal.ts';
import { Pressure } from './pressure.ts';
import { Shares, shareLimit } from './shares.ts';
import { endStalled } from './stalled.ts';
import { type Story, storyOf } from './story.ts';
import { type TlsFiles, tlsOptions } from './tls.ts';

export interface Limits {
  readonly headerBytes: number;
  readonly bodyBytes: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly stopTimeoutMs: number;
  readonly connections: number;
  readonly inFlight: number;
  /** Percent of `connections` and `inFlight` that one address, and one network, may hold. */
  readonly addressShare: number;
  readonly networkShare: number;
  /** What requests may wait for, before late ones are refused. */
  readonly queueMs: number;
}

/** How the outside of every door behaves; the doors word refusals for themselves. */
export interface AppOptions {
  readonly limits: Limits;
  readonly tls?: TlsFiles | undefined;
  /** Addresses and CIDR ranges of the proxies, whose word about the caller's address is believed. */
  readonly proxies: readonly string[];
  readonly requestId: () => string;
  /** Called when a request arrives, before anything is decided about it. */
  readonly begin: (request: FastifyRequest) => void;
  /** Called once per request, when its answer has gone out or its caller has gone away. */
  readonly tell: (request: FastifyRequest, reply: FastifyReply, story: Story, milliseconds: number) => void;
  /** Called for what broke, with what an operator needs; the caller gets a request id. */
  readonly tellFault: (request: FastifyRequest, fault: unknown) => void;
  /** Words a refusal that no door was reached for, or that a door did not word itself. */
  readonly refuse: (request: FastifyRequest, reply: FastifyReply, refusal: Refusal) => FastifyReply;
  /** What a broken request line or header gets, where there is no request yet. */
  readonly bareRefusal: BareRefusal;
  /** Whether a request shows an authentic token in its headers: such callers are served first. */
  readonly isAuthentic: (headers: IncomingHttpHeaders) => boolean;
  /** What a request gets that is turned away before a door is reached. */
  readonly prepareRefusal: PrepareRefusal;
  /** Called for each of those: they have no line in the log. */
  readonly tellTurnedAway: (reason: RefusalReason) => void;
}

export interface App {
  readonly fastify: FastifyInstance;
  census(): Census;
  /** From now on new requests are told to come back; resolves when those in flight have been answered, or time is up. */
  drain(): Promise<void>;
}

const RETRY_SHORTLY = seconds(1);
const SHUTTING_DOWN: Refusal = { reason: 'shutting-down', retryAfter: RETRY_SHORTLY };
/** What one HTTP/2 connection may take up in memory, in megabytes; beyond it, new streams are refused. */
const SESSION_MEGABYTES = 2;
const OUTSTANDING_PINGS = 10;
const INVALID_FRAMES = 100;
/** Headers beyond the limit are read up to this many times it, so that HTTP/2 can be told 431 rather than be cut off. */
const HEADER_SLACK = 3;

/** As many as Node takes over HTTP/1.1; the size decides before. */
const HEADER_PAIRS = 2000;

/** Doors read requests themselves. Without this, fastify loads a validator and a serializer that nobody asks. */
const WITHOUT_SCHEMAS = { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } };

function noSchemas(): never {
  throw new Error('routes have no schemas here: a door reads its requests itself');
}

export function makeApp(options: AppOptions): App {
  const app = newFastify(options, (request, reply) => follow(request, reply, guard.gate, options));
  const guard = guardServer(app.server, options);
  let isDraining = false;

  app.removeAllContentTypeParsers();
  // fastify remembers the parser of a type that is named, and looks for that of '*' with every request.
  for (const type of ['application/json', 'application/x-www-form-urlencoded', '*'])
    app.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  const allowedMethods = methodTable(app);

  app.addHook('onRequest', (request, reply, proceed) => {
    follow(request, reply, guard.gate, options);
    const refusal = isDraining ? SHUTTING_DOWN : whatIsWrong(request, options.limits);
    if (refusal) return void options.refuse(request, reply, refusal);
    if (request.is404) return void refusePath(request, reply, allowedMethods(request.url), options);
    proceed();
  });
  app.addHook('onSend', (request, reply, payload, proceed) => {
    // A connection that stays open would hold up the stop. HTTP/2 says goodbye by a frame of its own and has no such header.
    if (request.raw.httpVersionMajor > 1) reply.removeHeader('connection');
    else if (isDraining) reply.header('connection', 'close');
    proceed(null, payload);
  });
  app.setErrorHandler((error: FastifyError, request, reply) =>
    options.refuse(request, reply, refusalOf(error, request, options)),
  );

  return {
    fastify: app,
    census: () => guard.gate.places.census(),
    drain: async () => {
      isDraining = true;
      // Whoever has not come to an end by then is cut off: a caller that stays connected may not hold up the stop for ever.
      setTimeout(() => guard.connections.destroyAll(), options.limits.stopTimeoutMs).unref();
      await app.close();
      guard.stop();
    },
  };
}

/** Everything that stands between the network and the doors. */
function guardServer(server: Server, options: AppOptions) {
  const { limits, prepareRefusal } = options;
  const { addressShare, networkShare } = limits;
  const shares = new Shares();
  const peers = peersOf(options.proxies);
  const ofConnections = shareLimit(limits.connections, addressShare, networkShare);
  const pressure = new Pressure(limits.queueMs);
  const handshakes = options.tls && new Handshakes(pressure, limits.queueMs);
  const connections = new Connections(server, { shares, limit: ofConnections, peers, handshakes });
  const gate = new Gate(server, {
    shares,
    places: limits.inFlight,
    limit: shareLimit(limits.inFlight, addressShare, networkShare),
    peers,
    pressure,
    isAuthentic: options.isAuthentic,
    prepareRefusal,
    tellRefused: options.tellTurnedAway,
  });
  answerBrokenRequests(server, gate, options.bareRefusal);
  return { gate, connections, stop: endStalled(gate.places, limits) };
}

/** Every request is told of once, when its answer is out or its caller is gone. */
function follow(request: FastifyRequest, reply: FastifyReply, gate: Gate, options: AppOptions): void {
  options.begin(request);
  const place = gate.placeOf(reply.raw);
  if (!place) return;
  place.leave = ({ answered, milliseconds }) => {
    const story = storyOf(request);
    if (!answered) story.outcome = 'aborted';
    else if (story.outcome === 'accepted' && story.grantId !== undefined) gate.trust(place.visitor);
    options.tell(request, reply, story, milliseconds);
  };
  place.refuseLate = () => {
    if (!reply.sent) void options.refuse(request, reply, { reason: 'request-too-slow' });
  };
}

/** What is wrong with a request, whatever it asks for. */
function whatIsWrong({ raw }: FastifyRequest, limits: Limits): Refusal | undefined {
  if (!isWellFormed(raw)) return { reason: 'request-malformed' };
  // Over HTTP/1.1, Node sees to it before there is a request.
  const isTooLarge = raw.httpVersionMajor > 1 && headerBytes(raw) > limits.headerBytes;
  return isTooLarge ? { reason: 'headers-too-large' } : undefined;
}

function headerBytes({ rawHeaders }: FastifyRequest['raw']): number {
  return rawHeaders.reduce((sum, text) => sum + text.length, 0);
}

/** Before the body is looked at: nobody reads it here. */
function refusePath(
  request: FastifyRequest,
  reply: FastifyReply,
  allowed: string | undefined,
  { refuse }: AppOptions,
): ReturnType<AppOptions['refuse']> {
  if (!allowed) return refuse(request, reply, { reason: 'not-found' });
  return refuse(request, reply.header('allow', allowed), { reason: 'method-not-allowed' });
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
    requireHostHeader: false, // refused by ourselves, in JSON
  };
  const shared = {
    bodyLimit: limits.bodyBytes,
    genReqId: options.requestId,
    exposeHeadRoutes: false, // HEAD never revokes
    return503OnClosing: false, // our own hook says it in the door's words
    forceCloseConnections: 'idle',
    clientErrorHandler: () => undefined, // answerBrokenRequests does
    frameworkErrors: (_error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      // No hook runs for a path that cannot be decoded. It leads nowhere.
      followBare(request, reply);
      options.refuse(request, reply, { reason: 'not-found' });
    },
    schemaController: WITHOUT_SCHEMAS,
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 200 },
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.idleTimeoutMs,
    http2SessionTimeout: 0, // stalled.ts ends sessions, whatever frames they send
  } as const;
  if (!tls) return fastify({ ...shared, http: http1 }) as FastifyInstance;
  const https = { ...http1, ...tlsOptions(tls), ...http2Options(limits), allowHTTP1: true };
  // To fastify's types, a server of HTTP/2 has other requests; what we use of them is the same.
  return fastify({ ...shared, http2: true, https } as FastifyServerOptions);
}

/** Bounds what one connection takes up. Strangers get few streams; whoever shows something authentic gets more. */
function http2Options({ headerBytes }: Limits) {
  return {
    settings: { maxHeaderListSize: headerBytes * HEADER_SLACK, maxConcurrentStreams: STREAMS_OF_STRANGERS },
    maxHeaderListPairs: HEADER_PAIRS,
    maxSessionMemory: SESSION_MEGABYTES,
    maxOutstandingPings: OUTSTANDING_PINGS,
    maxSessionInvalidFrames: INVALID_FRAMES,
  };
}

/** What fastify or an operation threw, as a refusal. Whatever is not known is a fault, and its words stay inside. */
function refusalOf(error: FastifyError, request: FastifyRequest, options: AppOptions): Refusal {
  if (error instanceof StoreUnavailable) {
    options.tellFault(request, error);
    const reason = error instanceof OutcomeUnknown ? 'outcome-unknown' : 'store-unavailable';
    return { reason, retryAfter: RETRY_SHORTLY };
  }
  if (error instanceof BrokenRequest) return { reason: error.reason };
  if (error instanceof KeyMissing) {
    options.tellFault(request, error);
    return { reason: 'key-missing', retryAfter: RETRY_SHORTLY };
  }
  if (error instanceof Overloaded) return { reason: 'overloaded', retryAfter: RETRY_SHORTLY };
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return { reason: 'body-too-large' };
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return { reason: 'content-type-unsupported' };
  if (error.statusCode !== undefined && error.statusCode < 500) return { reason: 'body-unreadable' };
  options.tellFault(request, error);
  return { reason: 'fault' };
}

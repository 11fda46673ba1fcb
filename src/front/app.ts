// A fastify instance with our limits, refusals and log lines. Doors are mounted into it.
import type { IncomingMessage, RequestListener } from 'node:http';
import { createSecureServer } from 'node:http2';
import type { Server } from 'node:net';
import {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  fastify,
} from 'fastify';
import { DirectoryAway, Overloaded } from '../core/faults.ts';
import { seconds } from '../core/time.ts';
import { peersOf } from '../doors/caller/connection.ts';
import { methodTable } from '../doors/http/methods.ts';
import type { AddressLimit } from '../doors/http/rate-limit.ts';
import type { RefusalReplies } from '../doors/http/refusal-replies.ts';
import { type PreparedRefusal, withAllow } from '../doors/http/refusal-replies.ts';
import { type RequestRecord, recordOf } from '../doors/http/request-record.ts';
import type { ServerReason, ServerRefusal } from '../doors/http/transport-refusal.ts';
import { ClockImplausible, OutcomeUnknown, StoreUnavailable } from '../store/store.ts';
import { HistoryInDoubt } from '../store/tables/store-history.ts';
import { KeyMissing } from '../tokens/keyring.ts';
import { answerBrokenRequests, BrokenRequest, whyMalformed } from './broken-request.ts';
import { Connections } from './connections.ts';
import { drain } from './drain.ts';
import { Gate } from './gate.ts';
import type { InProgress } from './in-progress.ts';
import { http2Limits, type Limits } from './limits.ts';
import { readBody } from './read-body.ts';
import { type Census, Slots } from './slots.ts';
import { endStalled } from './stalled.ts';
import { type TlsFiles, tlsOptions } from './tls.ts';

// Not an import statement: that reads every export of node:http, and one of them loads the HTTP client behind fetch.
const { createServer } = process.getBuiltinModule('node:http');

export interface AppOptions {
  readonly limits: Limits;
  readonly tls?: TlsFiles | undefined;
  /** Addresses and CIDR ranges of the proxies, which are trusted to name the caller's address. */
  readonly proxies: readonly string[];
  readonly requestId: () => string;
  /** Called when a request has passed the gate, before anything else is decided about it. */
  readonly begin: (request: FastifyRequest) => void;
  /** Runs the handler of a request as a part of its trace. Absent if there is no tracing. */
  readonly trace?: ((request: FastifyRequest, proceed: () => void) => void) | undefined;
  /** Called once per request that passed the gate, when its answer is out or its caller is gone. */
  readonly onAnswered: (
    request: FastifyRequest,
    reply: FastifyReply,
    record: RequestRecord,
    milliseconds: number,
  ) => void;
  /** Called with errors that are no refusals, for the operator's log. The caller gets no details. */
  readonly onFault: (request: FastifyRequest, fault: unknown, reason: ServerReason) => void;
  /** Who words a refusal for a request to this address that no door was reached for, or that a door did not answer itself. */
  readonly repliesAt: (url: string) => RefusalReplies;
  /** Whether a request is a health check or a scrape. */
  readonly isMonitoring: (url: string) => boolean;
  /** Charged for requests that no door sees: without a limit, anybody could fill the log with them. */
  readonly overLimit: AddressLimit;
  /** Called for each request that is turned away before a door is reached: those have no log line. */
  readonly onTurnedAway: (reason: ServerReason) => void;
}

export interface App {
  readonly fastify: FastifyInstance;
  census(): Census;
  connections(): number;
  /** Accepts no new connections, and closes each open one after its next response. Resolves when all are closed. */
  drain(): Promise<void>;
}

const RETRY_SHORTLY = seconds(1);
const WITH_BODY: ReadonlySet<string> = new Set(['DELETE', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'QUERY']);
/** Doors parse requests themselves. Without this, fastify loads a validator and a serializer that are never used. */
const WITHOUT_SCHEMAS = { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } };

function noSchemas(): never {
  throw new Error('routes have no schemas here: doors parse requests themselves');
}

export function makeApp(options: AppOptions): App {
  const { limits, repliesAt, isMonitoring, onTurnedAway: onRefused, trace } = options;
  const peers = peersOf(options.proxies);
  const connections = new Connections(limits, peers);
  const slots = new Slots(connections, limits);
  const gate = new Gate(connections, slots, { peers, isMonitoring, repliesAt, onRefused });
  const app = newFastify(options, gate);
  const allowedMethods = methodTable(app);
  connections.guard(app.server);
  answerBrokenRequests(app.server, connections, (target) => preparePathRefusal(target, allowedMethods, options));
  const stopLooking = endStalled(connections, limits);

  // To fastify, no method has a body: its own reading makes an async resource and looks up a parser for each request.
  for (const method of WITH_BODY) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });

  app.addHook('onRequest', (request, reply, proceed) => {
    follow(request, reply, gate, options);
    const refusal = checkRequest(request, limits);
    if (refusal) return void refuse(request, reply, refusal, options);
    if (request.is404) return void refusePath(request, reply, allowedMethods(request.url), options);
    proceed();
  });
  app.addHook('preValidation', (request, reply, proceed) => {
    // Tracing begins behind the body: reading it loses the context.
    const go = trace ? () => trace(request, proceed) : proceed;
    const followed = gate.of(reply.raw);
    // All slots may have been taken while the body arrived.
    const enter = () => {
      if (!followed) return go();
      gate.pass(followed, () => {
        slots.take(followed);
        go();
      });
    };
    if (!WITH_BODY.has(request.method)) return enter();
    const { bodyBytes } = request.routeOptions.config;
    readBody(request, bodyBytes?.(request) ?? limits.bodyBytes, (fault, body) => {
      if (!fault) {
        request.body = body;
        return enter();
      }
      reply.header('connection', 'close'); // more of it may come
      proceed(fault);
    });
  });
  app.addHook('onSend', (request, reply, payload, proceed) => {
    const followed = gate.of(reply.raw);
    followed?.release();
    if (slots.isStopping) followed?.endConnection();
    if (isHttp2(request.raw)) reply.removeHeader('connection'); // HTTP/2 has no such header
    proceed(null, payload);
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error.code !== 'FST_ERR_NOT_FOUND') return refuse(request, reply, refusalOf(error, request, options), options);
    // Over HTTP/2 any method arrives. fastify calls no hook for those it does not know.
    follow(request, reply, gate, options);
    return refusePath(request, reply, allowedMethods(request.url), options);
  });

  return {
    fastify: app,
    census: () => slots.census(),
    connections: () => connections.count,
    drain: async () => {
      // Connections still open by then are closed, so that no caller can delay the stop for ever.
      const timer = setTimeout(() => connections.destroyAll(), limits.stopTimeoutMs);
      await drain(app.server, connections, slots, limits.drainIdleMs);
      clearTimeout(timer);
      stopLooking();
    },
  };
}

function follow(request: FastifyRequest, reply: FastifyReply, gate: Gate, options: AppOptions): void {
  options.begin(request);
  const followed = gate.of(reply.raw);
  if (!followed) return;
  // V8 allocates a function that is assigned to a property where it stands among long-lived objects, where it keeps the request
  // alive until the next full collection: hence the constant. Refreshes made 0.9 of the rate, and the process took 50 MB more.
  const onEnd: InProgress['onEnd'] = (isAnswered, milliseconds) => {
    const record = recordOf(request);
    if (!isAnswered) record.outcome = 'aborted';
    options.onAnswered(request, reply, record, milliseconds);
  };
  followed.onEnd = onEnd;
}

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

/** The same, without a charge, for a request that never reaches a route. */
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
  return repliesAt(request.url).reply(reply, refusal);
}

function newFastify(options: AppOptions, gate: Gate): FastifyInstance {
  const shared = {
    genReqId: options.requestId,
    exposeHeadRoutes: false, // HEAD never revokes
    clientErrorHandler: () => undefined, // answerBrokenRequests does
    frameworkErrors: (_error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      // No hook runs for a path that cannot be decoded.
      follow(request, reply, gate, options);
      refuse(request, reply, { reason: 'not-found' }, options);
    },
    schemaController: WITHOUT_SCHEMAS,
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 200 },
    serverFactory: (handle: RequestListener) => serverFor(gate.before(handle), options),
  } as const;
  // fastify types HTTP/2 requests differently; the parts we use are the same.
  return fastify(shared as unknown as FastifyServerOptions);
}

function serverFor(handle: RequestListener, { limits, tls }: AppOptions): Server {
  const http1 = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.idleTimeoutMs,
    connectionsCheckingInterval: 1000,
    requireHostHeader: false, // checkRequest refuses it, in JSON
  };
  if (!tls) return createServer(http1, handle);
  const secure = { ...http1, ...tlsOptions(tls, limits.headersTimeoutMs), ...http2Limits(limits), allowHTTP1: true };
  return createSecureServer(secure, handle as never);
}

/** Not by its version: a request on a connection of HTTP/1.1 can claim any. */
function isHttp2(raw: IncomingMessage): boolean {
  return 'stream' in raw;
}

function headerBytes({ rawHeaders }: IncomingMessage): number {
  let sum = 0;
  for (const text of rawHeaders) sum += text.length;
  return sum;
}

function unavailableReason(error: unknown): ServerReason | undefined {
  if (error instanceof OutcomeUnknown) return 'outcome-unknown';
  if (error instanceof HistoryInDoubt) return 'history-in-doubt';
  if (error instanceof ClockImplausible) return 'clock-implausible';
  if (error instanceof StoreUnavailable) return 'store-unavailable';
  if (error instanceof KeyMissing) return 'key-missing';
  return error instanceof DirectoryAway ? 'directory-unavailable' : undefined;
}

/** Maps an error of fastify or an operation to a refusal. Unknown errors are faults; their text is not sent. */
function refusalOf(error: FastifyError, request: FastifyRequest, options: AppOptions): ServerRefusal {
  const reason = unavailableReason(error);
  if (reason) {
    options.onFault(request, error, reason);
    return { reason, retryAfter: RETRY_SHORTLY };
  }
  if (error instanceof BrokenRequest) return options.overLimit(request) ?? { reason: error.reason };
  if (error instanceof Overloaded) return { reason: 'overloaded', retryAfter: RETRY_SHORTLY };
  if (error.statusCode !== undefined && error.statusCode < 500) return { reason: 'body-unreadable' };
  options.onFault(request, error, 'fault');
  return { reason: 'fault' };
}

// A fastify instance with our limits, refusals and log lines. Doors are mounted into it. A request passes: connections.ts, Node, `arrive`,
// the hooks in `makeApp` (its form and path, read-body.ts, admission.ts), its door, and onSend.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  fastify,
} from 'fastify';
import { seconds } from '../core/time.ts';
import { type Peers, peersOf } from '../doors/caller/connection.ts';
import { attachExchange } from '../doors/http/answers.ts';
import { methodTable } from '../doors/http/methods.ts';
import type { AddressLimit } from '../doors/http/rate-limit.ts';
import type { RefusalReplies } from '../doors/http/refusal-replies.ts';
import { type RequestRecord, recordOf } from '../doors/http/request-record.ts';
import type { ServerReason, ServerRefusal } from '../doors/http/transport-refusal.ts';
import { Admission, type Census } from './admission.ts';
import { answerBrokenRequests, whyMalformed } from './broken-request.ts';
import { Connections } from './connections.ts';
import { drain } from './drain.ts';
import { closeBehindAnswer, headerBytes, streamOf } from './http2.ts';
import { type Connection, InProgress, inProgress } from './in-progress.ts';
import { FRONT, type Limits } from './limits.ts';
import { readBody } from './read-body.ts';
import { refusalOf } from './refusal-of.ts';
import { serverFor } from './server.ts';
import { OF_PROXY, type Origin, originOf } from './shares.ts';
import type { TlsFiles } from './tls.ts';

export interface AppOptions {
  readonly limits: Limits;
  readonly tls?: TlsFiles | undefined;
  /** Addresses and CIDR ranges of the proxies, which are trusted to name the caller's address. */
  readonly proxies: readonly string[];
  /** Only they may connect. */
  readonly behindProxy?: boolean | undefined;
  readonly requestId: () => string;
  /** Called when a request has arrived, before anything else is decided about it. */
  readonly begin: (request: FastifyRequest) => void;
  /** Runs the handler of a request as a part of its trace. Absent if there is no tracing. */
  readonly trace?: ((request: FastifyRequest, proceed: () => void) => void) | undefined;
  /** Called once per request, when its answer is out or its caller is gone. */
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
}

export interface App {
  readonly fastify: FastifyInstance;
  census(): Census;
  connections(): number;
  /** Accepts no new connections, and closes each open one after its next response. Resolves when all are closed. */
  drain(): Promise<void>;
}

const WITH_BODY: ReadonlySet<string> = new Set(['DELETE', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'QUERY']);
/** Doors parse requests themselves. Without this, fastify loads a validator and a serializer that are never used. */
const WITHOUT_SCHEMAS = { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } };

function noSchemas(): never {
  throw new Error('routes have no schemas here: doors parse requests themselves');
}

export function makeApp(options: AppOptions): App {
  const { limits, isMonitoring, trace, behindProxy = false } = options;
  const peers = peersOf(options.proxies);
  const connections = new Connections(limits, peers);
  const admission = new Admission(connections, limits);
  const app = newFastify(options, (handle) => (raw, response) => {
    if (arrive(raw, response, { connections, admission, peers })) handle(raw, response);
  });
  const allowedMethods = methodTable(app);
  connections.guard(app.server, behindProxy);
  answerBrokenRequests(app.server, connections);

  // To fastify, no method has a body: its own reading makes an async resource and looks up a parser for each request.
  for (const method of WITH_BODY) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });

  app.addHook('onRequest', (request, reply, proceed) => {
    follow(request, reply, options);
    const refusal = checkRequest(request, limits);
    if (refusal) return void refuse(request, reply, refusal, options);
    if (request.is404) return void refusePath(request, reply, allowedMethods(request.url), options);
    proceed();
  });
  app.addHook('preValidation', (request, reply, proceed) => {
    if (!WITH_BODY.has(request.method)) return proceed();
    const { bodyBytes } = request.routeOptions.config;
    readBody(request, bodyBytes?.(request) ?? limits.bodyBytes, limits.requestTimeoutMs, (fault, body) => {
      if (fault)
        reply.header('connection', 'close'); // more of it may come
      else request.body = body;
      proceed(fault ?? undefined);
    });
  });
  let refused = 0;
  app.addHook('preHandler', (request, reply, proceed) => {
    // Tracing begins behind the body: reading it loses the context.
    const go = trace ? () => trace(request, proceed) : proceed;
    if (isMonitoring(request.url)) return go();
    admission.enter(inProgress(reply.raw), go, (reason) => {
      const retryAfter = seconds(1 + (refused++ % FRONT.slots.mostRetryAfter));
      refuse(request, reply, { reason, retryAfter }, options);
    });
  });
  app.addHook('onSend', (_request, reply, payload, proceed) => {
    const followed = inProgress(reply.raw);
    followed.release();
    if (admission.isStopping) followed.endConnection();
    if (followed.stream) reply.removeHeader('connection'); // HTTP/2 has no such header
    proceed(null, payload);
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error.code !== 'FST_ERR_NOT_FOUND') return refuse(request, reply, refusalOf(error, request, options), options);
    // Over HTTP/2 any method arrives. fastify calls no hook for those it does not know.
    follow(request, reply, options);
    return refusePath(request, reply, allowedMethods(request.url), options);
  });

  return {
    fastify: app,
    census: () => admission.census(),
    connections: () => connections.count,
    drain: async () => {
      // Connections still open by then are closed, so that no caller can delay the stop for ever.
      const timer = setTimeout(() => connections.destroyAll(), limits.stopTimeoutMs);
      await drain(app.server, connections, admission, limits.drainIdleMs);
      clearTimeout(timer);
      connections.stop();
    },
  };
}

interface Front {
  readonly connections: Connections;
  readonly admission: Admission;
  readonly peers: Peers;
}

/** Whether fastify gets a request: not if its connection is ending. */
function arrive(raw: IncomingMessage, response: ServerResponse, { connections, admission, peers }: Front): boolean {
  const connection = connections.at(raw.socket);
  if (!connection || connection.isClosing) return false;
  const request = new InProgress(admission, raw, response, { connection, origin: originFor(connection, raw, peers) });
  attachExchange(response, request);
  connections.begin(request);
  if (request.stream) closeBehindAnswer(request.stream);
  else endBehind(request);
  return true;
}

function originFor({ isProxy, origin, address }: Connection, { headers }: IncomingMessage, peers: Peers): Origin {
  if (!isProxy) return origin;
  const caller = peers.callerOf(address, headers);
  return caller === address ? OF_PROXY : originOf(caller);
}

/** Which requests of HTTP/1.1 are the last ones of their connection. */
function endBehind({ raw, response, connection }: InProgress): void {
  const { upgrade, 'transfer-encoding': coding } = raw.headers;
  connection.isClosing = connection.requests.length >= FRONT.pipelined.most;
  const { shouldKeepAlive } = response;
  // We do not upgrade to other protocols: the request is answered, then the connection closes.
  if (connection.isClosing || upgrade !== undefined) response.shouldKeepAlive = false;
  else if (coding !== undefined) {
    // The connection ends with an answer that is sent before the last chunk has come: Node would go on to handle each.
    response.shouldKeepAlive = false;
    raw.once('end', () => (response.shouldKeepAlive = shouldKeepAlive));
  }
}

function follow(request: FastifyRequest, reply: FastifyReply, options: AppOptions): void {
  options.begin(request);
  // V8 allocates a function that is assigned to a property where it stands among long-lived objects, where it keeps the request
  // alive until the next full collection: hence the constant. Refreshes made 0.9 of the rate, and the process took 50 MB more.
  const onEnd: InProgress['onEnd'] = (isAnswered, milliseconds) => {
    const record = recordOf(request);
    if (!isAnswered) record.outcome = 'aborted';
    options.onAnswered(request, reply, record, milliseconds);
  };
  inProgress(reply.raw).onEnd = onEnd;
}

function checkRequest({ raw }: FastifyRequest, limits: Limits): ServerRefusal | undefined {
  const reason = whyMalformed(raw);
  if (reason) return { reason };
  // Over HTTP/1.1, Node checks this before there is a request.
  const isTooLarge = streamOf(raw) && headerBytes(raw) > limits.headerBytes;
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

function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: ServerRefusal,
  { repliesAt }: Pick<AppOptions, 'repliesAt'>,
): FastifyReply {
  return repliesAt(request.url).reply(reply, refusal);
}

function newFastify(options: AppOptions, before: (handle: RequestListener) => RequestListener): FastifyInstance {
  const shared = {
    genReqId: options.requestId,
    exposeHeadRoutes: false, // HEAD never revokes
    clientErrorHandler: () => undefined, // answerBrokenRequests does
    frameworkErrors: (_error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      // No hook runs for a path that cannot be decoded.
      follow(request, reply, options);
      refuse(request, reply, { reason: 'not-found' }, options);
    },
    schemaController: WITHOUT_SCHEMAS,
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 200 },
    serverFactory: (handle: RequestListener) => serverFor(before(handle), options.limits, options.tls),
  } as const;
  // fastify types HTTP/2 requests differently; the parts we use are the same.
  return fastify(shared as unknown as FastifyServerOptions);
}

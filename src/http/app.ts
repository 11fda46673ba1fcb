// A fastify instance with our limits, our errors and our log line; doors are hung into it.
import type { Server as TlsServer } from 'node:tls';
import {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  fastify,
} from 'fastify';
import type { Refusal } from '../core/refusal.ts';
import { seconds } from '../core/time.ts';
import { Overloaded } from '../operations/overloaded.ts';
import { OutcomeUnknown, StoreUnavailable } from '../store/store.ts';
import { KeyMissing } from '../tokens/keyring.ts';
import { limitArrival, refuseSilentSessions } from './arrival.ts';
import { answerBrokenRequests, type BareRefusal, isWellFormed } from './broken-request.ts';
import { InFlight } from './in-flight.ts';
import { methodTable } from './methods.ts';
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
}

/** How the outside of every door behaves; the doors word refusals for themselves. */
export interface AppOptions {
  readonly limits: Limits;
  readonly tls?: TlsFiles | undefined;
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
}

export interface App {
  readonly fastify: FastifyInstance;
  /** From now on new requests are told to come back; resolves when those in flight have been answered, or time is up. */
  drain(): Promise<void>;
}

const RETRY_SHORTLY = seconds(1);
/** Streams on one HTTP/2 connection at a time; a caller that wants more waits. */
const STREAMS = 100;
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
  const inFlight = new InFlight();
  const app = newFastify(options, inFlight);
  const server = app.server as unknown as TlsServer;
  answerBrokenRequests(server, options.bareRefusal);
  if (options.tls) refuseSilentSessions(server, options.limits.headersTimeoutMs);
  inFlight.watch(server);

  app.removeAllContentTypeParsers();
  // fastify remembers the parser of a type that is named, and looks for that of '*' with every request.
  for (const type of ['application/json', 'application/x-www-form-urlencoded', '*'])
    app.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  const allowedMethods = methodTable(app);

  app.addHook('onRequest', (request, reply, proceed) => {
    follow(request, reply, inFlight, options);
    const refusal = whyNotNow(request, inFlight, options.limits);
    if (refusal) return void options.refuse(request, reply, refusal);
    if (request.is404) return void refusePath(request, reply, allowedMethods(request.url), options);
    limitArrival(request, reply, options.limits.requestTimeoutMs, () => {
      void options.refuse(request, reply, { reason: 'request-too-slow' });
    });
    proceed();
  });
  app.addHook('onSend', (request, reply, payload, proceed) => {
    // A connection that stays open would hold up the stop. HTTP/2 says goodbye by a frame of its own and has no such header.
    if (request.raw.httpVersionMajor > 1) reply.removeHeader('connection');
    else if (inFlight.isDraining) reply.header('connection', 'close');
    proceed(null, payload);
  });
  app.setErrorHandler((error: FastifyError, request, reply) =>
    options.refuse(request, reply, refusalOf(error, request, options)),
  );

  return {
    fastify: app,
    drain: async () => {
      inFlight.drain(options.limits.stopTimeoutMs);
      await app.close();
    },
  };
}

/** Every request counts as in flight until its answer is out or its caller is gone, and is told of once. */
function follow(request: FastifyRequest, reply: FastifyReply, inFlight: InFlight, options: AppOptions): void {
  options.begin(request);
  inFlight.enter(reply.raw, ({ answered, milliseconds }) => {
    const story = storyOf(request);
    if (!answered) story.outcome = 'aborted';
    options.tell(request, reply, story, milliseconds);
  });
}

/** What is wrong with any request at this moment, whatever it asks for. */
function whyNotNow({ raw }: FastifyRequest, inFlight: InFlight, limits: Limits): Refusal | undefined {
  if (inFlight.isDraining) return { reason: 'shutting-down', retryAfter: RETRY_SHORTLY };
  if (inFlight.count > limits.inFlight) return { reason: 'overloaded', retryAfter: RETRY_SHORTLY };
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

function newFastify(options: AppOptions, inFlight: InFlight): FastifyInstance {
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
      follow(request, reply, inFlight, options);
      options.refuse(request, reply, { reason: 'not-found' });
    },
    schemaController: WITHOUT_SCHEMAS,
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 200 },
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.idleTimeoutMs,
    http2SessionTimeout: limits.idleTimeoutMs,
  } as const;
  if (!tls) return fastify({ ...shared, http: http1 }) as FastifyInstance;
  const settings = { maxHeaderListSize: limits.headerBytes * HEADER_SLACK, maxConcurrentStreams: STREAMS };
  const https = { ...http1, ...tlsOptions(tls), allowHTTP1: true, settings, maxHeaderListPairs: HEADER_PAIRS };
  // To fastify's types, a server of HTTP/2 has other requests; what we use of them is the same.
  return fastify({ ...shared, http2: true, https } as FastifyServerOptions);
}

/** What fastify or an operation threw, as a refusal. Whatever is not known is a fault, and its words stay inside. */
function refusalOf(error: FastifyError, request: FastifyRequest, options: AppOptions): Refusal {
  if (error instanceof StoreUnavailable) {
    options.tellFault(request, error);
    const reason = error instanceof OutcomeUnknown ? 'outcome-unknown' : 'store-unavailable';
    return { reason, retryAfter: RETRY_SHORTLY };
  }
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

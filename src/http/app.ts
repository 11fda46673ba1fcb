// A fastify instance with our limits, our errors and our log line; doors are hung into it.
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import type { Refusal, RefusalReason } from '../core/refusal.ts';
import { seconds } from '../core/time.ts';
import { StoreUnavailable } from '../store/store.ts';
import { type Story, storyOf } from './story.ts';
import { type TlsFiles, tlsOptions } from './tls.ts';

export interface Limits {
  readonly headerBytes: number;
  readonly bodyBytes: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly idleTimeoutMs: number;
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
  /** Called once per request, when its answer has gone out. */
  readonly tell: (request: FastifyRequest, reply: FastifyReply, story: Story) => void;
  /** Called for what broke, with what an operator needs; the caller gets a request id. */
  readonly tellFault: (request: FastifyRequest, fault: unknown) => void;
  /** Words a refusal that no door was reached for, or that a door did not word itself. */
  readonly refuse: (
    request: FastifyRequest,
    reply: FastifyReply,
    refusal: Refusal,
  ) => FastifyReply | Promise<FastifyReply>;
  /** The body that a broken request line or header gets, where there is no request yet. */
  readonly bareRefusal: (reason: RefusalReason) => { status: number; body: string };
}

export interface App {
  readonly fastify: FastifyInstance;
  /** From now on new requests are told to come back; resolves when those in flight have been answered. */
  drain(): Promise<void>;
}

const RETRY_SHORTLY = seconds(1);

export function makeApp(options: AppOptions): App {
  const { limits } = options;
  const state = { inFlight: 0, draining: false };
  const app = newFastify(options);

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  app.addHook('onRequest', async (request, reply) => {
    state.inFlight += 1;
    options.begin(request);
    if (state.draining)
      return options.refuse(request, reply.header('connection', 'close'), {
        reason: 'shutting-down',
        retryAfter: RETRY_SHORTLY,
      });
    if (state.inFlight > limits.inFlight)
      return options.refuse(request, reply, { reason: 'overloaded', retryAfter: RETRY_SHORTLY });
  });
  app.addHook('onResponse', async (request, reply) => {
    state.inFlight -= 1;
    options.tell(request, reply, storyOf(request));
  });
  app.setErrorHandler((error: FastifyError, request, reply) =>
    options.refuse(request, reply, refusalOf(error, request, options)),
  );
  const methods = knownMethods(app);
  app.setNotFoundHandler((request, reply) => {
    const allowed = methods(request.url);
    if (!allowed) return options.refuse(request, reply, { reason: 'not-found' });
    return options.refuse(request, reply.header('allow', allowed), { reason: 'method-not-allowed' });
  });

  return {
    fastify: app,
    drain: async () => {
      state.draining = true;
      await app.close();
    },
  };
}

/** Which methods a path takes, among the routes hung so far: for the 405 that a wrong one gets. */
function knownMethods(app: FastifyInstance): (url: string) => string | undefined {
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url.toLowerCase()) ?? new Set();
    for (const name of [method].flat()) known.add(name);
    methods.set(url.toLowerCase(), known);
  });
  return (url) => {
    const path = url
      .replace(/[?#].*$/, '')
      .replace(/(?<=.)\/$/, '')
      .toLowerCase();
    const known = methods.get(path);
    return known && [...known].join(', ');
  };
}

function newFastify(options: AppOptions): FastifyInstance {
  const { limits, tls } = options;
  const http1 = {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: 1000,
  };
  const shared = {
    bodyLimit: limits.bodyBytes,
    genReqId: options.requestId,
    exposeHeadRoutes: false, // HEAD never revokes
    return503OnClosing: false, // our own hook says it in the door's words
    forceCloseConnections: 'idle',
    clientErrorHandler: (error: Error, socket: Socket) => answerBareSocket(error, socket, options),
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 200 },
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.idleTimeoutMs,
  } as const;
  if (!tls) return fastify({ ...shared, http: http1 }) as FastifyInstance;
  const https = { ...http1, ...tlsOptions(tls), allowHTTP1: true, settings: { maxHeaderListSize: limits.headerBytes } };
  return fastify({ ...shared, http2: true, https }) as unknown as FastifyInstance;
}

/** What fastify or an operation threw, as a refusal. Whatever is not known is a fault, and its words stay inside. */
function refusalOf(error: FastifyError, request: FastifyRequest, options: AppOptions): Refusal {
  if (error instanceof StoreUnavailable) {
    options.tellFault(request, error);
    return { reason: 'store-unavailable', retryAfter: RETRY_SHORTLY };
  }
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return { reason: 'body-too-large' };
  if (error.statusCode !== undefined && error.statusCode < 500) return { reason: 'body-unreadable' };
  options.tellFault(request, error);
  return { reason: 'fault' };
}

const BARE_REASONS: Readonly<Record<string, RefusalReason>> = { HPE_HEADER_OVERFLOW: 'headers-too-large' };

/** A request so broken that there is none: answered on the bare socket, in JSON all the same. */
function answerBareSocket(error: NodeJS.ErrnoException, socket: Socket, options: AppOptions): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const { status, body } = options.bareRefusal(BARE_REASONS[error.code ?? ''] ?? 'body-unreadable');
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8`;
  socket.end(
    `${head}\r\nCache-Control: no-store\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

// One middleware for fastify, express, hono and plain node:http. Each is recognised by what it hands over.
import { certificateOf } from './binding.ts';
import { type Answer, answerTo, type Refusal } from './refusal.ts';

/** What a middleware gets, without depending on the frameworks. */
export interface NodeRequestLike {
  readonly headers: { readonly authorization?: string | undefined };
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly socket: unknown;
}
export interface NodeResponseLike {
  writeHead(status: number, headers: Record<string, string>): { end(body: string): unknown };
}
export interface FastifyRequestLike {
  readonly raw: NodeRequestLike;
}
export interface FastifyReplyLike {
  readonly sent: boolean;
  code(status: number): { headers(headers: Record<string, string>): { send(body: string): unknown } };
  hijack(): unknown;
  then(fulfilled: () => void, rejected: (fault: Error) => void): unknown;
}
export interface HonoContextLike {
  readonly req: {
    header(name: string): string | undefined;
    readonly raw: object;
    readonly method?: string;
    readonly path?: string;
  };
  readonly env?: unknown;
}

/** One function for all frameworks. */
export interface Middleware {
  /** node:http: true if the call is allowed; otherwise it has been answered. */
  (request: NodeRequestLike, response: NodeResponseLike): Promise<boolean>;
  /** A hook of fastify. */
  (request: FastifyRequestLike, reply: FastifyReplyLike): Promise<void>;
  /** Hono. */
  (context: HonoContextLike, next: () => Promise<void>): Promise<Response | undefined>;
  /** Express 4 and 5, and what else has `next`. */
  (request: NodeRequestLike, response: NodeResponseLike, next: () => void): Promise<void>;
}

/** A request, whatever the framework. */
export interface Call {
  readonly method: string | undefined;
  /** The path, as the caller sent it. */
  readonly target: string;
  readonly authorization: string | undefined;
  readonly certificate: Uint8Array | undefined;
  /** What the caller of a request is remembered by. */
  readonly keys: readonly object[];
  allow(): unknown;
  refuse(answer: Answer): unknown;
}

type Next = () => unknown;

export function callOf(args: readonly unknown[]): Call {
  const [first, second, third] = args as [object, object, Next | undefined];
  if (isHono(first)) return honoCall(first, second as unknown as Next);
  if (isFastify(second)) return fastifyCall(first as FastifyRequestLike, second);
  return nodeCall(first as NodeRequestLike, second as NodeResponseLike, third);
}

function isHono(first: object): first is HonoContextLike {
  return typeof (first as Partial<HonoContextLike>).req?.header === 'function' && 'res' in first;
}

function isFastify(second: object): second is FastifyReplyLike {
  return typeof (second as Partial<FastifyReplyLike>).code === 'function' && 'raw' in second;
}

/**
 * As a hook: fastify runs the handler when the promise resolves, unless the reply was sent. Hooks of the API (onSend) may delay the
 * reply, so the promise waits for it. If the client leaves meanwhile, nothing is sent: `hijack` keeps the handler from running.
 */
function fastifyCall(request: FastifyRequestLike, reply: FastifyReplyLike): Call {
  const { raw } = request;
  return {
    ...ofNode(raw),
    keys: [request, raw],
    allow: () => undefined,
    refuse: async ({ status, headers, body }) => {
      reply
        .code(status)
        .headers({ ...headers })
        .send(body);
      await reply;
      if (!reply.sent) reply.hijack();
    },
  };
}

/** Express, or a plain server without `next`. The promise is true if the call is allowed. */
function nodeCall(request: NodeRequestLike, response: NodeResponseLike, next: Next | undefined): Call {
  return {
    ...ofNode(request),
    keys: [request],
    allow: () => {
      next?.();
      return true;
    },
    refuse: ({ status, headers, body }) => {
      response.writeHead(status, { ...headers }).end(body);
      return false;
    },
  };
}

function honoCall(context: HonoContextLike, next: Next): Call {
  const { req, env } = context;
  const { incoming } = (env ?? {}) as { incoming?: NodeRequestLike }; // of @hono/node-server
  return {
    method: req.method,
    target: req.path ?? '',
    authorization: req.header('authorization'),
    certificate: certificateOf(incoming?.socket),
    keys: [context, req.raw],
    allow: () => next(),
    refuse: ({ status, headers, body }) => new Response(body, { status, headers: { ...headers } }),
  };
}

type Sent = Pick<Call, 'method' | 'target' | 'authorization' | 'certificate'>;

/** Express cuts `url` where a middleware is mounted, and keeps the whole one. */
function ofNode(request: NodeRequestLike & { readonly originalUrl?: string }): Sent {
  const { headers, socket, method, url = '', originalUrl = url } = request;
  return { method, target: originalUrl, authorization: headers.authorization, certificate: certificateOf(socket) };
}

export function refuseCall(call: Call, refusal: Refusal): unknown {
  return call.refuse(answerTo(refusal));
}

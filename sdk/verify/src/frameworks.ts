// One middleware for fastify, express, hono and plain node:http. Each is recognised by what it hands over.
import { certificateOf } from './binding.ts';
import { type Answer, answerTo, type Refusal } from './refusal.ts';

/** What a middleware gets, without depending on the frameworks. */
export interface NodeRequestLike {
  readonly headers: Readonly<Record<string, string | string[] | undefined>> & {
    readonly authorization?: string | undefined;
  };
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** Of express, which cuts `url` in a router. */
  readonly originalUrl?: string | undefined;
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
    readonly method: string;
    readonly url: string;
    readonly path?: string;
    readonly raw: object;
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
  readonly method: string;
  /** The path, as the caller sent it. */
  readonly target: string;
  readonly authorization: string | undefined;
  readonly certificate: Uint8Array | undefined;
  /** For DPoP: the header, and the path. */
  readonly proof: string | undefined;
  readonly path: string;
  /** What the caller of a request is remembered by. */
  readonly keys: readonly object[];
  allow(): unknown;
  refuse(answer: Answer): unknown;
}

/** What is checked of a request. */
export type SentCall = Pick<Call, 'authorization' | 'certificate' | 'proof' | 'method' | 'path'>;

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
    target: req.path ?? '',
    authorization: req.header('authorization'),
    certificate: certificateOf(incoming?.socket),
    proof: req.header('dpop'),
    method: req.method,
    path: pathOf(req.url),
    keys: [context, req.raw],
    allow: () => next(),
    refuse: ({ status, headers, body }) => new Response(body, { status, headers: { ...headers } }),
  };
}

/** A request of the Fetch API, whose connection cannot be seen. */
export function fetchCall({ method, url, headers }: Request): SentCall {
  const [authorization, proof] = ['authorization', 'dpop'].map((name) => headers.get(name) ?? undefined);
  return { authorization, certificate: undefined, proof, method, path: pathOf(url) };
}

function ofNode({
  headers,
  socket,
  method = '',
  url = '',
  originalUrl = url,
}: NodeRequestLike): SentCall & Pick<Call, 'target'> {
  return {
    authorization: headers.authorization,
    certificate: certificateOf(socket),
    // Several are joined with a comma, which no proof has.
    proof: headers['dpop'] === undefined ? undefined : String(headers['dpop']),
    method,
    target: originalUrl,
    path: pathOf(originalUrl),
  };
}

/** Of an address, or of what a request line has. */
function pathOf(target: string): string {
  const url = target.startsWith('/') ? `http://localhost${target}` : target;
  return URL.canParse(url) ? new URL(url).pathname : '';
}

export function refuseCall(call: Call, refusal: Refusal): unknown {
  return call.refuse(answerTo(refusal));
}

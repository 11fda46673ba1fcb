import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { ServerReason } from './transport-refusal.ts';

/** RFC 6749 5.1: JSON that caches do not store and browsers do not sniff. */
export const JSON_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
  pragma: 'no-cache',
  'x-content-type-options': 'nosniff',
};

export function replyJson(reply: FastifyReply, status: number, body: string): FastifyReply {
  return reply.code(status).headers(JSON_HEADERS).send(body);
}

const HEADERS = Object.entries(JSON_HEADERS).flat();

/** Past fastify's `send`, which takes 1.2 to 1.7 % of a refresh (`npm run lab -- bench --against FOLDER`). Status 200; no other header may have been set. */
export function answerJson(reply: FastifyReply, body: string): void {
  // Over HTTP/2, and while the server stops, hooks have to do something.
  const exchange = exchangeOf(reply.raw);
  if (reply.sent || !exchange?.staysOpen()) return void replyJson(reply, 200, body);
  const length = String(Buffer.byteLength(body)); // a fault from the hijack on would leave the caller without a response
  exchange.release();
  reply.hijack();
  reply.raw.writeHead(200, [...HEADERS, 'content-length', length]).end(body);
}

/** What a door may do with the response to a request, besides sending it. The front attaches it. */
export interface Exchange {
  /** Whether it is on an HTTP/1.1 connection that stays open after it. */
  staysOpen(): boolean;
  /** The response becomes a stream of events for `follower`; `end` ends it when the server stops. Returns why it must not, if there are too many. */
  keepStreaming(end: () => void, follower: string): ServerReason | undefined;
  /** Its answer is ready to be sent: it needs no slot any more. fastify's `send` calls it. */
  release(): void;
  /** Ends it at once, without waiting for the caller to read. */
  disconnect(): void;
}

const EXCHANGE = Symbol('what a door may do with this response');
type Attached = ServerResponse & { [EXCHANGE]?: Exchange };

export function attachExchange(response: Attached, exchange: Exchange): void {
  response[EXCHANGE] = exchange;
}

export function exchangeOf(response: Attached): Exchange | undefined {
  return response[EXCHANGE];
}

// What a door may do with the response to a request, besides sending it. The front attaches it.
import type { ServerResponse } from 'node:http';
import type { ServerReason } from './transport-refusal.ts';

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

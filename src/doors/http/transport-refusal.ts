// Refusals of the server itself, or of a door that cannot read a request. A door may have texts of its own.
import type { Refusal } from '../../core/refusal.ts';
import type { ServerClass } from '../../core/refusals/declaration.ts';
import { LIMIT, OF_SERVER } from '../../core/refusals/server.ts';

export type TransportReason = keyof typeof OF_SERVER;
/** Every refusal of the server. Operations also refuse with `rate-limited`. */
export type ServerReason = TransportReason | keyof typeof LIMIT;
export type ServerRefusal = Refusal<ServerReason>;

export const SERVER_STATUS: Readonly<Record<ServerClass, number>> = {
  request: 400,
  'path-unknown': 404,
  'method-wrong': 405,
  'body-too-large': 413,
  'too-many': 429,
  'headers-too-large': 431,
  unavailable: 503,
  fault: 400,
};

interface Words {
  readonly status: number;
  readonly text: string;
}

const DECLARED = Object.entries({ ...OF_SERVER, ...LIMIT });

export const TRANSPORT_WORDS = Object.fromEntries(
  DECLARED.map(([reason, { class: kind, says }]) => [reason, { status: SERVER_STATUS[kind], text: says }]),
) as Readonly<Record<ServerReason, Words>>;

export function isOfServer(reason: string): reason is ServerReason {
  return reason in TRANSPORT_WORDS;
}

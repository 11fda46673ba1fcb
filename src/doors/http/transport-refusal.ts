// Refusals of the server itself, or of a door that cannot read a request. A door may have texts of its own, and then has one for each.
import type { Refusal, RefusalReason } from '../../core/refusal.ts';

/** What is wrong with the request itself. */
export const REQUEST_REASONS = [
  'request-malformed',
  'request-too-slow',
  'headers-too-large',
  'body-too-large',
  'body-unreadable',
  'body-compressed',
  'content-type-repeated',
  'content-type-unsupported',
  'json-required',
  'charset-unsupported',
  'parameter-not-text',
  'parameter-repeated',
  'not-found',
  'method-not-allowed',
] as const;

/** The state of the service: ask again later. */
export const UNAVAILABLE_REASONS = [
  'store-unavailable',
  'clock-implausible',
  'history-in-doubt',
  'outcome-unknown',
  'key-missing',
  'directory-unavailable',
  'overloaded',
] as const;

export const TRANSPORT_REASONS = [...REQUEST_REASONS, ...UNAVAILABLE_REASONS, 'fault'] as const;

export type TransportReason = (typeof TRANSPORT_REASONS)[number];

/** Every refusal of the server. Operations also refuse with `rate-limited`. */
export type ServerReason = TransportReason | Extract<RefusalReason, 'rate-limited'>;
export type ServerRefusal = Refusal<ServerReason>;

interface Words {
  readonly status: number;
  /** Constant text, never input. It may become the reason phrase of HTTP/1.1: ASCII, on one line. */
  readonly text: string;
}

export const TRANSPORT_WORDS: Readonly<Record<ServerReason, Words>> = {
  'request-malformed': { status: 400, text: 'The request is malformed.' },
  'request-too-slow': { status: 400, text: 'The request took too long to arrive.' },
  'headers-too-large': { status: 431, text: 'The request headers are too large.' },
  'body-too-large': { status: 413, text: 'The body is too large, or in too many parts.' },
  'body-unreadable': {
    status: 400,
    text: 'The body could not be read. Send one JSON object, or form fields where the operation takes them.',
  },
  'body-compressed': { status: 400, text: 'The body is compressed. Send it as it is, without Content-Encoding.' },
  'content-type-repeated': { status: 400, text: 'There is more than one Content-Type. Send one.' },
  'content-type-unsupported': { status: 400, text: 'This Content-Type is not supported here.' },
  'json-required': { status: 400, text: 'This operation takes JSON only. Send Content-Type: application/json.' },
  'charset-unsupported': { status: 400, text: 'Send the body in UTF-8, with charset=utf-8 or without a charset.' },
  'parameter-not-text': { status: 400, text: 'A parameter is not a string.' },
  'parameter-repeated': { status: 400, text: 'A parameter was given twice.' },
  'not-found': { status: 404, text: 'There is nothing at this path.' },
  'method-not-allowed': { status: 405, text: 'This path does not take this method.' },
  'store-unavailable': {
    status: 503,
    text: 'The service cannot reach its store. This request changed nothing. Ask again.',
  },
  'clock-implausible': {
    status: 503,
    text: 'The clock of the service is wrong. This request changed nothing. Ask again.',
  },
  'history-in-doubt': {
    status: 503,
    text: 'The store may have lost recent changes. This request changed nothing. Keep your tokens and ask again later.',
  },
  'outcome-unknown': {
    status: 503,
    text: 'The store failed while changes were being written: they may have been made or not. Ask exactly the same again.',
  },
  'key-missing': {
    status: 503,
    text: 'This server does not have the key of this token yet. Nothing was changed. Ask again.',
  },
  'directory-unavailable': {
    status: 503,
    text: 'The directory of this identity cannot be reached. This request changed nothing. Ask again.',
  },
  overloaded: { status: 503, text: 'The service is overloaded. Nothing was changed. Ask again.' },
  'rate-limited': { status: 429, text: 'Too many requests. Wait, then ask again.' },
  fault: { status: 400, text: 'An internal error occurred.' },
};

/** One wording for every reason of a group, as part of a table of wordings. */
export function wordedAlike<R extends string, W>(reasons: readonly R[], wording: W): Readonly<Record<R, W>> {
  return Object.fromEntries(reasons.map((reason) => [reason, wording])) as Record<R, W>;
}

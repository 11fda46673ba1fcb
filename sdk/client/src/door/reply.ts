// What an answer of the token endpoint means for the credential that was presented.
import type { Answer, NoAnswer } from './send.ts';

export type Reply =
  | { readonly kind: 'granted'; readonly json: Readonly<Record<string, unknown>> }
  /** The server said no. It has not spent the credential. */
  | { readonly kind: 'refused'; readonly error: string; readonly why: string }
  /** The same request may be sent again: nothing was done, or the server will take a retry. */
  | { readonly kind: 'later'; readonly afterMs: number | undefined; readonly why: string }
  /** It may have been done. */
  | { readonly kind: 'unclear'; readonly why: string };

/**
 * The server promises that after its 503 the same request may be repeated, however long it is away. A proxy says 502 or 503 while the server
 * is away, also if it went away with the request: then the server takes a retry from the moment at which it is back.
 */
const LATER: ReadonlySet<number> = new Set([429, 502, 503]);

/** `member`: what a good answer contains. */
export function replyOf({ status, json = {}, retryAfter }: Answer, member: string | undefined): Reply {
  const error = textOf(json['error']);
  const why = textOf(json['error_description']) ?? error ?? `status ${status}`;
  if (status === 200 && (member === undefined || isCredential(json[member]))) return { kind: 'granted', json };
  if (LATER.has(status)) return { kind: 'later', afterMs: milliseconds(retryAfter), why };
  if (status >= 400 && status < 500 && error) return { kind: 'refused', error, why };
  return { kind: 'unclear', why: `the server answered with status ${status}` };
}

export function replyOfNone({ wasSent, message }: NoAnswer): Reply {
  return wasSent ? { kind: 'unclear', why: message } : { kind: 'later', afterMs: undefined, why: message };
}

/** RFC 6749 A.12: visible characters. Others could end a header, or reach a terminal. */
function isCredential(value: unknown): boolean {
  return typeof value === 'string' && /^[\x20-\x7e]+$/.test(value);
}

function textOf(value: unknown): string | undefined {
  // The text ends up in messages and terminals.
  return typeof value === 'string' && value !== '' ? value.replace(/\p{Cc}/gu, '?').slice(0, 10_000) : undefined;
}

function milliseconds(retryAfter: string | undefined): number | undefined {
  const seconds = Number(retryAfter ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined;
}

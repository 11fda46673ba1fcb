// How refusals are sent: to a request that has a reply, or as bytes.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Refusal } from '../../core/refusal.ts';
import { CERTIFICATE_NAME, CERTIFICATE_VERDICT } from '../../core/refusals/certificates.ts';
import { JSON_HEADERS } from './answers.ts';
import { recordRefusal } from './request-record.ts';
import { type ServerReason, type ServerRefusal, TRANSPORT_WORDS } from './transport-refusal.ts';
import { wantedForm } from './wanted-form.ts';

interface PreparedRefusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How a door sends the server's refusals of requests to its paths. */
export interface RefusalReplies {
  readonly reply: (reply: FastifyReply, refusal: ServerRefusal) => FastifyReply;
}

export interface WordedRefusal {
  readonly status: number;
  /** Replaces the phrase of a 400: many command-line clients print only the status line. */
  readonly phrase?: string;
  /** Of the body, where it is not plain JSON. */
  readonly type?: string;
  readonly body: string;
}

/** `word`: how a door words a refusal, for one request or for all. */
export function repliesIn(word: (refusal: ServerRefusal, request?: FastifyRequest) => WordedRefusal): RefusalReplies {
  return { reply: (reply, refusal) => replyRefusal(reply, refusal, word(refusal, reply.request)) };
}

function headersOf(type: string | undefined): typeof JSON_HEADERS {
  return type === undefined ? JSON_HEADERS : { ...JSON_HEADERS, 'content-type': type };
}

/** For paths that no door owns, and for doors without words of their own. */
export const NEUTRAL_REPLIES = repliesIn(wordNeutrally);

function wordNeutrally(refusal: ServerRefusal, request?: FastifyRequest): WordedRefusal {
  const { status, text } = TRANSPORT_WORDS[refusal.reason];
  const body = { Error: 'invalid_request', Error_description: nameRequest(text, refusal, request) };
  return { status, phrase: text, body: JSON.stringify(body) };
}

/** For requests that have no reply. */
export function prepareRefusal(reason: ServerReason): PreparedRefusal {
  const { status, body } = wordNeutrally({ reason });
  const allow = status === 405 && { allow: 'GET, POST' }; // RFC 9110 15.5.6; which path it is is not known
  const length = String(Buffer.byteLength(body));
  return { status, headers: { ...allow, ...JSON_HEADERS, 'content-length': length }, body };
}

/** For paths that no door owns: a page for browsers, JSON for programs. `pages`: how the door for people replies. */
export function unownedReplies(pages: RefusalReplies = NEUTRAL_REPLIES): RefusalReplies {
  return {
    reply: (reply, refusal) => {
      const replies = wantedForm(reply.request.headers) === 'page' ? pages : NEUTRAL_REPLIES;
      return replies.reply(reply, refusal);
    },
  };
}

/** Sent with every refusal: `tessera explain request` finds the log line by it. */
export const REQUEST_ID = 'request-id';

/** Sends a refusal and records it for the log line. */
export function replyRefusal(reply: FastifyReply, refusal: Refusal<string>, worded: WordedRefusal): FastifyReply {
  const { request } = reply;
  const { status, phrase, type, body } = worded;
  recordRefusal(request, refusal);
  reply.header(REQUEST_ID, request.id);
  if (refusal.retryAfter !== undefined && status !== 400) reply.header('retry-after', refusal.retryAfter);
  if (status === 400 && phrase !== undefined && !('stream' in request.raw)) reply.raw.statusMessage = phrase;
  return reply.code(status).headers(headersOf(type)).send(body);
}

/** The log line "certificate refused" explains these. */
const EXPLAINED_IN_LOG = { ...CERTIFICATE_VERDICT, ...CERTIFICATE_NAME };

/** Adds the request id if only the log has the details, so that the operator finds the line. */
export function nameRequest(text: string, { reason }: Refusal<string>, request?: FastifyRequest): string {
  const isInLog = reason === 'fault' || reason in EXPLAINED_IN_LOG;
  return request && isInLog ? `${text} Request ${request.id}.` : text;
}

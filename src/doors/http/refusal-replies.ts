// How refusals are sent: to a request that has a reply, or as bytes prepared before any work is done for a request.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CERTIFICATE_NAME_VERDICTS, CERTIFICATE_VERDICTS, type Refusal } from '../../core/refusal.ts';
import { replyJson } from './answers.ts';
import { type PreparedRefusal, prepareJson, prepareOnce } from './prepared-refusal.ts';
import { recordRefusal } from './request-record.ts';
import { neutralBody, type ServerReason, type ServerRefusal, TRANSPORT_WORDS } from './transport-refusal.ts';
import { wantedForm } from './wanted-form.ts';

/** How a door sends the server's refusals of requests to its paths. */
export interface RefusalReplies {
  reply(request: FastifyRequest, reply: FastifyReply, refusal: ServerRefusal): FastifyReply;
  /** The same as bytes, for requests that are turned away before a door is reached. */
  prepare(url: string, reason: ServerReason): PreparedRefusal;
}

/** For paths that no door owns, and for doors without words of their own. */
export const NEUTRAL_REPLIES: RefusalReplies = {
  reply: (request, reply, refusal) => {
    const { status, text } = TRANSPORT_WORDS[refusal.reason];
    const body = neutralBody(nameRequest(text, request, refusal));
    return replyRefusal(request, reply, refusal, { status, phrase: text, body });
  },
  prepare: (_url, reason) => prepareNeutral(reason),
};

/** For paths that no door owns: a page for browsers, JSON for programs. `pages`: how the door for people replies. */
export function unownedReplies(pages: RefusalReplies | undefined): RefusalReplies {
  if (!pages) return NEUTRAL_REPLIES;
  return {
    reply: (request, reply, refusal) => {
      const replies = wantedForm(request.headers) === 'page' ? pages : NEUTRAL_REPLIES;
      return replies.reply(request, reply, refusal);
    },
    prepare: (url, reason) => NEUTRAL_REPLIES.prepare(url, reason),
  };
}

export const prepareNeutral = prepareOnce((reason: ServerReason) => {
  const { status, text } = TRANSPORT_WORDS[reason];
  return prepareJson(status, neutralBody(text));
});

export interface WordedRefusal {
  readonly status: number;
  /** Replaces the phrase of a 400: many command-line clients print only the status line. */
  readonly phrase: string;
  readonly body: string;
}

/** Sent with every refusal: `tessera explain request` finds the log line by it. */
export const REQUEST_ID = 'request-id';

/** Sends a refusal as JSON and records it for the log line. */
export function replyRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Refusal<string>,
  { status, phrase, body }: WordedRefusal,
): FastifyReply {
  recordRefusal(request, refusal);
  reply.header(REQUEST_ID, request.id);
  if (refusal.retryAfter !== undefined && status !== 400) reply.header('retry-after', refusal.retryAfter);
  if (status === 400 && !('stream' in request.raw)) reply.raw.statusMessage = phrase;
  return replyJson(reply, status, body);
}

/** The log line "certificate refused" explains these. */
const EXPLAINED_IN_LOG: ReadonlySet<string> = new Set([...CERTIFICATE_VERDICTS, ...CERTIFICATE_NAME_VERDICTS]);

/** Adds the request id if only the log has the details, so that the operator finds the line. */
export function nameRequest(text: string, { id }: FastifyRequest, { reason }: Refusal<string>): string {
  return reason === 'fault' || EXPLAINED_IN_LOG.has(reason) ? `${text} Request ${id}.` : text;
}

// Refusals of the admin door, as problem details (RFC 9457).
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Refusal, RefusalReason } from '../../core/refusal.ts';
import type { AdminRefusal } from '../../operations/admin/admin.ts';
import { type AdminRefusalClass, describeRefusal } from '../../operations/admin/refusals.ts';
import { JSON_HEADERS } from '../http/answers.ts';
import type { PreparedRefusal } from '../http/prepared-refusal.ts';
import { REQUEST_ID } from '../http/refusal-replies.ts';
import { recordRefusal } from '../http/request-record.ts';
import { type ServerReason, TRANSPORT_WORDS } from '../http/transport-refusal.ts';
import { describe } from '../token/descriptions.ts';

export type DoorRefusal = AdminRefusal | Refusal<RefusalReason | ServerReason>;

const STATUS: Readonly<Record<AdminRefusalClass, number>> = {
  malformed: 400,
  unauthorized: 401,
  forbidden: 403,
  unknown: 404,
  conflict: 409,
  unconfirmed: 409,
  'not-now': 409,
  gone: 410,
  stale: 412,
};
export const PROBLEM_STATUSES = [...new Set(Object.values(STATUS)), 405, 413, 429, 500, 503].sort((a, b) => a - b);

interface Worded {
  readonly status: number;
  /** The heading of docs/errors.md, or the refusal there. */
  readonly anchor: string;
  readonly title: string;
  readonly members: object;
}

export function replyProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: DoorRefusal,
  publicUrl: string,
): FastifyReply {
  const { status, anchor, title, members } = wordingOf(refusal, request.headers['if-none-match'] !== undefined);
  recordRefusal(request, refusal);
  if ('retryAfter' in refusal && refusal.retryAfter !== undefined) reply.header('retry-after', refusal.retryAfter);
  if (status === 401) reply.header('www-authenticate', 'Bearer realm="tessera", error="invalid_token"');
  if (status === 403) reply.header('www-authenticate', 'Bearer realm="tessera", error="insufficient_scope"');
  const body = { type: typeOf(publicUrl, anchor), title, status, ...members, requestId: request.id };
  return reply.code(status).headers(PROBLEM_HEADERS).header(REQUEST_ID, request.id).send(JSON.stringify(body));
}

const PROBLEM_HEADERS = { ...JSON_HEADERS, 'content-type': 'application/problem+json; charset=utf-8' };

function typeOf(publicUrl: string, anchor: string): string {
  return `${publicUrl}/docs/errors#${anchor}`;
}

/** `isCreating`: the request says that the thing must not exist, so an existing one is a precondition that failed. */
function wordingOf(refusal: DoorRefusal, isCreating: boolean): Worded {
  if (!('about' in refusal)) return tokenWording(refusal);
  const { reason, about } = refusal;
  const { class: kind, what, remedy } = describeRefusal(reason, about);
  const status = isCreating && reason.endsWith('-exists') ? 412 : STATUS[kind];
  const todo = typeof remedy === 'string' ? remedy : `${remedy.act}.`;
  return { status, anchor: 'administration', title: kind, members: { detail: `${what}. ${todo}`, reason, about } };
}

/** Refusals of the access token, and of the server. */
function tokenWording(refusal: Refusal<RefusalReason | ServerReason>): Worded {
  const { reason } = refusal;
  if (isOfServer(reason)) {
    const { status, text } = TRANSPORT_WORDS[reason];
    const isFault = reason === 'fault';
    return { status: isFault ? 500 : status, anchor: reason, title: reason, members: { detail: text, reason } };
  }
  return { status: 401, anchor: reason, title: reason, members: { detail: describe(refusal), reason } };
}

function isOfServer(reason: string): reason is ServerReason {
  return Object.hasOwn(TRANSPORT_WORDS, reason);
}

export function prepareProblem(reason: ServerReason, publicUrl: string): PreparedRefusal {
  const { status, anchor, title, members } = tokenWording({ reason });
  const body = JSON.stringify({ type: typeOf(publicUrl, anchor), title, status, ...members });
  return { status, headers: { ...PROBLEM_HEADERS, 'content-length': String(Buffer.byteLength(body)) }, body };
}

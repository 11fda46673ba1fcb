// Refusals of the admin door, as problem details (RFC 9457).
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Refusal, RefusalReason } from '../../core/refusal.ts';
import type { AdminRefusal } from '../../operations/admin/admin.ts';
import { type AdminRefusalClass, describeRefusal } from '../../operations/admin/refusals.ts';
import { replyRefusal, type WordedRefusal } from '../http/refusal-replies.ts';
import { type ServerReason, TRANSPORT_WORDS } from '../http/transport-refusal.ts';
import { describe, isTransport } from '../token/descriptions.ts';

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
  const problem = problemOf(refusal, publicUrl, request);
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer realm="tessera", error="invalid_token"');
  if (problem.status === 403) reply.header('www-authenticate', 'Bearer realm="tessera", error="insufficient_scope"');
  return replyRefusal(request, reply, refusal, problem);
}

export function problemOf(refusal: DoorRefusal, publicUrl: string, request?: FastifyRequest): WordedRefusal {
  const isCreating = request?.headers['if-none-match'] !== undefined;
  const { status, anchor, title, members } = wordingOf(refusal, isCreating);
  const type = `${publicUrl}/docs/errors#${anchor}`;
  const body = { type, title, status, ...members, ...(request && { requestId: request.id }) };
  return { status, type: 'application/problem+json; charset=utf-8', body: JSON.stringify(body) };
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
  if (isTransport(reason)) {
    const { status, text } = TRANSPORT_WORDS[reason];
    const isFault = reason === 'fault';
    return { status: isFault ? 500 : status, anchor: reason, title: reason, members: { detail: text, reason } };
  }
  return { status: 401, anchor: reason, title: reason, members: { detail: describe(refusal), reason } };
}

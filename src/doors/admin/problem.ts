// Refusals of the admin door, as problem details (RFC 9457).
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Refusal, RefusalReason } from '../../core/refusal.ts';
import type { AdminRefusal } from '../../operations/admin/admin.ts';
import { type AdminRefusalClass, describeRefusal } from '../../operations/admin/refusals.ts';
import { replyRefusal, type WordedRefusal } from '../http/refusal-replies.ts';
import { isOfServer, type ServerReason, TRANSPORT_WORDS } from '../http/transport-refusal.ts';
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

export function replyProblem(reply: FastifyReply, refusal: DoorRefusal, publicUrl: string): FastifyReply {
  const problem = problemOf(refusal, publicUrl, reply.request);
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer realm="tessera", error="invalid_token"');
  if (problem.status === 403) reply.header('www-authenticate', 'Bearer realm="tessera", error="insufficient_scope"');
  return replyRefusal(reply, refusal, problem);
}

export function problemOf(refusal: DoorRefusal, publicUrl: string, request?: FastifyRequest): WordedRefusal {
  const isCreating = request?.headers['if-none-match'] !== undefined;
  const { anchor, ...words } = 'about' in refusal ? adminWords(refusal, isCreating) : tokenWords(refusal);
  const body = { type: `${publicUrl}/docs/errors#${anchor}`, ...words, ...(request && { requestId: request.id }) };
  return { status: words.status, type: 'application/problem+json; charset=utf-8', body: JSON.stringify(body) };
}

/** `isCreating`: the request says that the thing must not exist, so an existing one is a precondition that failed. */
function adminWords({ reason, about }: AdminRefusal, isCreating: boolean) {
  const { class: title, what, remedy } = describeRefusal(reason, about);
  const status = isCreating && reason.endsWith('-exists') ? 412 : STATUS[title];
  const todo = typeof remedy === 'string' ? remedy : `${remedy.act}.`;
  return { anchor: 'administration', title, status, detail: `${what}. ${todo}`, reason, about };
}

/** Refusals of the access token, and of the server. The anchor is the refusal in docs/errors.md. */
function tokenWords(refusal: Refusal<RefusalReason | ServerReason>) {
  const { reason } = refusal;
  const status = reason === 'fault' ? 500 : isOfServer(reason) ? TRANSPORT_WORDS[reason].status : 401;
  return { anchor: reason, title: reason, status, detail: describe(refusal), reason };
}

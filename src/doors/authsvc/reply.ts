import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Refusal } from '../../core/refusal.ts';
import { nameRequest, replyRefusal, type WordedRefusal } from '../http/refusal-replies.ts';
import { describe } from '../token/descriptions.ts';
import { errorBody } from './answers.ts';
import type { ErrorKeys } from './schemas.ts';
import type { AuthsvcReason, Wording } from './wording.ts';

export function replyAuthsvcRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Refusal<AuthsvcReason>,
  wording: Wording,
  keys: ErrorKeys,
): FastifyReply {
  if (wording.error === 'invalid_token')
    reply.header(
      'www-authenticate',
      refusal.reason === 'access-token-missing' ? 'Bearer' : 'Bearer error="invalid_token"',
    );
  return replyRefusal(request, reply, refusal, authsvcWords(refusal, wording, keys, request));
}

export function authsvcWords(
  refusal: Refusal<AuthsvcReason>,
  { status, error }: Wording,
  keys: ErrorKeys,
  request?: FastifyRequest,
): WordedRefusal {
  const phrase = describeAuthsvc(refusal);
  return { status, phrase, body: JSON.stringify(errorBody(error, nameRequest(phrase, refusal, request), keys)) };
}

export function describeAuthsvc({ reason, ...details }: Refusal<AuthsvcReason>): string {
  if (reason === 'refresh-by-form') return 'A refresh takes Content-Type: application/json.';
  if (reason === 'content-type-unsupported') {
    return 'Send Content-Type: application/json, or application/x-www-form-urlencoded for a device code.';
  }
  return describe({ reason, ...details });
}

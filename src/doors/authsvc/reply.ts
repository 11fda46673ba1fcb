import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuthsvcReason, Refusal } from '../../core/refusal.ts';
import { nameRequest, replyRefusal, type WordedRefusal } from '../http/refusal-replies.ts';
import { describe } from '../token/descriptions.ts';
import { errorBody } from './answers.ts';
import type { ErrorKeys } from './schemas.ts';
import type { Wording } from './wording.ts';

export function replyAuthsvcRefusal(
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
  return replyRefusal(reply, refusal, authsvcWords(refusal, wording, keys, reply.request));
}

export function authsvcWords(
  refusal: Refusal<AuthsvcReason>,
  { status, error }: Wording,
  keys: ErrorKeys,
  request?: FastifyRequest,
): WordedRefusal {
  const phrase = describe(refusal, 'authsvc');
  return { status, phrase, body: JSON.stringify(errorBody(error, nameRequest(phrase, refusal, request), keys)) };
}

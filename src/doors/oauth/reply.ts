import type { FastifyReply, FastifyRequest } from 'fastify';
import { nameRequest, replyRefusal, type WordedRefusal } from '../http/refusal-replies.ts';
import { describe } from '../token/descriptions.ts';
import { challengeOf } from './client.ts';
import type { ErrorAnswer } from './schemas.ts';
import { type OauthRefusal, wordingOf } from './wording.ts';

export function replyOauthRefusal(reply: FastifyReply, refusal: OauthRefusal): FastifyReply {
  const { error } = wordingOf(refusal.reason, refusal.credential);
  const { authorization } = reply.request.headers;
  // RFC 6749 5.2: integrations have no secret, so a request without the header gets no challenge.
  if (error === 'invalid_client' && (authorization || refusal.credential === 'resource-server'))
    reply.header('www-authenticate', challengeOf(authorization));
  return replyRefusal(reply, refusal, oauthWords(refusal, reply.request));
}

export function oauthWords(refusal: OauthRefusal, request?: FastifyRequest): WordedRefusal {
  const { status, error } = wordingOf(refusal.reason, refusal.credential);
  const phrase = describe(refusal, 'oauth');
  const body: ErrorAnswer = { error, error_description: nameRequest(phrase, refusal, request) };
  return { status, phrase, body: JSON.stringify(body) };
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Refusal } from '../../core/refusal.ts';
import { JSON_HEADERS } from '../server/json-headers.ts';
import { storyOf } from '../server/story.ts';
import { describe } from '../token/descriptions.ts';
import { type ErrorKeys, errorBody } from './answers.ts';
import type { Wording } from './wording.ts';

export function answer(reply: FastifyReply, status: number, body: object): FastifyReply {
  return reply.code(status).headers(JSON_HEADERS).send(JSON.stringify(body));
}

export function answerRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  refusal: Refusal,
  { status, error }: Wording,
  keys: ErrorKeys,
): FastifyReply {
  const story = storyOf(request);
  story.outcome = refusal.reason === 'fault' ? 'fault' : 'refused';
  story.reason = refusal.reason;
  if (refusal.rule) story.rule = refusal.rule;
  const description = refusal.reason === 'fault' ? `${describe(refusal)} Request ${request.id}.` : describe(refusal);
  if (refusal.retryAfter !== undefined && status !== 400) reply.header('retry-after', refusal.retryAfter);
  if (error === 'invalid_token')
    reply.header(
      'www-authenticate',
      refusal.reason === 'access-token-missing' ? 'Bearer' : 'Bearer error="invalid_token"',
    );
  // Many command-line clients print only the status line. A 401 keeps its own phrase.
  if (status === 400 && request.raw.httpVersionMajor === 1) reply.raw.statusMessage = describe(refusal);
  return answer(reply, status, errorBody(error, description, keys));
}

import type { FastifyRequest } from 'fastify';
import { accept, type Outcome, refuse } from '../../core/outcome.ts';

const CREDENTIALS = /^bearer +([^ ]+)( .*)?$/is;

/** RFC 6750 2.1: `Authorization: Bearer`, the scheme in any letter case. Tokens in the URL are refused. */
export function bearerToken(request: FastifyRequest): Outcome<string> {
  if (/[?&]access_token=/i.test(request.url)) return refuse('access-token-in-query');
  const [, token, more] = CREDENTIALS.exec(request.headers.authorization ?? '') ?? [];
  if (token === undefined) return refuse('access-token-missing');
  return more === undefined ? accept(token) : refuse('access-token-not-authentic');
}

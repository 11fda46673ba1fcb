import type { FastifyRequest } from 'fastify';
import { accept, type Outcome, refuse } from '../core/outcome.ts';

/** RFC 6750 2.1: `Authorization: Bearer`, the scheme in any letter case. Tokens in the address are refused. */
export function bearerToken(request: FastifyRequest): Outcome<string> {
  if (/[?&]access_token=/i.test(request.url)) return refuse('access-token-in-query');
  const [scheme = '', token = '', ...rest] = (request.headers.authorization ?? '').split(/ +/);
  if (scheme.toLowerCase() !== 'bearer' || token === '') return refuse('access-token-missing');
  return rest.length > 0 ? refuse('access-token-not-authentic') : accept(token);
}

import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { accept, type Outcome, refuse } from '../../core/outcome.ts';
import { type AccessTokenPorts, readAccessToken } from '../../tokens/access-token.ts';

const CREDENTIALS = /^bearer +([^ ]+)( .*)?$/is;

/** RFC 6750 2.1: `Authorization: Bearer`, the scheme in any letter case. Tokens in the URL are refused. */
export function bearerToken(request: FastifyRequest): Outcome<string> {
  if (/[?&]access_token=/i.test(request.url)) return refuse('access-token-in-query');
  const [, token, more] = CREDENTIALS.exec(request.headers.authorization ?? '') ?? [];
  if (token === undefined) return refuse('access-token-missing');
  return more === undefined ? accept(token) : refuse('access-token-not-authentic');
}

/** Whether the headers carry an access token that this service minted. It may have expired: the store is not read. */
export function showsAccessToken({ authorization }: IncomingHttpHeaders, ports: AccessTokenPorts): boolean {
  const [, token] = CREDENTIALS.exec(authorization ?? '') ?? [];
  return token !== undefined && readAccessToken(token, ports) !== undefined;
}

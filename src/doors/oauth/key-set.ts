// The public keys of our JWTs (RFC 7517), read from the store: every node answers alike.
import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { PublishedKey } from '../../core/signing-key.ts';
import { recordOf } from '../http/request-record.ts';
import { PATHS } from './metadata.ts';
import type { OauthMount } from './mount.ts';
import type { KeySet } from './schemas.ts';

/** Public, and the same for everybody: any web page may read it. */
export const PUBLIC_HEADERS = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'public, max-age=300',
  'access-control-allow-origin': '*',
  'x-content-type-options': 'nosniff',
};

/** Fetch Standard, CORS-preflight: a page may send any header except Authorization, such as `MCP-Protocol-Version`. */
const PREFLIGHT_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD',
  'access-control-allow-headers': '*',
  'access-control-max-age': '86400',
};

type Handle = (request: FastifyRequest, reply: FastifyReply) => void;

/** RFC 9110 9.1: HEAD where there is something to GET. */
export function mountPublic(app: FastifyInstance, path: string, operation: string, handle: Handle): void {
  app.get(path, { exposeHeadRoute: true }, async (request, reply): Promise<void> => {
    recordOf(request).operation = operation;
    handle(request, reply);
  });
  app.options(path, async (request, reply): Promise<void> => {
    recordOf(request).operation = operation;
    reply.code(204).headers(PREFLIGHT_HEADERS).send();
  });
}

export function mountKeySet(app: FastifyInstance, { path, ports }: Pick<OauthMount, 'path' | 'ports'>): void {
  let written = writeKeySet([]);
  mountPublic(app, path + PATHS.jwks, 'jwks', (request, reply) => {
    const { signingKeys } = ports.registry;
    if (written.of !== signingKeys) written = writeKeySet(signingKeys);
    reply.headers({ ...PUBLIC_HEADERS, etag: written.etag });
    if (names(request.headers['if-none-match'], written.etag)) reply.code(304).send();
    else reply.send(written.body);
  });
}

export function keySetOf(published: readonly PublishedKey[]): KeySet {
  const keys = published.map(({ id, algorithm, publicKey }) => ({ kid: id, alg: algorithm, use: 'sig', ...publicKey }));
  return { keys } as KeySet;
}

function writeKeySet(of: readonly PublishedKey[]) {
  const body = JSON.stringify(keySetOf(of));
  return { of, body, etag: `"${hash('sha256', body).slice(0, 32)}"` };
}

/** RFC 9110 13.1.2: a list, or anything; weak tags compare equal. */
function names(header: string | undefined, etag: string): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}

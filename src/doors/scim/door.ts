// The scim door: a company's directory pushes its users and groups (RFC 7644). A secret of an integration proves which directory.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parseObject } from '../../core/json.ts';
import { authenticateClient } from '../../operations/grant/authenticate-client.ts';
import type { Pushing } from '../../operations/grant/pushed-users.ts';
import { portsOfRequest, type TokenPorts } from '../../operations/ports.ts';
import { bearerToken } from '../caller/bearer.ts';
import type { ReadConnection } from '../caller/connection.ts';
import type { Door, DoorEntry } from '../door.ts';
import { JSON_HEADERS } from '../http/answers.ts';
import { pathOf } from '../http/methods.ts';
import { prepareOnce } from '../http/prepared-refusal.ts';
import type { AddressLimit } from '../http/rate-limit.ts';
import { REQUEST_ID } from '../http/refusal-replies.ts';
import { recordOf, recordRefusal } from '../http/request-record.ts';
import { type ServerReason, type ServerRefusal, TRANSPORT_WORDS } from '../http/transport-refusal.ts';
import { type ScimAnswer, scimError, trimmed } from './answers.ts';
import { ENDPOINTS } from './endpoints.ts';

/** A directory that pushes, and the integration whose secrets prove it. */
export interface ScimDirectory extends Pushing {
  readonly integration: string;
}

export interface ScimParts {
  readonly publicUrl: string;
  readonly callerPorts: TokenPorts;
  readonly readConnection: ReadConnection;
  readonly overLimit: AddressLimit;
  readonly overCheckLimit: AddressLimit;
  readonly scimDirectories: readonly ScimDirectory[];
}

const ROOT = '/scim/v2';

export function scimDoor({ name }: DoorEntry, parts: ScimParts): Door {
  const prepared = prepareOnce((reason: ServerReason) => {
    const { status, body } = serverError({ reason });
    return { status, headers: { ...HEADERS, 'content-length': String(Buffer.byteLength(body)) }, body };
  });
  return {
    name,
    isNamedOnly: true,
    owns: (url) => `${pathOf(url)}/`.startsWith('/scim/'),
    mount: (app) => mountScim(app, parts),
    refusals: {
      reply: replyServerRefusal,
      prepare: (_url, reason) => prepared(reason),
    },
    openapi: {},
  };
}

function mountScim(app: FastifyInstance, parts: ScimParts): void {
  for (const { method, path, needsBody, run } of ENDPOINTS)
    app.route({
      method,
      url: `${ROOT}/:label${path}`,
      handler: async (request, reply) => {
        recordOf(request).operation = 'scim';
        const { label, id = '' } = request.params as { label: string; id?: string };
        const pushing = await authenticated(request, label, parts);
        // Known callers are not held back by others at their address.
        const limited = (pushing ? parts.overCheckLimit : parts.overLimit)(request);
        if (limited) return replyServerRefusal(request, reply, limited);
        if (!pushing)
          return refuse(request, reply, scimError(401, 'Send a secret of the integration as a bearer token.'));
        const body = parseObject(String(request.body));
        if (needsBody && !body) return refuse(request, reply, scimError(400, 'The body is not JSON.', 'invalidSyntax'));
        const query = request.query as Readonly<Record<string, unknown>>;
        const base = `${parts.publicUrl}${ROOT}/${label}`;
        const ports = portsOfRequest(parts.callerPorts, request.id);
        const answer = await run({ id, query, body: body ?? {}, base, pushing, ports });
        if (answer.status >= 400) return refuse(request, reply, answer);
        const { location } = (answer.body?.['meta'] ?? {}) as { location?: string };
        if (answer.status === 201 && location) reply.header('location', location);
        return send(request, reply, answer.status, answer.body && JSON.stringify(trimmed(answer.body, query)));
      },
    });
}

async function authenticated(
  request: FastifyRequest,
  label: string,
  { scimDirectories, callerPorts, readConnection }: ScimParts,
): Promise<Pushing | undefined> {
  const directory = scimDirectories.find((known) => known.label === label);
  const secret = bearerToken(request);
  if (!directory || !secret.ok) return undefined;
  const { integration: clientId } = directory;
  const { presenter } = readConnection(request);
  const sent = { by: 'secret', secret: secret.value } as const;
  const client = await authenticateClient({ clientId, sent, presenter, requestId: request.id }, callerPorts);
  if (client.ok) recordOf(request).clientId = clientId;
  return client.ok ? directory : undefined;
}

const HEADERS = { ...JSON_HEADERS, 'content-type': 'application/scim+json; charset=utf-8' };
const REASONS: Readonly<Record<number, ServerReason | 'client-unproven'>> = {
  401: 'client-unproven',
  404: 'not-found',
};

function refuse(request: FastifyRequest, reply: FastifyReply, { status, body }: ScimAnswer): FastifyReply {
  recordRefusal(request, { reason: REASONS[status] ?? 'request-malformed' });
  if (status === 401) reply.header('www-authenticate', 'Bearer realm="tessera"');
  return send(request, reply, status, JSON.stringify(body));
}

function replyServerRefusal(request: FastifyRequest, reply: FastifyReply, refusal: ServerRefusal): FastifyReply {
  recordRefusal(request, refusal);
  if (refusal.retryAfter !== undefined) reply.header('retry-after', refusal.retryAfter);
  const { status, body } = serverError(refusal);
  return send(request, reply, status, body);
}

function serverError({ reason }: ServerRefusal): { readonly status: number; readonly body: string } {
  const { status: worded, text } = TRANSPORT_WORDS[reason];
  const status = reason === 'fault' ? 500 : worded;
  return { status, body: JSON.stringify(scimError(status, text).body) };
}

function send(request: FastifyRequest, reply: FastifyReply, status: number, body: string | undefined): FastifyReply {
  return reply.code(status).headers(HEADERS).header(REQUEST_ID, request.id).send(body);
}

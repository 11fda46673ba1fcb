// The scim door: a company's directory pushes its users and groups (RFC 7644). A secret of an integration proves which directory.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { parseObject } from '../../core/json.ts';
import { authenticateClient } from '../../operations/grant/authenticate-client.ts';
import type { Pushing } from '../../operations/grant/pushed-users.ts';
import { portsOfRequest } from '../../operations/ports.ts';
import { bearerToken } from '../caller/bearer.ts';
import type { CallerParts, Door, DoorEntry } from '../door.ts';
import { JSON_HEADERS } from '../http/answers.ts';
import { pathOf } from '../http/methods.ts';
import { REQUEST_ID, repliesIn, replyRefusal } from '../http/refusal-replies.ts';
import { recordOf } from '../http/request-record.ts';
import { type ServerReason, TRANSPORT_WORDS } from '../http/transport-refusal.ts';
import { type ScimAnswer, scimError, trimmed } from './answers.ts';
import { ENDPOINTS } from './endpoints.ts';

/** A directory that pushes, and the integration whose secrets prove it. */
export interface ScimDirectory extends Pushing {
  readonly integration: string;
}

export interface ScimParts extends CallerParts {
  readonly scimDirectories: readonly ScimDirectory[];
}

const ROOT = '/scim/v2';

/** A group of 20,000 members in one request: Okta may send all of them. */
const BODY_BYTES = 2 * 1024 * 1024;

export function scimDoor({ name }: DoorEntry, parts: ScimParts): Door {
  const pushers: Pushers = new WeakMap();
  return {
    name,
    isNamedOnly: true,
    owns: (url) => `${pathOf(url)}/`.startsWith('/scim/'),
    mount: (app) => mountScim(app, parts, pushers),
    refusals: REPLIES,
    openapi: {},
    bodyBytes: (request) => (pushers.has(request) ? BODY_BYTES : undefined),
  };
}

/** By request, for whom it was authenticated. */
type Pushers = WeakMap<FastifyRequest, Pushing>;

function mountScim(app: FastifyInstance, parts: ScimParts, pushers: Pushers): void {
  for (const { method, path, run } of ENDPOINTS)
    app.route({
      method,
      url: `${ROOT}/:label${path}`,
      onRequest: async (request, reply) => {
        recordOf(request).operation = 'scim';
        const { label } = request.params as { label: string };
        const pushing = await authenticated(request, label, parts);
        // Known callers are not held back by others at their address.
        const limited = (pushing ? parts.overCheckLimit : parts.overLimit)(request);
        if (limited) return REPLIES.reply(reply, limited);
        if (!pushing)
          return refuse(
            reply,
            scimError(
              401,
              'Check the label in the address, and send a secret of the integration of that directory as a bearer token.',
            ),
          );
        pushers.set(request, pushing);
      },
      handler: async (request, reply) => {
        const { label, id = '' } = request.params as { label: string; id?: string };
        const pushing = pushers.get(request);
        if (!pushing) throw new Error('nobody was authenticated');
        const body = parseObject(String(request.body));
        if (method.startsWith('P') && !body)
          return refuse(reply, scimError(400, 'The body is not JSON.', 'invalidSyntax'));
        const query = request.query as Readonly<Record<string, unknown>>;
        const base = `${parts.publicUrl}${ROOT}/${label}`;
        const ports = portsOfRequest(parts.callerPorts, request.id);
        const answer = await run({ id, query, body: body ?? {}, base, pushing, ports });
        if (answer.status >= 400) return refuse(reply, answer);
        const { location } = (answer.body?.['meta'] ?? {}) as { location?: string };
        if (answer.status === 201 && location) reply.header('location', location);
        return send(reply, answer.status, answer.body && JSON.stringify(trimmed(answer.body, query)));
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

const TYPE = 'application/scim+json; charset=utf-8';

const REPLIES = repliesIn(({ reason }) => {
  const { status: worded, text } = TRANSPORT_WORDS[reason];
  const status = reason === 'fault' ? 500 : worded;
  return { status, type: TYPE, body: JSON.stringify(scimError(status, text).body) };
});

const REASONS: { [status: number]: ServerReason | 'client-unproven' } = { 401: 'client-unproven', 404: 'not-found' };

function refuse(reply: FastifyReply, { status, body }: ScimAnswer): FastifyReply {
  if (status === 401) reply.header('www-authenticate', 'Bearer realm="tessera"');
  const reason = REASONS[status] ?? 'request-malformed';
  return replyRefusal(reply, { reason }, { status, type: TYPE, body: JSON.stringify(body) });
}

function send(reply: FastifyReply, status: number, body: string | undefined): FastifyReply {
  return reply
    .code(status)
    .headers({ ...JSON_HEADERS, 'content-type': TYPE })
    .header(REQUEST_ID, reply.request.id)
    .send(body);
}

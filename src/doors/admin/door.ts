// The admin door: every act of src/operations/admin/acts.ts over HTTP, for holders of our own access tokens.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { accept, type Outcome } from '../../core/outcome.ts';
import { seconds } from '../../core/time.ts';
import { type Act, type Answered, actPortsOf, type Given } from '../../operations/admin/acts/act.ts';
import { runActAs } from '../../operations/admin/acts/owned-act.ts';
import { ACTS, type ActName, namesOfActs } from '../../operations/admin/acts.ts';
import { decline } from '../../operations/admin/admin.ts';
import { authorizeOperator, type Operator } from '../../operations/admin/authorize-operator.ts';
import { bearerToken } from '../caller/bearer.ts';
import type { CallerParts, Door, DoorEntry, ListenerParts } from '../door.ts';
import { JSON_HEADERS } from '../http/answers.ts';
import { pathOf } from '../http/methods.ts';
import { repliesIn } from '../http/refusal-replies.ts';
import { recordOf } from '../http/request-record.ts';
import { withNamedSchemas } from '../openapi-document.ts';
import { openCursor, sealCursor } from './cursor.ts';
import { adminDocument, MOUNT } from './openapi.ts';
import { type DoorRefusal, problemOf, replyProblem } from './problem.ts';
import { etagOf, readRequest } from './read-request.ts';

export interface AdminParts extends CallerParts {
  readonly version: string;
}

type AdminMount = AdminParts & ListenerParts & { readonly documents: Set<FastifyRequest> };

/** A document of 5,000 integrations. Few are read at once: each is in memory several times while it is worked on. */
const DOCUMENT_BYTES = 8 * 1024 * 1024;
const MOST_DOCUMENTS = 4;
const DOCUMENT_ACTS: readonly ActName[] = ['object-plan', 'object-apply', 'integration-import'];

export function adminDoor({ name }: DoorEntry, parts: AdminParts): Door {
  const { publicUrl } = parts;
  const documents = new Set<FastifyRequest>();
  return {
    name,
    isNamedOnly: true,
    owns: (url) => pathOf(url).startsWith('/admin/'),
    mount: (app, listener) => mountAdmin(app, { ...parts, ...listener, documents }),
    refusals: repliesIn((refusal, request) => problemOf(refusal, publicUrl, request)),
    openapi: {},
    bodyBytes: (request) => (documents.has(request) ? DOCUMENT_BYTES : undefined),
  };
}

function mountAdmin(app: FastifyInstance, mount: AdminMount): void {
  let document: string | undefined; // few ask for it, and it takes a quarter of a start
  app.get(`${MOUNT}/openapi.json`, async (request, reply) => {
    const limited = mount.overLimit(request);
    if (limited) return replyProblem(reply, limited, mount.publicUrl);
    document ??= JSON.stringify(withNamedSchemas(adminDocument(mount)));
    return reply.headers(JSON_HEADERS).send(document);
  });
  for (const name of namesOfActs()) mountAct(app, name, ACTS[name], mount);
}

/** A body is read only for somebody who may do the act. */
function mountAct(app: FastifyInstance, name: ActName, act: Act, mount: AdminMount): void {
  const operators = new WeakMap<FastifyRequest, Operator>();
  app.route({
    method: act.method,
    url: MOUNT + act.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    onRequest: async (request, reply) => {
      recordOf(request).operation = `admin-${name}`;
      const operator = await authorize(request, act, mount);
      const refusal = operator.ok ? whyNotNow(reply, name, mount) : operator.refusal;
      if (refusal) return replyProblem(reply, refusal, mount.publicUrl);
      if (operator.ok) operators.set(request, operator.value);
    },
    handler: async (request, reply): Promise<FastifyReply> => {
      const operator = operators.get(request);
      if (!operator) throw new Error('nobody was authorized');
      const outcome = await perform(request, name, operator, mount);
      if (!outcome.ok) return replyProblem(reply, outcome.refusal, mount.publicUrl);
      return send(reply, outcome.value);
    },
  });
}

/** Documents are counted until they are answered. */
function whyNotNow(reply: FastifyReply, name: ActName, { documents }: AdminMount): DoorRefusal | undefined {
  const { request } = reply;
  if (!DOCUMENT_ACTS.includes(name)) return undefined;
  if (documents.size >= MOST_DOCUMENTS) return { reason: 'overloaded', retryAfter: seconds(1) };
  documents.add(request);
  reply.raw.once('close', () => documents.delete(request));
  return undefined;
}

async function perform(
  request: FastifyRequest,
  name: ActName,
  operator: Operator,
  mount: AdminMount,
): Promise<Outcome<Answered<unknown>, DoorRefusal>> {
  const given = readRequest(request, ACTS[name]);
  if (!given.ok) return given;
  const list = listOf(name, given.value);
  const opened = withOpenCursor(given.value, list, mount);
  if (!opened) return decline('cursor-unknown', '');
  const { presenter } = mount.readConnection(request);
  const ports = actPortsOf({ id: request.id, presenter, by: operator.by }, mount.callerPorts, mount.publicUrl);
  const done = await runActAs(operator.owned, name, opened, ports);
  return done.ok ? accept(withSealedNext(done.value, name, list, mount)) : done;
}

/** First who, then what: a client without permission learns nothing about the request. */
async function authorize(
  request: FastifyRequest,
  { permission }: Act,
  mount: AdminMount,
): Promise<Outcome<Operator, DoorRefusal>> {
  const overLimit = (isAuthentic: boolean) => (isAuthentic ? mount.overCheckLimit : mount.overLimit)(request);
  const token = bearerToken(request);
  if (!token.ok) {
    const limited = overLimit(false);
    return limited ? { ok: false, refusal: limited } : token;
  }
  const presentation = { presented: mount.readPresented(request), requestId: request.id };
  const operator = await authorizeOperator(token.value, permission, presentation, mount.callerPorts, overLimit);
  if (!operator.ok) return operator;
  const record = recordOf(request);
  record.identityId = operator.value.holder.id;
  record.clientId = operator.value.clientId;
  record.grantId = operator.value.grantId;
  return operator;
}

/** A cursor belongs to the act and its filters. */
function listOf(name: ActName, { query = {} }: Given): string {
  const { cursor: _, limit: __, ...filters } = query as Record<string, unknown>;
  return JSON.stringify([name, Object.entries(filters).sort(([a], [b]) => (a < b ? -1 : 1))]);
}

function withOpenCursor(given: Given, list: string, { callerPorts }: AdminMount): Given | undefined {
  const { cursor: sealed, ...query } = (given.query ?? {}) as { cursor?: string };
  if (sealed === undefined) return given;
  const cursor = openCursor(sealed, list, callerPorts.keyring);
  return cursor === undefined ? undefined : { ...given, query: { ...query, cursor } };
}

/** Events are continued by their numbers, which are no secret. */
function withSealedNext(answered: Answered<unknown>, name: ActName, list: string, { callerPorts }: AdminMount) {
  const { next } = answered.value as { next?: string };
  if (next === undefined || name === 'event-list') return answered;
  return { ...answered, value: { ...(answered.value as object), next: sealCursor(next, list, callerPorts) } };
}

function send(reply: FastifyReply, { value, revision, isNew }: Answered<unknown>): FastifyReply {
  reply.headers(JSON_HEADERS);
  if (revision !== undefined) reply.header('etag', etagOf(revision));
  const { method, headers } = reply.request;
  if (revision !== undefined && method === 'GET' && headers['if-none-match'] === etagOf(revision))
    return reply.code(304).send();
  return reply.code(isNew ? 201 : 200).send(JSON.stringify(value));
}

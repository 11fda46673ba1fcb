// Reads a request by the row of its act: the thing, the query, the body, and the precondition.
import type { FastifyRequest } from 'fastify';
import { accept, type Outcome } from '../../core/outcome.ts';
import type { Act, Given } from '../../operations/admin/acts/act.ts';
import { type AdminRefusal, decline } from '../../operations/admin/admin.ts';
import { flawOf, type Schema } from '../../schema.ts';

type Read<T> = Outcome<T, AdminRefusal>;

export function readRequest(request: FastifyRequest, { path, query: querySchema, body: bodySchema }: Act): Read<Given> {
  const query = readQuery(request.query as Record<string, unknown>, querySchema);
  if (!query.ok) return query;
  const body = bodySchema ? readBody(request, bodySchema) : accept(undefined);
  if (!body.ok) return body;
  const { id } = request.params as { id?: string };
  const named = keyIn(body.value, path);
  if (named !== undefined && id !== undefined && named !== id) {
    return decline('object-malformed', `the body is about ${named}, and the path about ${id}`);
  }
  const onlyIf = onlyIfOf(request);
  return onlyIf.ok ? accept({ id, query: query.value, body: body.value, onlyIf: onlyIf.value }) : onlyIf;
}

/** What a thing is addressed by. Identities have two names, and are addressed by either. */
function keyIn(body: unknown, path: string): string | undefined {
  const { clientId, label, id } = (body ?? {}) as Partial<Record<string, string>>;
  return clientId ?? label ?? (path.startsWith('/resource-servers/') ? id : undefined);
}

interface ObjectParts {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
}

/** Query parameters are texts; their schema says what they stand for. */
function readQuery(given: Record<string, unknown>, schema: Act['query']): Read<object> {
  const { properties = {}, required = [] } = (schema ?? {}) as Partial<ObjectParts>;
  const query: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(given)) {
    const member = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!member) return decline('object-malformed', `${JSON.stringify(name)} is not a parameter of this act`);
    const value = typed(text, (member as { type?: string }).type);
    const flaw = flawOf(member, value, name);
    if (flaw !== undefined) return decline('object-malformed', flaw);
    query[name] = value;
  }
  const missing = required.find((name) => !Object.hasOwn(query, name));
  return missing === undefined ? accept(query) : decline('object-malformed', `the parameter ${missing} is missing`);
}

function typed(text: unknown, type: string | undefined): unknown {
  if (type === 'integer' && typeof text === 'string' && /^[0-9]{1,15}$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true });

function readBody({ body, headers }: FastifyRequest, schema: Schema): Read<unknown> {
  if (!/^application\/json(?:;|$)/i.test(headers['content-type'] ?? ''))
    return decline('object-malformed', 'the body is not declared as application/json');
  const value = parse(body);
  if (value === undefined) return decline('object-malformed', 'the body is not JSON in UTF-8');
  if (isDeep(value)) return decline('object-malformed', `the body is nested deeper than ${MOST_LEVELS} levels`);
  const flaw = flawOf(schema, value);
  return flaw === undefined ? accept(value) : decline('object-malformed', flaw);
}

function parse(body: unknown): unknown {
  try {
    return JSON.parse(UTF8.decode(body as Uint8Array));
  } catch {
    return undefined;
  }
}

/** What reads the value later calls itself for each level. */
const MOST_LEVELS = 64;

function isDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth <= MOST_LEVELS && level.length > 0; depth++)
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  return level.length > 0;
}

const NEVER = -1;
export const IF_MATCH = /^(?:\*|(?:W\/)?"[!#-~]*")$/;

/** RFC 9110 13.1: one ETag or * in If-Match, or `If-None-Match: *`. An ETag that is not ours matches nothing. */
function onlyIfOf({ headers, method }: FastifyRequest): Read<Given['onlyIf']> {
  const { 'if-match': match, 'if-none-match': none } = headers;
  if (match === '*') return accept('present');
  if (match !== undefined && !IF_MATCH.test(match)) return decline('object-malformed', 'If-Match is not an ETag');
  if (match !== undefined) return accept(Number(/^"([0-9]{1,15})"$/.exec(match)?.[1] ?? NEVER));
  if (none === undefined || method === 'GET') return accept(undefined);
  return none === '*' ? accept('absent') : decline('object-malformed', 'If-None-Match is not an asterisk');
}

export function etagOf(revision: number): string {
  return `"${revision}"`;
}

// The OpenAPI document of the admin door, made from their declarations.

import type { Act } from '../../operations/admin/acts/act.ts';
import { ACTS, type ActName, namesOfActs } from '../../operations/admin/acts.ts';
import { integer, named, optional, type Schema, string } from '../../schema.ts';
import type { OpenapiDocument, OpenapiOperation, OpenapiParameter, OpenapiSchema } from '../openapi-document.ts';
import { PROBLEM_STATUSES } from './problem.ts';
import { IF_MATCH } from './read-request.ts';

export const MOUNT = '/admin/v1';

const Problem = named('Problem', {
  type: string({ description: 'The page about it.' }),
  title: string({ description: 'Which kind of problem it is.' }),
  status: integer(),
  detail: string({ description: 'What is wrong, and what to do.' }),
  reason: string({ description: 'Which refusal it is, for programs.' }),
  about: optional(string({ description: 'What it concerns.' })),
  requestId: optional(string({ description: 'As in the log and in events.' })),
});

type Facts = { readonly publicUrl: string; readonly version: string };

export function adminDocument({ publicUrl, version }: Facts): OpenapiDocument {
  const paths: Record<string, Record<string, OpenapiOperation>> = {};
  for (const name of namesOfActs()) {
    const act = ACTS[name];
    const path = MOUNT + act.path;
    paths[path] = { ...paths[path], [act.method.toLowerCase()]: operationOf(name, act) };
  }
  const tags = [...new Set(Object.values(ACTS).map(tagOf))].map((name) => ({ name, description: `Acts on ${name}.` }));
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Tessera administration',
      version,
      description:
        'What operators do, with an access token of this service whose scope is tessera:read, tessera:operate or tessera:manage.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    tags,
    paths,
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  };
  return document;
}

function tagOf({ path }: Act): string {
  return path.split('/')[1] ?? '';
}

function operationOf(name: ActName, act: Act): OpenapiOperation {
  const { summary, permission, command, body, answers, method } = act;
  const success = { description: 'OK.', ...(isConditional(act) && ETAG), content: json(answers) };
  return {
    operationId: name,
    tags: [tagOf(act)],
    summary,
    description: `Needs tessera:${permission}. As a command: tessera ${command}.`,
    security: [{ bearer: [] }],
    'x-permission': permission,
    ...parametersOf(act),
    ...(body && { requestBody: { required: true, content: json(body) } }),
    responses: {
      200: success,
      ...(method === 'PUT' && { 201: { ...success, description: 'Made.' } }),
      ...Object.fromEntries(PROBLEM_STATUSES.map((status) => [status, PROBLEM])),
    },
  };
}

const PROBLEM_CONTENT = { 'application/problem+json': { schema: Problem as OpenapiSchema } };
const PROBLEM = { description: 'Refused.', content: PROBLEM_CONTENT };
const ETAG = { headers: { ETag: { description: 'Of this state of the thing.', schema: { type: 'string' } } } };

function json(schema: Schema) {
  return { 'application/json': { schema: schema as OpenapiSchema } };
}

/** Things that can be replaced. */
function isConditional({ path, method }: Act): boolean {
  return method !== 'DELETE' && Object.values(ACTS).some((other) => other.method === 'PUT' && other.path === path);
}

function parametersOf(act: Act): { parameters?: readonly OpenapiParameter[] } {
  const { path, query, method, id = TEXT } = act;
  const named = path.includes('{id}') ? [{ ...ID, required: true as const, schema: id }] : [];
  const asked = Object.entries(query?.properties ?? {}).map(([name, schema]) => {
    const { description = '', ...rest } = schema as OpenapiSchema;
    const isRequired = (query as { required?: readonly string[] }).required?.includes(name);
    return { name, in: 'query' as const, description, ...(isRequired && { required: true as const }), schema: rest };
  });
  const parameters = [...named, ...asked, ...(method === 'PUT' ? CONDITIONS : [])];
  return parameters.length > 0 ? { parameters } : {};
}

const TEXT = { type: 'string' };
const ID = { name: 'id', in: 'path', description: 'What the thing is called.' } as const;
const CONDITIONS = [
  {
    name: 'If-Match',
    description: 'Its ETag, or an asterisk: 412 if it was changed meanwhile.',
    pattern: IF_MATCH.source,
  },
  { name: 'If-None-Match', description: 'An asterisk: make it, and 412 if it exists.', enum: ['*'] },
].map(({ name, description, ...form }) => ({
  name,
  in: 'header' as const,
  description,
  schema: { ...TEXT, ...form },
}));

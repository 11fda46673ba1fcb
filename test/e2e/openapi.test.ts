// The service answers as the OpenAPI document that it serves says: good and bad requests made from the document alone.
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import type {
  OpenapiDocument,
  OpenapiLink,
  OpenapiMediaType,
  OpenapiOperation,
  OpenapiSchema,
} from '../../src/doors/openapi-document.ts';
import { given } from '../given.ts';
import { type Answer, bearer, form, json, type Question } from './caller.ts';
import { startService } from './service.ts';
import { CLIENT, SCOPE } from './steps.ts';

interface Documented {
  readonly path: string;
  readonly method: string;
  readonly operation: OpenapiOperation;
}
type Reference = OpenapiSchema & { readonly $ref?: string };
type Fields = Record<string, string>;

const MOUNTS = [
  { path: '/authsvc', errorKeys: 'spec' },
  { path: '/legacy', errorKeys: 'oauth' },
  { path: '/legacy/both', errorKeys: 'both' },
];
const JSON_TYPE = 'application/json';

suite('the OpenAPI document and the service', () => {
  let document: OpenapiDocument & { readonly components: { readonly schemas: Record<string, OpenapiSchema> } };
  let operations: readonly Documented[];

  const service = given(() => startService({ settings: { authsvc: { mounts: MOUNTS } } }));
  const caller = given(() => service.caller(service.ada));
  before(async () => {
    const { text } = await caller.ask({ path: '/docs/openapi.json?links=full' });
    document = JSON.parse(text);
    operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
    );
  });

  const resolved = (schema: Reference): OpenapiSchema =>
    schema.$ref ? (document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}) : schema;

  /** Sends a request and checks the answer against the document. */
  async function ask({ path, method, operation }: Documented, question: Partial<Question> = {}): Promise<Answer> {
    const answer = await caller.ask({ method, path, ...question });
    const response = operation.responses[answer.status];
    assert.ok(response, `${operation.operationId} does not document ${answer.status}`);
    for (const name of Object.keys(response.headers ?? {}))
      assert.ok(name.toLowerCase() in answer.headers, `${operation.operationId} ${answer.status} lacks ${name}`);
    const schema = response.content?.[JSON_TYPE]?.schema;
    if (schema) assertFits(answer.json, schema, resolved);
    return answer;
  }

  const find = (id: string): Documented => {
    const found = operations.find(({ operation }) => operation.operationId === id);
    assert.ok(found, id);
    return found;
  };

  const linkOf = (documented: Documented, name: string): OpenapiLink => {
    const link = documented.operation.responses[200]?.links?.[name];
    assert.ok(link, name);
    return link;
  };

  test('every operation answers the examples, and requests that lack something, as documented', async () => {
    for (const documented of operations.filter(({ operation }) => operation.requestBody)) {
      for (const [type, media] of Object.entries(documented.operation.requestBody?.content ?? {})) {
        const { schema = {} } = media;
        const sent = (fields: Fields) => (type === JSON_TYPE ? json(fields) : form(fields));
        for (const example of examplesOf(media)) await ask(documented, sent(example));
        for (const kind of (schema.oneOf ?? [schema]).map(resolved)) {
          const whole = Object.fromEntries(Object.entries(kind.properties ?? {}).map(firstValue));
          await ask(documented, sent(whole));
          for (const name of kind.required ?? []) {
            const { [name]: _, ...rest } = whole;
            assert.equal(
              (await ask(documented, sent(rest))).status,
              incomplete(documented),
              `${documented.path} without ${name}`,
            );
          }
        }
      }
    }
  });

  test('every operation answers other methods, types and bodies as documented', async () => {
    for (const documented of operations) {
      for (const method of ['DELETE', 'PATCH']) assert.equal((await ask(documented, { method })).status, 405);
      if (documented.method === 'GET') await ask(documented);
      if (documented.method === 'GET' && provenBy(documented, 'bearer'))
        assert.equal((await ask(documented, bearer('nonsense'))).status, 401);
      if (!documented.operation.requestBody) continue;
      await ask(documented, { headers: { 'content-type': 'text/plain' }, body: 'x' });
      await ask(documented, { headers: { 'content-type': JSON_TYPE }, body: '[' });
      assert.equal((await ask(documented, json({ client_id: 'x'.repeat(70_000) }))).status, 413);
    }
  });

  test('the links lead from a certificate or a device to a token, at every mount', async () => {
    for (const mount of ['authsvc', 'legacy', 'legacy-both']) {
      const request = { client_id: CLIENT, scope: SCOPE };
      const certificate = find(`${mount}-authorize-certificate`);
      const first = await ask(certificate, json(request));
      const refresh = linkOf(certificate, 'refresh');
      const second = await ask(find(refresh.operationId), json(bodyOf(refresh, request, first)));
      assert.equal(second.status, 200, second.text);
      const token = bearer(String(second.json['access_token']));
      assert.equal((await ask(find(linkOf(certificate, 'verify').operationId), token)).status, 200);
      assert.equal((await ask(find(linkOf(certificate, 'revoke').operationId), token)).status, 200);
      const device = find(`${mount}-authorize-device`);
      const started = await ask(device, json(request));
      const redeem = linkOf(device, 'redeem');
      const pending = await ask(find(redeem.operationId), form(bodyOf(redeem, request, started)));
      assert.ok(Object.values(pending.json).includes('authorization_pending'), pending.text);
    }
  });

  test('the links of the oauth door lead from a device or a certificate to a check and a revocation', async () => {
    const device = find('oauth-device-authorization');
    const request = { client_id: CLIENT, scope: 'orders:read' };
    const started = await ask(device, form(request));
    const redeem = linkOf(device, 'redeem');
    const pending = await ask(find(redeem.operationId), form(bodyOf(redeem, request, started)));
    assert.equal(pending.json['error'], 'authorization_pending', pending.text);
    const token = find('oauth-token');
    const granted = await ask(token, form({ ...request, grant_type: 'client_credentials' }));
    assert.equal(granted.status, 200, granted.text);
    const introspect = linkOf(token, 'introspect');
    const checked = await ask(find(introspect.operationId), form(bodyOf(introspect, request, granted)));
    assert.equal(checked.status, 401, 'the caller is not a resource server');
    const revoke = linkOf(token, 'revoke');
    assert.equal((await ask(find(revoke.operationId), form(bodyOf(revoke, request, granted)))).status, 200);
  });
});

function provenBy({ operation: { security } }: Documented, scheme: string): boolean {
  return security.some((named) => scheme in named);
}

/** Resource servers must prove themselves before anything else is looked at. */
function incomplete(documented: Documented): number {
  return provenBy(documented, 'basic') ? 401 : 400;
}

function examplesOf({ example, examples = {} }: OpenapiMediaType): Fields[] {
  const named = Object.values(examples).map(({ value }) => value as Fields);
  return example === undefined ? named : [example as Fields, ...named];
}

function firstValue([name, { examples, enum: allowed }]: [string, OpenapiSchema]): [string, string] {
  return [name, (examples?.[0] ?? allowed?.[0]) as string];
}

/** The body that a link describes: its expressions are replaced by what was sent and received. */
function bodyOf({ requestBody = {} }: OpenapiLink, sent: Fields, { json: received }: Answer): Fields {
  const value = (text: string): string => {
    const [, side, name = ''] = /^\$(request|response)\.body#\/(.+)$/.exec(text) ?? [];
    return side === undefined ? text : String((side === 'request' ? sent : received)[name]);
  };
  return Object.fromEntries(Object.entries(requestBody).map(([name, text]) => [name, value(text)]));
}

/** The part of JSON Schema that the document uses for answers. */
function assertFits(value: unknown, schema: OpenapiSchema, resolved: (schema: OpenapiSchema) => OpenapiSchema): void {
  const { type, enum: allowed, properties = {}, required = [], items, additionalProperties } = resolved(schema);
  assert.equal(typeOf(value), type, JSON.stringify(value));
  if (allowed) assert.ok(allowed.includes(String(value)), String(value));
  if (Array.isArray(value)) for (const item of value) assertFits(item, items ?? {}, resolved);
  if (type !== 'object') return;
  for (const name of required) assert.ok(name in (value as object), `${name} is missing in ${JSON.stringify(value)}`);
  for (const [name, part] of Object.entries(value as object)) {
    const known = properties[name] ?? additionalProperties;
    assert.ok(known, `${name} is not documented`);
    assertFits(part, known, resolved);
  }
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

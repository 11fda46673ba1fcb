// What the schema of the admin door allows is no 400, and what it does not allow is one. Requests are made from the document
// alone, and an independent validator says which they are.
// Only in test:all: thousands of requests
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { makeAuthority } from '../authority.ts';
import { given } from '../given.ts';
import { Seeded } from '../seeded.ts';
import { ecKeys } from '../signed-der.ts';
import { AdminScene } from './admin-scene.ts';
import { plainest } from './schema-candidates.ts';
import type { Shape, Supply } from './schema-judge.ts';
import { around, mixed, values } from './schema-values.ts';

interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required?: boolean;
  readonly schema: Shape;
}

interface Act {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: Shape | undefined;
}

interface Asked {
  readonly act: Act;
  readonly path?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly isAllowed: boolean;
}

/** What one member alone cannot show to be right: an address where the keys are, and a condition. */
const BASES: Readonly<Record<string, object>> = {
  'token-issuer-put': { issuer: 'https://platform.example', rules: [{ when: { '/sub': 'a' } }] },
};

/** Acts that take the ground from under those that follow. */
const LEFT_OUT = ['object-apply', 'grant-revoke-all'];

suite('the schema of the admin door', () => {
  let token: string;
  let acts: readonly Act[];
  let supply: Supply;
  let ajv: Ajv2020;
  const wrong: string[] = [];
  const asked = { allowed: 0, other: 0 };

  const scene = given(() => AdminScene.open());
  before(async () => {
    token = await scene.token('olga');
    const document = (await scene.ask(undefined, 'GET', '/openapi.json')).json;
    const { publicKey } = ecKeys();
    const jwk = JSON.stringify({
      keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', use: 'sig', alg: 'ES256' }],
    });
    const pem = makeAuthority({ name: 'schema' }).pem;
    supply = {
      'pem-certificates': [pem],
      'pem-certificates-or-empty': ['', pem],
      'jwk-set': [jwk],
      'jwk-set-or-empty': ['{"keys":[]}', jwk],
      'public-keys': [jwk],
    };
    ajv = new Ajv2020({ strict: false, formats: formatsOf(supply) });
    acts = actsOf(resolved(document, document) as never).filter(({ name }) => !LEFT_OUT.includes(name));
  });

  async function ask({
    act,
    path = act.path.replace('{id}', 'thing'),
    body,
    headers,
    isAllowed,
  }: Asked): Promise<void> {
    const more = { ...(body !== undefined && { body }), ...(headers && { headers }) };
    const { status, text } = await scene.ask(token, act.method, path, more);
    asked[isAllowed ? 'allowed' : 'other']++;
    // A name that is too long for any path has none.
    const isRight = isAllowed
      ? status !== 400 && status < 500
      : status === 400 || text.includes('nothing at this path');
    const what = JSON.stringify(body ?? headers ?? path).slice(0, 300);
    if (!isRight)
      wrong.push(`${act.name}: ${status} to ${isAllowed ? 'allowed' : 'not allowed'} ${what}: ${text.slice(0, 300)}`);
    if (status === 401) token = await scene.token('olga');
  }

  const baseOf = ({ name, body = {} }: Act) => (BASES[name] ?? plainest(body, supply)) as Record<string, unknown>;

  const done = () => assert.deepEqual(wrong.splice(0), []);

  test('bodies, member by member', async () => {
    for (const act of acts) {
      if (!act.body) continue;
      const fits = ajv.compile(act.body);
      const base = baseOf(act);
      for (const body of distinct(around(act.body, base, supply))) await ask({ act, body, isAllowed: fits(body) });
    }
    done();
  });

  test('bodies, several members at once', async () => {
    const seeded = new Seeded(11);
    for (const act of acts) {
      if (!act.body?.properties) continue;
      const fits = ajv.compile(act.body);
      const ofMembers = Object.entries(act.body.properties).map(([name, each]) => [name, ajv.compile(each)] as const);
      const byName: ReadonlyMap<string, ValidateFunction> = new Map(ofMembers);
      const one = mixed(act.body, baseOf(act), (name, value) => byName.get(name)?.(value) === true, supply);
      for (let at = 0; at < MIXED; at++) {
        const body = one(seeded);
        await ask({ act, body, isAllowed: fits(body) });
      }
    }
    done();
  });

  test('queries, names in paths, and preconditions', async () => {
    for (const act of acts) {
      const body = act.body && baseOf(act);
      const required = act.parameters.filter(({ in: where, required: must }) => where === 'query' && must);
      const base = Object.fromEntries(required.map(({ name, schema }) => [name, String(plainest(schema, supply))]));
      for (const { name, in: where, schema } of act.parameters) {
        const fits = ajv.compile(schema);
        const isAllowed = (text: string) => fits(readAs(text, schema));
        for (const text of distinct(
          values(schema, supply)
            .filter((value) => typeof value !== 'object')
            .map(String),
        )) {
          if (!text.isWellFormed()) continue;
          if (where === 'query')
            await ask({ act, body, path: pathWith(act, { ...base, [name]: text }), isAllowed: isAllowed(text) });
          if (where === 'header' && /^[\t -~]*$/.test(text) && text.trim() === text)
            await ask({ act, body, headers: { [name.toLowerCase()]: text }, isAllowed: isAllowed(text) });
          if (where === 'path' && act.method === 'PUT' && !['', '.', '..'].includes(text))
            await ask({
              act,
              body,
              path: act.path.replace('{id}', encodeURIComponent(text)),
              isAllowed: isAllowed(text),
            });
        }
      }
    }
    done();
  });

  test('that was enough to mean something', () => {
    assert.ok(asked.allowed > 3000 && asked.other > 3000, JSON.stringify(asked));
  });
});

const MIXED = 40;

function distinct<T>(list: readonly T[]): T[] {
  return [...new Map(list.map((each) => [JSON.stringify(each), each])).values()];
}

/** Only the real ones count. Of durations, the schema says the rest. */
function formatsOf(supply: Supply) {
  const real = Object.entries(supply).map(([name, texts]) => [name, (text: string) => texts.includes(text)]);
  return { ...Object.fromEntries(real), seconds: true };
}

/** As a query has it. */
function readAs(text: string, { type }: Shape): unknown {
  if (type === 'integer' && /^[0-9]+$/.test(text)) return Number(text);
  if (type === 'boolean' && /^(?:true|false)$/.test(text)) return text === 'true';
  return text;
}

function pathWith({ path }: Act, query: Readonly<Record<string, string>>): string {
  return `${path.replace('{id}', 'thing')}?${new URLSearchParams(query)}`;
}

function actsOf({ paths }: { readonly paths: Readonly<Record<string, Readonly<Record<string, never>>>> }): Act[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { operationId: name, parameters = [], requestBody }]: [string, Operation]) => ({
        name,
        method: method.toUpperCase(),
        path: path.replace('/admin/v1', ''),
        parameters,
        body: requestBody?.content['application/json'].schema,
      }),
    ),
  );
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Shape } } };
}

/** With every reference in place of its name. */
function resolved(value: unknown, document: object): unknown {
  if (Array.isArray(value)) return value.map((each) => resolved(each, document));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref } = value as { $ref?: string };
  if ($ref === undefined)
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, resolved(part, document)]));
  const found = $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((part, name) => (part as Record<string, unknown>)[name], document);
  return resolved(found, document);
}

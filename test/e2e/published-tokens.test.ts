// What the published documents of the token doors allow in a body and what not: walked constraint by constraint.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentOf } from '../doors/openapi-sample.ts';
import { given, prepare } from '../given.ts';
import { anIntegration } from '../samples.ts';
import { type Answer, json } from './caller.ts';
import { INTROSPECT, IntrospectionScene, ORDERS } from './introspection-scene.ts';
import { type Fields, postForm } from './oauth-steps.ts';
import type { Shape } from './schema-judge.ts';
import { type Walk, walk } from './schema-walk.ts';
import { clientId } from './service.ts';
import { CERTIFICATE, CLIENT, DEVICE, DEVICE_GRANT, pairByCertificate, startedDevice, TOKEN } from './steps.ts';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const LONGEST_ID = 'c'.repeat(128);
const LONGEST_SCOPE = `orders:read${',read'.repeat(817)}`;

const scene = given(() => IntrospectionScene.open());
prepare(async () => {
  await scene.service.register(anIntegration({ clientId: clientId(LONGEST_ID) }));
});

interface Body {
  readonly path: string;
  readonly type: string;
  /** Which of several. */
  readonly title: string;
  readonly base: Fields;
}

/** Bodies that are accepted, or wait for the person. */
async function bodiesOf(client_id: string, scope: string): Promise<readonly Body[]> {
  const { refresh_token } = await pairByCertificate(scene.ada, client_id);
  const { device_code } = await startedDevice(scene.ada, client_id);
  const redemption = { client_id, device_code, grant_type: DEVICE_GRANT };
  const refresh = { client_id, refresh_token, grant_type: 'refresh_token' };
  const asked = { client_id, scope };
  const proof = { client_id: ORDERS.id, client_secret: ORDERS.secret };
  return [
    { path: TOKEN, type: JSON_TYPE, title: 'RefreshRequest', base: refresh },
    { path: TOKEN, type: JSON_TYPE, title: 'RedemptionRequest', base: redemption },
    { path: TOKEN, type: FORM, title: 'RedemptionRequest', base: redemption },
    { path: CERTIFICATE, type: JSON_TYPE, title: 'ScopeRequest', base: asked },
    { path: DEVICE, type: JSON_TYPE, title: 'ScopeRequest', base: asked },
    { path: DEVICE, type: FORM, title: 'ScopeRequest', base: asked },
    { path: '/oauth2/token', type: FORM, title: 'OauthTokenRequest', base: refresh },
    { path: '/oauth2/token', type: FORM, title: 'OauthTokenRequest', base: redemption },
    { path: '/oauth2/device_authorization', type: FORM, title: 'OauthDeviceRequest', base: { client_id } },
    { path: '/oauth2/revoke', type: FORM, title: 'OauthRevocationRequest', base: { client_id, token: refresh_token } },
    { path: INTROSPECT, type: FORM, title: 'OauthIntrospectionRequest', base: { ...proof, token: refresh_token } },
  ];
}

const { paths } = documentOf([{ path: '/authsvc', errorKeys: 'spec' }]);

function schemaOf({ path, type, title }: Body): Shape {
  const { schema } = paths[path]?.['post']?.requestBody?.content[type] ?? {};
  const found = [schema, ...(schema?.oneOf ?? [])].find((each) => each?.title === title);
  assert.ok(found, `${path} ${title}`);
  return found;
}

/** Each field is a text, or several where the schema says so. */
function isForm(body: unknown, { properties = {} }: Shape): boolean {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
  const isText = (value: unknown) => typeof value === 'string' && value.isWellFormed();
  return Object.entries(body).every(([name, value]) =>
    properties[name]?.type === 'array'
      ? Array.isArray(value) && value.length > 0 && value.every(isText)
      : isText(value),
  );
}

async function send({ path, type }: Body, body: object): Promise<Answer> {
  if (type === JSON_TYPE) return scene.ada.ask({ path, ...json(body) });
  const pairs = Object.entries(body).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, each]),
  );
  return postForm(scene.ada, path, new URLSearchParams(pairs).toString());
}

/** The person has not confirmed yet. */
const WAITING = ['authorization_pending', 'slow_down'];
async function refusal(body: Body, value: object): Promise<string | undefined> {
  const { status, json: answer, text } = await send(body, value);
  return status === 200 || WAITING.includes(String(answer?.['Error'] ?? answer?.['error'])) ? undefined : text;
}

/** What a text names is not there, or not meant for this; or two parameters do not fit each other. */
const ELSEWHERE = [
  /"invalid_(?:grant|client|scope|target)"/,
  /What this grant_type needs is missing|client_assertion needs client_assertion_type|Authenticate in one way only/,
  /"client_id is missing/, // it may be in HTTP Basic
];

test('the token doors take what their published documents allow, and nothing else', async () => {
  const walks: Walk[] = [];
  for (const body of await bodiesOf(CLIENT, 'orders:read')) {
    const { path, type, title, base } = body;
    const schema = schemaOf(body);
    const isSendable = (value: unknown) => type === JSON_TYPE || isForm(value, schema);
    const ask = (value: object) => refusal(body, value);
    const published = {
      name: `${path} ${type} ${title}`,
      schema,
      base,
      isSendable,
      refusal: ask,
      elsewhere: ELSEWHERE,
    };
    walks.push(await walk(published, 'few'));
  }
  assert.deepEqual(
    walks.flatMap(({ wrong }) => wrong),
    [],
  );
  // Forms have no types.
  assert.deepEqual(
    walks.flatMap(({ unexercised }) => unexercised).filter((one) => !(one.includes(FORM) && one.endsWith(' type'))),
    [],
  );
  const { length } = walks.flatMap(({ exercised }) => exercised);
  assert.ok(length >= 60, `${length}`);
});

test('the longest client id and scope that are published are accepted', async () => {
  for (const body of await bodiesOf(LONGEST_ID, LONGEST_SCOPE)) {
    assert.equal(await refusal(body, body.base), undefined, `${body.path} ${body.title}`);
    if (body.title !== 'ScopeRequest') continue;
    const { client_id, scope } = schemaOf(body).properties ?? {};
    assert.deepEqual([client_id?.maxLength, scope?.maxLength], [128, 4096]);
    assert.match((await refusal(body, { ...body.base, scope: `${LONGEST_SCOPE};` })) ?? '', /invalid_scope/);
  }
});

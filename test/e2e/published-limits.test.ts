// What the schemas of the OpenAPI document allow and forbid in requests, tried from both sides at a running service.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OpenapiSchema } from '../../src/doors/openapi-document.ts';
import { withNamedSchemas } from '../../src/doors/openapi-document.ts';
import { documentOf } from '../doors/openapi-sample.ts';
import { anIntegration } from '../samples.ts';
import { type Answer, json } from './caller.ts';
import { INTROSPECT, IntrospectionScene, ORDERS } from './introspection-scene.ts';
import { basic, postForm } from './oauth-steps.ts';
import { clientId } from './service.ts';
import { CERTIFICATE, CLIENT, DEVICE, DEVICE_GRANT, pairByCertificate, startedDevice, TOKEN } from './steps.ts';

/** What is published of a parameter. Another keyword fails the test: it needs a value that it forbids. */
interface Published {
  readonly type?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly enum?: readonly string[];
  readonly items?: object;
  readonly description?: string;
  readonly examples?: readonly string[];
}

type Fields = Readonly<Record<string, string>>;

/** A valid request of a schema. */
interface Valid {
  readonly fields: Fields;
  readonly send: (fields: Readonly<Record<string, unknown>>) => Promise<Answer>;
  readonly isJson?: true;
}

const LONGEST_ID = 'c'.repeat(128);
const LONGEST_SCOPE = `orders:read${',read'.repeat(817)}`;
/** Of the greatest published length, and one longer. */
const LONG: Readonly<Record<string, readonly [allowed: string, forbidden: string]>> = {
  client_id: [LONGEST_ID, `${LONGEST_ID}c`],
  scope: [LONGEST_SCOPE, `${LONGEST_SCOPE};`],
};

let scene: IntrospectionScene;
before(async () => {
  scene = await IntrospectionScene.open();
  await scene.service.register(anIntegration({ clientId: clientId(LONGEST_ID) }));
});
after(() => scene.close());

const { schemas = {} } = withNamedSchemas(documentOf([{ path: '/authsvc', errorKeys: 'spec' }])).components as {
  schemas?: Record<string, OpenapiSchema & { required?: readonly string[] }>;
};

/** Requests that succeed, or that the person has not confirmed yet. */
async function validRequests(client_id = CLIENT): Promise<Readonly<Record<string, readonly Valid[]>>> {
  const { ada } = scene;
  const inJson = (path: string) => ({
    isJson: true as const,
    send: (fields: object) => ada.ask({ path, ...json(fields) }),
  });
  const asForm = (path: string, headers: Fields = {}) => ({
    send: (fields: object) => postForm(ada, path, fields as Fields, headers),
  });
  const { refresh_token } = await pairByCertificate(ada, client_id);
  const { device_code } = await startedDevice(ada, client_id);
  const redemption = { client_id, device_code, grant_type: DEVICE_GRANT };
  const asked = { client_id, scope: 'orders:read' };
  const token = refresh_token;
  return {
    RefreshRequest: [{ ...inJson(TOKEN), fields: { client_id, refresh_token, grant_type: 'refresh_token' } }],
    RedemptionRequest: [inJson(TOKEN), asForm(TOKEN)].map((way) => ({ ...way, fields: redemption })),
    ScopeRequest: [inJson(CERTIFICATE), inJson(DEVICE), asForm(DEVICE)].map((way) => ({ ...way, fields: asked })),
    OauthTokenRequest: [
      { ...asForm('/oauth2/token'), fields: { client_id, refresh_token, grant_type: 'refresh_token' } },
      { ...asForm('/oauth2/token'), fields: redemption },
    ],
    OauthDeviceRequest: [{ ...asForm('/oauth2/device_authorization'), fields: asked }],
    OauthIntrospectionRequest: [{ ...asForm(INTROSPECT, basic(ORDERS.id, ORDERS.secret)), fields: { token } }],
    OauthRevocationRequest: [{ ...asForm('/oauth2/revoke'), fields: { client_id, token: 'tsr_EXAMPLE==' } }],
  };
}

/** Texts that the schema of a parameter forbids. */
function forbidden(
  name: string,
  { minLength, maxLength, enum: values, ...rest }: Published,
  isJson: boolean,
): unknown[] {
  const { type: _, items: __, description: ___, examples: ____, ...unknown } = rest;
  assert.deepEqual(unknown, {}, `${name} has a keyword that is not tried`);
  return [
    ...(minLength === undefined ? [] : ['x'.repeat(minLength - 1)]),
    ...(maxLength === undefined ? [] : [LONG[name]?.[1]]),
    ...(values ? ['another', values[0]?.toUpperCase()] : []),
    ...(isJson ? [1, true, null, ['x'], {}] : []),
  ];
}

const PENDING = 'authorization_pending';
const outcomeOf = ({ status, json: body }: Answer) => (status === 200 ? 'ok' : (body['Error'] ?? body['error']));

test('what a published schema forbids is refused, as the contract words it, at both doors', async () => {
  const requests = Object.entries(await validRequests());
  const names = Object.keys(schemas).filter((name) => name.endsWith('Request'));
  assert.deepEqual(names.sort(), requests.map(([name]) => name).sort());
  let tried = 0;
  for (const [name, ways] of requests)
    for (const { fields, send, isJson = false } of ways) {
      const usual = outcomeOf(await send(fields));
      assert.ok(usual === 'ok' || usual === PENDING, `${name}: ${usual}`);
      const { properties = {}, required = [] } = schemas[name] ?? {};
      for (const [parameter, published] of Object.entries(properties) as [string, Published][]) {
        if (fields[parameter] === undefined) continue;
        const absent = required.includes(parameter) ? [undefined] : [];
        for (const value of [...absent, ...forbidden(parameter, published, isJson)]) {
          const { [parameter]: _, ...others } = fields;
          const answer = await send(value === undefined ? others : { ...others, [parameter]: value });
          const what = `${name} ${parameter} ${JSON.stringify(value)?.slice(0, 40)}: ${answer.text}`;
          assert.ok(answer.status === 400 || answer.status === 401, what);
          assert.notEqual(outcomeOf(answer), PENDING, what);
          tried += 1;
        }
      }
    }
  assert.ok(tried > 60, `${tried}`);
});

test('what is exactly as long as a published schema allows is accepted', async () => {
  for (const client_id of [CLIENT, LONGEST_ID])
    for (const [name, ways] of Object.entries(await validRequests(client_id)))
      for (const { fields, send } of ways) {
        const { maxLength } = (schemas[name]?.properties?.['scope'] ?? {}) as Published;
        if (maxLength !== undefined) assert.equal(LONGEST_SCOPE.length, maxLength);
        const { scope } = fields;
        const answer = await send({
          ...fields,
          ...(scope !== undefined && maxLength !== undefined && { scope: LONGEST_SCOPE }),
        });
        assert.ok(['ok', PENDING].includes(String(outcomeOf(answer))), `${name} ${answer.text}`);
      }
  const { maxLength } = (schemas['RefreshRequest']?.properties?.['client_id'] ?? {}) as Published;
  assert.equal(maxLength, LONGEST_ID.length);
});

// Every endpoint of the oauth door, as somebody meets it who reads only the RFCs: what is wrong with a request is said in the same
// way everywhere, nothing is cached, and no other site may read it.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { ASSERTION_GRANT_TYPE } from '../../src/doors/token/grant-type.ts';
import { resourceServers } from '../../src/store/tables/registry.ts';
import { tokenIssuers } from '../../src/store/tables/token-issuers.ts';
import { systemRandom } from '../../src/system.ts';
import { drawResourceServerSecret } from '../../src/tokens/resource-server-secret.ts';
import { aTokenIssuer, claimsOf, platformKey, platformServer } from '../platform.ts';
import { anIntegration, aResourceServer, ORDERS_AUDIENCE } from '../samples.ts';
import { type Caller, callerOver, PROTOCOLS, reachOf } from './caller.ts';
import { assertRefused, basic, type Fields, postForm } from './oauth-steps.ts';
import { clientId, PUBLIC_URL, registryFollows, startService, type TestService } from './service.ts';
import { CLIENT, verify } from './steps.ts';

const FORM = 'application/x-www-form-urlencoded';
const { secret, hash } = drawResourceServerSecret(systemRandom);
const JWT = 'outsider-jwt';

/** A request that each endpoint accepts or refuses for its content alone. */
const ENDPOINTS: readonly (readonly [path: string, fields: Fields])[] = [
  ['/oauth2/token', { client_id: CLIENT, grant_type: 'refresh_token', refresh_token: 'x', scope: 'orders:read' }],
  ['/oauth2/device_authorization', { client_id: CLIENT, scope: 'orders:read' }],
  ['/oauth2/revoke', { client_id: CLIENT, token: 'x', token_type_hint: 'access_token' }],
  ['/oauth2/introspect', { client_id: 'orders-api', client_secret: secret.reveal(), token: 'x', token_type_hint: 'y' }],
];

let service: TestService;
let ada: Caller;

before(async () => {
  service = await startService({ signing: 'ES256' });
  ada = callerOver('HTTP/1.1', reachOf(service, service.ada));
  const flows = { device: true, certificate: true, assertion: true };
  await service.register(anIntegration({ clientId: clientId(JWT), accessTokenFormat: 'jwt', flows }));
  await service.put(resourceServers, aResourceServer({ secrets: [{ hash, createdAt: service.now() }] }));
  await registryFollows();
});

after(async () => {
  ada.close();
  await service.stop();
});

for (const protocol of PROTOCOLS) {
  suite(`every endpoint over ${protocol}`, () => {
    let caller: Caller;
    before(() => {
      caller = callerOver(protocol, reachOf(service));
    });
    after(() => caller.close());

    test('[RFC 6749 3.2, RFC 7009 2.1, RFC 7662 2.1, RFC 8628 3.1] takes POST alone; HEAD and OPTIONS too are 405', async () => {
      for (const [path] of ENDPOINTS) {
        for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
          const answer = await caller.ask({ method, path });
          assertRefused(answer, 405, 'invalid_request');
          assert.equal(answer.headers['allow'], 'POST');
        }
        const head = await caller.ask({ method: 'HEAD', path });
        assert.deepEqual([head.status, head.text, head.headers['cache-control']], [405, '', 'no-store']);
      }
    });

    test('[RFC 6749 3.2] takes forms in UTF-8 alone', async () => {
      for (const [path, fields] of ENDPOINTS) {
        const body = new URLSearchParams(fields).toString();
        const send = (type: string, text: string | Uint8Array = body) =>
          caller.ask({ method: 'POST', path, headers: { 'content-type': type }, body: text });
        for (const type of [
          'application/json',
          'multipart/form-data; boundary=x',
          'text/plain',
          `${FORM}; charset=latin1`,
        ])
          assertRefused(await send(type), 400, 'invalid_request');
        assertRefused(await send(FORM, Buffer.from([0x61, 0x3d, 0xff])), 400, 'invalid_request');
        const usual = await send(FORM);
        for (const type of [`${FORM}; charset=UTF-8`, `${FORM};charset="utf-8"`, 'Application/X-WWW-Form-URLEncoded'])
          assert.equal((await send(type)).status, usual.status, `${path} ${type}`);
      }
    });

    test('[RFC 6749 3.2] refuses each of its parameters if it comes twice, also with the same value or empty', async () => {
      for (const [path, fields] of ENDPOINTS) {
        for (const [name, value] of Object.entries(fields)) {
          for (const second of [value, 'other', '']) {
            const body = `${new URLSearchParams(fields).toString()}&${name}=${encodeURIComponent(second)}`;
            assertRefused(await postForm(caller, path, body), 400, 'invalid_request');
          }
        }
      }
    });

    test('[RFC 6749 3.2] reads an empty parameter as a missing one, and ignores unknown ones however often they come', async () => {
      for (const [path, fields] of ENDPOINTS) {
        const usual = await postForm(caller, path, fields);
        const more = '&colour=red&colour=blue&__proto__=x&constructor=&code_verifier=&resource=';
        const answer = await postForm(caller, path, new URLSearchParams(fields).toString() + more);
        assert.deepEqual([answer.status, answer.json['error']], [usual.status, usual.json['error']], path);
        const { client_id: _, ...others } = fields;
        const nobody = await postForm(caller, path, { ...others, client_id: '' });
        assertRefused(nobody, 400, 'invalid_request');
      }
    });

    test('[RFC 6749 10.14] refuses what is too large, odd or not text, and repeats none of it', async () => {
      const odd = [
        'x'.repeat(5000),
        '\0',
        '%00',
        "' OR 1=1 --",
        '<script>',
        '../../etc/passwd',
        '\u202e',
        '"\\\r\nx: y',
      ];
      for (const [path, fields] of ENDPOINTS) {
        for (const value of odd) {
          for (const name of Object.keys(fields)) {
            const answer = await postForm(caller, path, { ...fields, [name]: value });
            assert.ok(answer.status < 500, `${path} ${name} ${answer.text}`);
            assert.ok(!answer.text.includes(value) || value === '\0', `${path} ${name}`);
          }
        }
        assertRefused(await postForm(caller, path, `client_id=${'x'.repeat(2_000_000)}`), 413, 'invalid_request');
      }
    });

    test('[RFC 6749 2.3.1] refuses a secret of a client, and says which scheme', async () => {
      for (const [path, { client_id: _, client_secret: __, ...fields }] of ENDPOINTS) {
        const answer = await postForm(caller, path, fields, basic(CLIENT, 'secret'));
        assertRefused(answer, 401, 'invalid_client');
        assert.equal(answer.headers['www-authenticate'], 'Basic realm="tessera"');
      }
    });

    test('[RFC 6749 5.1, RFC 7662 4] is never cached, and read by no other site', async () => {
      const origin = { origin: 'https://other.example', 'access-control-request-method': 'POST' };
      for (const [path, fields] of ENDPOINTS) {
        const answers = [
          await postForm(caller, path, fields, origin),
          await postForm(caller, path, {}, origin),
          await caller.ask({ method: 'OPTIONS', path, headers: origin }),
          await postForm(caller, `${path}/`, fields, origin),
          await postForm(caller, path.toUpperCase(), fields, origin),
          await postForm(caller, path.replace('/oauth2', '//oauth2'), fields, origin),
        ];
        for (const { headers } of answers) {
          assert.deepEqual([headers['cache-control'], headers['pragma']], ['no-store', 'no-cache']);
          assert.deepEqual(
            Object.keys(headers).filter((name) => name.startsWith('access-control')),
            [],
          );
        }
        assert.deepEqual(
          answers.slice(3).map(({ status }) => status),
          [404, 404, 404],
          path,
        );
      }
    });
  });
}

test('[RFC 7009 2.1, RFC 7662 2.1] a wrong token_type_hint does not hide a token', async () => {
  const fields = { client_id: JWT, grant_type: 'client_credentials' };
  for (const client_id of [JWT, CLIENT]) {
    const token = String((await postForm(ada, '/oauth2/token', { ...fields, client_id })).json['access_token']);
    const hint = { token, token_type_hint: 'refresh_token' };
    const seen = await postForm(ada, '/oauth2/introspect', hint, basic('orders-api', secret.reveal()));
    assert.equal(seen.json['active'], true);
    const answer = await postForm(ada, '/oauth2/revoke', { client_id, ...hint });
    assert.equal(answer.status, 200);
    assert.equal((await verify(ada, token)).status, 401);
  }
});

function claimsIn(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
}

test('[RFC 9068 3] aud is what resource names; without resource it follows from the scope, and our issuer stands for the rest', async () => {
  const issued = async (fields: Fields) => {
    const all = { client_id: JWT, grant_type: 'client_credentials', ...fields };
    return claimsIn(String((await postForm(ada, '/oauth2/token', all)).json['access_token']))['aud'];
  };
  assert.equal(await issued({ resource: ORDERS_AUDIENCE }), ORDERS_AUDIENCE);
  assert.equal(await issued({ scope: 'orders:read' }), ORDERS_AUDIENCE);
  assert.equal(await issued({ scope: 'stock:read' }), PUBLIC_URL);
  assert.deepEqual(await issued({}), [ORDERS_AUDIENCE, PUBLIC_URL].sort());
});

suite('key confusion', () => {
  test('[RFC 9068 5] an access token is no assertion, and an assertion is no access token', async (t) => {
    const key = await platformKey();
    const platform = await platformServer([key]);
    t.after(() => platform.close());
    const keys = { from: 'discovery', allowedAddresses: ['127.0.0.1'] } as const;
    await service.put(tokenIssuers, aTokenIssuer({ issuer: platform.url, keys }));
    await registryFollows();
    const fields = { client_id: JWT, grant_type: 'client_credentials' };
    const own = String((await postForm(ada, '/oauth2/token', fields)).json['access_token']);
    const asserted = (assertion: string) =>
      postForm(ada, '/oauth2/token', { client_id: JWT, grant_type: ASSERTION_GRANT_TYPE, assertion });
    assertRefused(await asserted(own), 400, 'invalid_grant');
    const now = Math.floor(Date.now() / 1000);
    const good = { ...claimsOf({}, now), iss: platform.url, aud: PUBLIC_URL };
    const typed = await key.sign(good, { typ: 'at+jwt' });
    assertRefused(await asserted(typed), 400, 'invalid_grant');
    const assertion = await key.sign(good);
    assert.equal((await asserted(assertion)).status, 200, 'the same claims as an assertion');
    // The claims of our own token, signed by the platform, under our kid and under its own.
    const [head = ''] = own.split('.');
    const ours = JSON.parse(Buffer.from(head, 'base64url').toString()) as Record<string, unknown>;
    for (const forged of [assertion, typed, await key.sign(claimsIn(own), ours), await key.sign(claimsIn(own))]) {
      assert.equal((await verify(ada, forged)).status, 401);
      const asked = await postForm(ada, '/oauth2/introspect', { token: forged }, basic('orders-api', secret.reveal()));
      assert.equal(asked.text, '{"active":false}');
      assert.equal((await postForm(ada, '/oauth2/revoke', { client_id: JWT, token: forged })).status, 200);
    }
    assert.equal((await verify(ada, own)).status, 200, 'and the real one still works');
  });
});

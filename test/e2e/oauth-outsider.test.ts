// Every endpoint of the oauth door, as somebody meets it who reads only the RFCs: what is wrong with a request is said in the same
// way everywhere, nothing is cached, and no other site may read it.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { given, prepare } from '../given.ts';
import { PROTOCOLS } from './caller.ts';
import { ORDERS, ordersServer } from './introspection-scene.ts';
import { assertRefused, basic, type Fields, postForm } from './oauth-steps.ts';
import { registryFollows } from './registry-follows.ts';
import { startService } from './service.ts';
import { CLIENT } from './steps.ts';

const FORM = 'application/x-www-form-urlencoded';
const JWT_ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** A request that each endpoint accepts or refuses for its content alone. */
const ENDPOINTS: readonly (readonly [path: string, fields: Fields])[] = [
  ['/oauth2/token', { client_id: CLIENT, grant_type: 'refresh_token', refresh_token: 'x', scope: 'orders:read' }],
  ['/oauth2/device_authorization', { client_id: CLIENT, scope: 'orders:read' }],
  ['/oauth2/revoke', { client_id: CLIENT, token: 'x', token_type_hint: 'access_token' }],
  ['/oauth2/introspect', { client_id: ORDERS.id, client_secret: ORDERS.secret, token: 'x', token_type_hint: 'y' }],
];

const service = given(() => startService());
prepare(async () => {
  await service.put(resourceServers, ordersServer(service));
  await registryFollows();
});

for (const protocol of PROTOCOLS) {
  suite(`every endpoint over ${protocol}`, () => {
    const caller = given(() => service.caller(undefined, protocol));

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

    test('[RFC 6749 2.3.1] reads nothing from the address: neither parameters nor credentials', async () => {
      for (const [path, fields] of ENDPOINTS) {
        const inAddress = `${path}?${new URLSearchParams(fields).toString()}`;
        const answer = await postForm(caller, inAddress, {});
        assert.ok([400, 401].includes(answer.status), answer.text);
        const none = await postForm(caller, path, {});
        assert.deepEqual([answer.status, answer.json['error']], [none.status, none.json['error']], path);
      }
    });

    test('[RFC 6749 2.3, 5.2] refuses two ways to authenticate in one request as invalid_request', async () => {
      const assertion = { client_assertion: 'x.y.z', client_assertion_type: JWT_ASSERTION };
      for (const [path, { client_secret: _, ...fields }] of ENDPOINTS) {
        const header = basic(String(fields['client_id']), ORDERS.secret);
        const inForm = { ...fields, client_secret: ORDERS.secret };
        for (const [form, headers] of [
          [inForm, header],
          [{ ...fields, ...assertion }, header],
          [{ ...inForm, ...assertion }, {}],
        ] as const)
          assertRefused(await postForm(caller, path, form, headers), 400, 'invalid_request');
      }
    });

    test('[RFC 6749 5.2] answers 401 with a challenge to any Authorization header, whatever its scheme', async () => {
      for (const [path, fields] of ENDPOINTS) {
        for (const [authorization, challenge] of [
          ['Basic bm9ib2R5Og==', /^Basic realm=/],
          ['Bearer x', /^Bearer realm=/],
          ['Digest username="x"', /^Basic realm=/],
        ] as const) {
          const form = { ...fields, client_id: 'nobody', client_secret: '' };
          const answer = await postForm(caller, path, form, { authorization });
          assertRefused(answer, 401, 'invalid_client');
          assert.match(String(answer.headers['www-authenticate']), challenge, path);
        }
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

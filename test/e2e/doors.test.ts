// Rules of every door: paths, mounts, keys, methods, headers [spec-gaps: All doors].
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { suite, test } from 'node:test';
import { given } from '../given.ts';
import { bearer, json, PROTOCOLS, reachOf, tlsOptionsOf } from './caller.ts';
import { startService } from './service.ts';
import {
  assertRefused,
  CERTIFICATE,
  CLIENT,
  DEVICE,
  pairByCertificate,
  REVOKE,
  SCOPE,
  TOKEN,
  VERIFY,
  verify,
} from './steps.ts';

const MOUNTS = [
  { path: '/authsvc', errorKeys: 'spec' },
  { path: '/legacy', errorKeys: 'oauth' },
  { path: '/legacy/Twice.v2', errorKeys: 'both' },
];
const POSTED = [TOKEN, CERTIFICATE, DEVICE];
const GOTTEN = [VERIFY, REVOKE];
const PARAMETERS = { client_id: CLIENT, scope: SCOPE };

for (const protocol of PROTOCOLS) {
  suite(`doors over ${protocol}`, () => {
    const service = given(() => startService({ settings: { authsvc: { mounts: MOUNTS } } }));
    const caller = given(() => service.caller(service.ada, protocol));

    test('paths match in any letter case, with one trailing slash or none [spec-gaps: All doors]', async () => {
      for (const path of [
        '/authsvc/Authorize/Certificate',
        '/authsvc/authorize/certificate',
        '/AUTHSVC/AUTHORIZE/CERTIFICATE',
        '/authSvc/Authorize/certificate/',
        '/authsvc/Authorize/Certificate?x=1',
        '/authsvc/Authorize/Certificate/?x=1',
      ]) {
        assert.equal((await caller.ask({ path, ...json(PARAMETERS) })).status, 200, path);
      }
    });

    test('paths with two slashes, other segments or encoded slashes do not match [spec-gaps: All doors]', async () => {
      for (const path of [
        '/authsvc/Authorize/Certificate//',
        '/authsvc//Authorize/Certificate',
        '/Authorize/Certificate',
        '/authsvc/Authorize%2FCertificate',
        '/authsvc/Authorize/Certificate/x',
        '/authsvc/Authorize',
        '/authsvc',
        '/authsvc/Authorize/Certificate;x=1',
      ]) {
        assertRefused(await caller.ask({ path, ...json(PARAMETERS) }), 404, 'invalid_request');
      }
    });

    test('the door is served under every listed mount [spec-gaps: All doors]', async () => {
      for (const { path } of MOUNTS) {
        const answer = await caller.ask({ path: `${path}/Authorize/Certificate`, ...json(PARAMETERS) });
        assert.equal(answer.status, 200, path);
        const next = await caller.ask({
          path: '/authsvc/Authorize/Token',
          ...json({ client_id: CLIENT, refresh_token: answer.json['refresh_token'] }),
        });
        assert.equal(next.status, 200);
      }
    });

    test('each mount uses its configured error keys: spec, oauth or both [spec-gaps: Departures]', async () => {
      const [spec, oauth] = [
        ['Error', 'Error_description'],
        ['error', 'error_description'],
      ] as const;
      const expected = { '/authsvc': spec, '/legacy': oauth, '/legacy/Twice.v2': [...spec, ...oauth] };
      for (const [mount, keys] of Object.entries(expected)) {
        const refusals = [
          await caller.ask({ path: `${mount}/Authorize/Token`, ...json({}) }),
          await caller.ask({ path: `${mount}/Revoke/Token` }),
          await caller.ask({ path: `${mount}/nowhere` }),
          await caller.ask({ path: `${mount}/Authorize/Token` }),
          await caller.ask({ path: `${mount}/Authorize/Token`, ...json({ client_id: 'x'.repeat(70_000) }) }),
        ];
        assert.deepEqual(
          refusals.map(({ status, json: body }) => [status, Object.keys(body).sort()]),
          [400, 401, 404, 405, 413].map((status) => [status, [...keys].sort()]),
        );
        for (const { json: body } of refusals) assert.equal(new Set(Object.values(body)).size, 2, 'both say the same');
      }
    });

    test('no answer carries a CORS header, whatever the Origin [spec-gaps: All doors]', async () => {
      const headers = { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' };
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const answer = await caller.ask({ method, path: TOKEN, headers });
        assert.deepEqual(
          Object.keys(answer.headers).filter((name) => name.startsWith('access-control')),
          [],
        );
      }
    });

    test('other methods, including OPTIONS, are 405 with Allow [spec-gaps: All doors]', async () => {
      for (const [paths, allowed] of [
        [POSTED, 'POST'],
        [GOTTEN, 'GET'],
      ] as const) {
        const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'QUERY', 'TRACE'];
        for (const path of [...paths, ...paths.map((name) => `${name.toLowerCase()}/?x`)]) {
          for (const method of others.filter((name) => name !== allowed)) {
            const answer = await caller.ask({ method, path });
            assertRefused(answer, 405, 'invalid_request');
            assert.equal(answer.headers['allow'], allowed, `${method} ${path}`);
          }
        }
      }
    });

    // Over HTTP/1.1 its socket is taken below, by hand.
    if (protocol === 'HTTP/2')
      test('CONNECT is 405 in JSON [RFC 9110 9.3.6]', async (t) => {
        const session = connect(`https://127.0.0.1:${service.port}`, tlsOptionsOf(reachOf(service)));
        t.after(() => session.destroy());
        const stream = session.request({ ':method': 'CONNECT', ':authority': 'elsewhere:443' });
        const [headers] = await once(stream, 'response');
        const [body] = await once(stream, 'data');
        stream.destroy();
        assert.deepEqual([headers[':status'], headers.allow], [405, 'GET, POST']);
        assert.equal(JSON.parse(String(body)).Error, 'invalid_request');
      });

    test('HEAD never revokes [spec-gaps: All doors]', async () => {
      const { access_token } = await pairByCertificate(caller);
      const answer = await caller.ask({ method: 'HEAD', path: REVOKE, ...bearer(access_token) });
      assert.deepEqual([answer.status, answer.headers['allow']], [405, 'GET']);
      assert.equal((await verify(caller, access_token)).status, 200);
    });
  });
}

test('a service with mounts that differ only in case does not start [spec-gaps: All doors]', async () => {
  const mounts = [{ path: '/authsvc' }, { path: '/AuthSvc' }];
  await assert.rejects(startService({ settings: { authsvc: { mounts } } }), /letter case makes no difference/);
});

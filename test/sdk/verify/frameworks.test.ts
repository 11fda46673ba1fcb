// guard.require in front of the same API, on each framework: what callers get.
import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, suite, test } from 'node:test';
import type { Guard } from '../../../sdk/verify/src/verify.ts';
import { callerOver } from '../../e2e/caller.ts';
import { issueServer } from '../../e2e/service.ts';
import { pairByCertificate } from '../../e2e/steps.ts';
import { given, prepare } from '../../given.ts';
import { ADA } from '../../samples.ts';
import { FRAMEWORKS } from './framework-apis.ts';
import { FORMATS, startProtected } from './protected-api.ts';

let guard: Guard;
const api = given(() => startProtected());
prepare(async () => {
  guard = await api.guard();
});
after(async () => {
  guard.close();
});

for (const [name, listen] of Object.entries(FRAMEWORKS))
  suite(name, () => {
    let base: string;
    let close: () => void;
    before(async () => {
      const server = createServer((await listen(guard)) as RequestListener);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/orders`;
      close = () => void server.close();
    });
    after(() => close());

    for (const format of FORMATS)
      test(`a good ${format} token gets through, and the API knows who calls`, async () => {
        const headers = { authorization: `Bearer ${await api.token(format)}` };
        const answer = await fetch(base, { headers });
        assert.deepEqual([answer.status, await answer.text()], [200, ADA]);
      });

    test('[RFC 6750 3] without a token: 401, what is needed, and no error code', async () => {
      for (const headers of [{}, { authorization: 'Basic YTpi' }, { authorization: 'Bearer ' }]) {
        const answer = await fetch(base, { headers: headers as Record<string, string> });
        assert.deepEqual([answer.status, answer.headers.get('www-authenticate')], [401, 'Bearer scope="orders:read"']);
        await answer.text();
      }
    });

    test('[RFC 6750 3.1] a wrong token: 401 invalid_token', async () => {
      const answer = await fetch(base, { headers: { authorization: 'Bearer wrong' } });
      assert.equal(answer.status, 401);
      assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer error="invalid_token", error_description="/);
      assert.equal(((await answer.json()) as { error: string }).error, 'invalid_token');
    });

    test('[RFC 6750 3.1] a token without the permission: 403 insufficient_scope, with what is needed', async () => {
      const headers = { authorization: `bearer ${await api.token('jwt')}` };
      const answer = await fetch(base, { method: 'POST', headers });
      assert.equal(answer.status, 403);
      const challenge = answer.headers.get('www-authenticate') ?? '';
      assert.match(challenge, /^Bearer error="insufficient_scope", .*scope="orders:write"$/);
      await answer.text();
    });

    test('a token in the address is not looked at', async () => {
      const answer = await fetch(`${base}?access_token=${await api.token('jwt')}`);
      assert.equal(answer.status, 401);
      await answer.text();
    });

    test('[RFC 8705 3] a bound token needs its certificate on the connection', async (t) => {
      const server = issueServer(api.authority);
      const tls = {
        key: server.key,
        cert: server.pem,
        ca: api.authority.pem,
        requestCert: true,
        rejectUnauthorized: false,
      };
      const secure = createTlsServer(tls, (await listen(guard)) as RequestListener);
      await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
      const { port } = secure.address() as AddressInfo;
      const [own, other] = [api.ada, api.authority.issue({ commonName: 'mallory' })];
      const { access_token: token } = await pairByCertificate(api.holder, 'bound-jwt', 'orders:read');
      for (const [certificate, status] of [
        [own, 200],
        [other, 401],
        [undefined, 401],
      ] as const) {
        const caller = callerOver('HTTP/1.1', { port, ca: api.authority.pem, certificate });
        t.after(() => caller.close());
        const answer = await caller.ask({ path: '/orders', headers: { authorization: `Bearer ${token}` } });
        assert.equal(answer.status, status, answer.text);
      }
      secure.close();
    });
  });

// The guard as a proxy sees it: answers, readiness, reload, who may connect. The service is the test's own; the proxies are in recipes.test.ts.
import assert from 'node:assert/strict';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { request as requestTls } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { calculateJwkThumbprint } from 'jose';
import { fileSource } from '../../../../sdk/verify/src/guard/in-effect.ts';
import { Rules } from '../../../../sdk/verify/src/guard/rules.ts';
import { GuardServer } from '../../../../sdk/verify/src/guard/server.ts';
import { makeAuthority } from '../../../authority.ts';
import { ath, dpopKey } from '../../../e2e/dpop-steps.ts';
import { eventually } from '../../../eventually.ts';
import { freePort } from '../../../free-port.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';
import { FakeService } from '../fake-service.ts';

const audience = 'https://orders.example';
const RULES = [
  { path: '/orders', methods: ['GET'], open: ['OPTIONS'], audience, scope: 'orders:read' },
  { path: '/orders', methods: ['POST'], audience, scope: 'orders:write' },
];
const BY_ADDRESS = `/check?audience=${audience}&scope=orders:read`;

interface Answered {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

async function scene(t: TestContext, more: object = { rules: RULES }) {
  const service = await FakeService.start();
  service.now = Math.floor(Date.now() / 1000);
  t.after(() => service.leave());
  const folder = temporaryFolder('guard');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'guard.json');
  writeFileSync(join(folder, 'secret'), 'tsc_secret\n');
  const resourceServers = [{ id: 'orders-api', audience, secretFile: 'secret', metadata: true }];
  const port = await freePort();
  const usual = { issuer: service.issuer, resourceServers, from: 'headers', listen: [`127.0.0.1:${port}`] };
  const write = (changed: object) => writeFileSync(file, JSON.stringify({ ...usual, ...changed }));
  write(more);
  const lines: string[] = [];
  const guard = new GuardServer(
    fileSource(file),
    (_, fields, msg) => void lines.push(`${msg} ${JSON.stringify(fields)}`),
  );
  let isStopped = false;
  const stop = async () => {
    if (!isStopped) await guard.stop();
    isStopped = true;
  };
  await guard.start();
  t.after(stop);
  const get = (path: string, headers: Record<string, string | string[]> = {}, to: object = { port }) =>
    new Promise<Answered>((resolve, reject) => {
      const sent = request({ ...to, path, headers, agent: false }, (response) => {
        const { statusCode: status, headers: given } = response;
        text(response).then((body) => resolve({ status, headers: given, text: body }), reject);
      });
      sent.on('error', reject).end();
    });
  /** As a proxy asks it. */
  const ask = (call: string, headers: Record<string, string | string[]> = {}, path = '/check') => {
    const [method = '', uri = ''] = call.split(' ');
    const forwarded = { 'X-Forwarded-Method': method, 'X-Forwarded-Host': 'orders.example', 'X-Forwarded-Uri': uri };
    return get(path, { ...forwarded, ...headers });
  };
  return { service, folder, port, guard, stop, write, lines, get, ask };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

test('a good token is answered with 200 and who calls; the rest is refused with the challenges of RFC 6750', async (t) => {
  const { service, ask, lines } = await scene(t);
  const token = service.opaque({ sub: 'ldap:Zoë 100%', username: 'zoë' });
  const good = await ask('GET /orders/1?a=b', bearer(token));
  assert.equal(good.status, 200);
  const { 'tessera-identity': identity, 'tessera-name': name, 'tessera-client': client, ...rest } = good.headers;
  assert.deepEqual([identity, name, client], ['ldap:Zo%C3%AB 100%25', 'zo%C3%AB', 'orders-sync']);
  assert.deepEqual([rest['tessera-scope'], rest['tessera-expires']], ['orders:read', String(service.now + 600)]);
  assert.equal((await ask('GET /orders', bearer(await service.jwt()))).headers['tessera-identity'], 'local:ada');

  const RESOURCE = 'resource_metadata="https://orders.example/.well-known/oauth-protected-resource"';
  const REFUSED = [
    ['GET /orders', {}, 401, `Bearer scope="orders:read", ${RESOURCE}`],
    ['GET /orders', bearer('x'), 401, /^Bearer error="invalid_token", .*scope="orders:read"/],
    ['GET /orders', { authorization: 'Basic eDp5' }, 401, /^Bearer scope=/],
    ['POST /orders', bearer(token), 403, /^Bearer error="insufficient_scope", .*scope="orders:write"/],
    ['PUT /orders', bearer(token), 403, undefined],
    ['GET /stock', bearer(token), 403, undefined],
    ['GET /orders/../stock', bearer(token), 400, undefined],
    ['GET /orders', { authorization: [`Bearer ${token}`, 'Bearer x'] }, 400, undefined],
  ] as const;
  for (const [call, headers, status, challenge] of REFUSED) {
    const refused = await ask(call, { ...headers } as Record<string, string>);
    assert.equal(refused.status, status, call);
    const found = refused.headers['www-authenticate'];
    if (challenge instanceof RegExp) assert.match(found ?? '', challenge);
    else assert.equal(found, challenge);
    assert.equal(refused.headers['cache-control'], 'no-store');
    assert.deepEqual(Object.keys(JSON.parse(refused.text)), ['error', 'error_description']);
    assert.equal(Object.keys(refused.headers).filter((each) => each.startsWith('tessera-')).length, 0);
  }
  assert.equal((await ask('OPTIONS /orders')).status, 200, 'a rule says that it is open');
  assert.match(lines[0] ?? '', /^request .*"status":200,.*"identity":"ldap:Zoë 100%",.*"path":"\/orders\/1"/);
  assert.ok(lines.every((line) => !line.includes(token) && !line.includes('a=b')));
});

test('a defect or a missing header of the proxy never lets a request through, and other paths are not answered', async (t) => {
  const { get } = await scene(t);
  assert.equal((await get('/check', bearer('x'))).status, 400);
  for (const path of ['/', '/checks', '/check.x', '/orders', '//check'])
    assert.equal((await get(path)).status, 404, path);
  const many = Array.from({ length: 1_100 }, () => 'y');
  const overfull = await get('/check', {
    'X-Forwarded-Method': 'GET',
    'X-Forwarded-Host': 'orders.example',
    'X-Forwarded-Uri': '/orders',
    x: many,
    Authorization: ['a', 'b'],
  });
  assert.equal(overfull.status, 400, 'the last header counts too');
  const metadata = await get('/.well-known/oauth-protected-resource', { host: 'orders.example' });
  assert.equal((JSON.parse(metadata.text) as { resource: string }).resource, audience);
  assert.equal((await get('/.well-known/oauth-protected-resource', { host: 'other.example' })).status, 404);
  const defect = t.mock.method(Rules.prototype, 'match', () => assert.fail('a defect'));
  const broken = await get('/check', {
    'x-forwarded-method': 'GET',
    'x-forwarded-host': 'a',
    'x-forwarded-uri': '/orders',
  });
  assert.deepEqual([broken.status, defect.mock.callCount()], [503, 1]);
});

test('a token that is bound to a key needs a proof for this call [RFC 9449 7]', async (t) => {
  const { service, ask } = await scene(t);
  const key = await dpopKey();
  const token = await service.jwt({ cnf: { jkt: await calculateJwkThumbprint(key.jwk) } });
  const proof = (htu: string) => key.proof({ htm: 'GET', htu, iat: service.now, ath: ath(token) });
  const good = { authorization: `DPoP ${token}`, dpop: await proof(`${audience}/orders/1`) };
  assert.equal((await ask('GET /orders/1?x', good)).status, 200);
  const again = await ask('GET /orders/1', good);
  assert.match(`${again.status} ${again.headers['www-authenticate']}`, /^401 DPoP error="invalid_dpop_proof"/);
  for (const headers of [bearer(token), { ...good, dpop: await proof(`${audience}/orders/2`) }])
    assert.equal((await ask('GET /orders/1', headers)).status, 401);
});

test('without rules, the address that the proxy asks says what is needed, once and alone', async (t) => {
  const { service, ask } = await scene(t, {});
  const token = bearer(service.opaque());
  assert.equal((await ask('GET /anything', token, BY_ADDRESS)).status, 200);
  assert.equal((await ask('GET /anything', token, BY_ADDRESS.replace('read', 'write'))).status, 403);
  assert.equal((await ask('GET /anything', token, '/check?audience=https://other.example&scope=')).status, 403);
  const wrong = ['/check', '/check?scope=', `/check?audience=${audience}`, `${BY_ADDRESS}&scope=`, `${BY_ADDRESS}&a=b`];
  for (const path of wrong) assert.equal((await ask('GET /anything', token, path)).status, 400, path);
});

test('while the service is away, the last news count within the bound; then 503 with Retry-After', async (t) => {
  const { service, ask, get } = await scene(t, { rules: RULES, maxStale: 3 });
  const tokens = [await service.jwt(), service.opaque()];
  const statuses = async () => {
    const answers = await Promise.all(tokens.map((token) => ask('GET /orders', bearer(token))));
    return answers.map(({ status, headers }) => `${status} ${headers['retry-after'] ?? ''}`.trim()).join();
  };
  assert.equal(await statuses(), '200,200');
  assert.equal((await get('/readyz')).status, 200);
  await service.leave();
  assert.equal(await statuses(), '200,200');
  await eventually('the bound is over', async () => (await get('/readyz')).status === 503);
  assert.equal(await statuses(), '503 5,503 5');
  await eventually('it is noted', async () => (await get('/readyz')).text.includes('"isFresh":false'));
  assert.match((await get('/metrics')).text, /^tessera_guard_fresh\{resource_server="orders-api"\} 0$/m);
  assert.match((await get('/metrics')).text, /^tessera_guard_answers_total\{status="200",reason="allowed"\} 4$/m);
  assert.equal((await get('/healthz')).status, 200);
  await service.listen();
  await eventually('it is back', async () => (await statuses()) === '200,200');
});

test('the file is loaded again without a lost request; a wrong one changes nothing', async (t) => {
  const { service, ask, write, guard, lines, folder } = await scene(t);
  const token = bearer(service.opaque());
  let isOver = false;
  const seen = new Set<number | undefined>();
  const calls = (async () => {
    while (!isOver) seen.add((await ask('GET /orders', token)).status);
  })();
  write({ rules: [{ ...RULES[0], path: '/stock' }, RULES[0]] });
  await eventually('it is noticed', async () => (await ask('GET /stock', token)).status === 200);
  write({ rules: 'none' });
  await eventually('it is said', () => lines.some((line) => line.includes('rules must be of type array')));
  assert.equal((await ask('GET /stock', token)).status, 200);
  writeFileSync(join(folder, 'secret'), 'tsc_other');
  write({ rules: RULES });
  await guard.reload();
  assert.equal((await ask('GET /stock', token)).status, 403);
  assert.equal((await ask('GET /orders', token)).status, 200);
  isOver = true;
  await calls;
  assert.deepEqual([...seen], [200]);
  assert.equal(lines.filter((line) => line.includes('must be of type array')).length, 1);
});

test('a unix socket is for the group; one that is left over is replaced, one in use or another file is not', async (t) => {
  const folder = temporaryFolder('guard-socket');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'socket');
  const { get, stop } = await scene(t, { rules: RULES, listen: [path] });
  assert.equal(statSync(path).mode & 0o777, 0o660);
  assert.equal((await get('/healthz', {}, { socketPath: path })).status, 200);
  await assert.rejects(scene(t, { rules: RULES, listen: [path] }), /is in use/);
  await stop();
  writeFileSync(path, 'a file');
  await assert.rejects(scene(t, { rules: RULES, listen: [path] }), /is in use/);
  assert.equal(readFileSync(path, 'utf8'), 'a file');
});

test('elsewhere than on this machine, only those may connect whom the file names', async (t) => {
  const authority = makeAuthority();
  const [server, proxy] = [
    authority.issue({ dnsNames: ['localhost'], usages: ['1.3.6.1.5.5.7.3.1'] }),
    authority.issue(),
  ];
  const port = await freePort();
  const open = await scene(t, { rules: RULES, listen: [`0.0.0.0:${port}`], allow: ['127.0.0.0/8'] });
  assert.equal((await open.get('/healthz', {}, { port, host: '127.0.0.1' })).status, 200);
  const other = await freePort();
  const shut = await scene(t, { rules: RULES, listen: [`0.0.0.0:${other}`], allow: ['10.0.0.0/8'] });
  await assert.rejects(shut.get('/healthz', {}, { port: other, host: '127.0.0.1' }), { code: 'ECONNRESET' });

  const folder = temporaryFolder('guard-tls');
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const tls = {
    certificate: file('crt', server.pem),
    key: file('key', server.key),
    clients: file('ca', authority.pem),
  };
  const tlsPort = await freePort();
  await scene(t, { rules: RULES, listen: [`0.0.0.0:${tlsPort}`], tls });
  const statusOf = (own: object) =>
    new Promise((resolve, reject) => {
      const to = { port: tlsPort, path: '/healthz', ca: authority.pem, servername: 'localhost', agent: false, ...own };
      const sent = requestTls(to, (response) => resolve(response.resume().statusCode));
      sent.on('error', reject).end();
    });
  assert.equal(await statusOf({ cert: proxy.pem, key: proxy.key }), 200);
  await assert.rejects(statusOf({}));
  const stranger = makeAuthority().issue();
  await assert.rejects(statusOf({ cert: stranger.pem, key: stranger.key }));
});

test('a request in flight is answered before it stops', async (t) => {
  const { service, ask, stop, port, get } = await scene(t);
  let answer = () => undefined as unknown;
  service.instead.set('/introspection', (response) => {
    answer = () => response.end(JSON.stringify({ active: false }));
  });
  const before = answer;
  const waiting = ask('GET /orders', bearer('tsa_x'));
  await eventually('it has asked', () => answer !== before);
  const stopping = stop();
  await eventually('nobody else may connect', () =>
    get('/healthz', {}, { port }).then(
      () => false,
      () => true,
    ),
  );
  answer();
  const { status, headers } = await waiting;
  assert.deepEqual([status, headers.connection], [401, 'close']);
  await stopping;
});

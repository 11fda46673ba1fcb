// The table proxy × case: each proxy of docs/guard.md as it is documented, the real service and guard, and an API in Python.
// Only in test:all: five proxies, and 100 MB through each
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { eventually } from '../../eventually.ts';
import { given, prepare } from '../../given.ts';
import { ORDERS_AUDIENCE } from '../../samples.ts';
import { JWT_CLIENT, startProtected } from '../../sdk/verify/protected-api.ts';
import { pairByCertificate, revoke } from '../steps.ts';
import { call, echoed, named, seenIn } from './calls.ts';
import { missing, RECIPES, startGuard, startRecipe, startUpstream } from './proxies.ts';

const MEGABYTE = 2 ** 20;
const rule = { audience: ORDERS_AUDIENCE, host: 'orders.example.com' };
const RULES = [
  { ...rule, path: '/orders', methods: ['GET'], open: ['OPTIONS'], scope: 'orders:read' },
  { ...rule, path: '/orders', methods: ['POST', 'DELETE'], scope: 'orders:write' },
  { ...rule, path: '/orders/admin', scope: 'orders:write' },
  { ...rule, path: '/upload', scope: 'orders:read' },
];

/** They lead to /orders/admin or to /orders, for some server that reads them in its own way. */
const TRICKS = [
  ...['//orders/admin', '/orders//admin', '/orders/./admin', '/upload/../orders/admin', '/upload/..%2forders/admin'],
  ...[
    '/upload/%2e%2e/orders/admin',
    '/orders%2fadmin',
    '/orders/%2561dmin',
    '/upload/..;/orders/admin',
    '/;/orders/admin',
  ],
  ...[
    '/orders;a=b/admin',
    '/orders/admin;a=b',
    '/upload\\..\\orders\\admin',
    '/upload/..%5corders%5cadmin',
    '/orders/%00admin',
  ],
  ...[
    'http://orders.example.com/orders/admin',
    'http://other.example.com/orders',
    '/orders/admin?/upload',
    '/orders/%61dmin',
  ],
];

const service = given(() => startProtected());
const api = given(() => startUpstream());
const guards = Object.fromEntries(
  (['headers', 'path'] as const).map((from) => [
    from,
    given(() => {
      const { issuer, resourceServer } = service.options;
      const resourceServers = [{ id: resourceServer.id, audience: ORDERS_AUDIENCE, secretFile: 'secret' }];
      const configuration = { issuer, ca: 'ca.pem', resourceServers, from, rules: RULES, maxStale: 4 };
      return startGuard(configuration, service.options);
    }),
  ]),
) as Record<'headers' | 'path', Awaited<ReturnType<typeof startGuard>>>;

const tokens: Record<string, string> = {};
const bearer = (name: string) => `Authorization: Bearer ${tokens[name]}`;
const issue = async (format: 'jwt' | 'opaque', scope?: string) => service.token(format, scope);
prepare(async () => {
  tokens['expired'] = (await pairByCertificate(service.holder, 'named-only', 'orders:read')).access_token; // for an hour
  service.pass(7200);
  tokens['jwt'] = await issue('jwt');
  tokens['opaque'] = await issue('opaque');
  tokens['stock'] = (await pairByCertificate(service.holder, JWT_CLIENT, 'stock:read')).access_token;
});

const proxies = Object.entries(RECIPES).map(([name, recipe]) => {
  const skip = missing(recipe);
  const proxy = skip ? undefined : given(() => startRecipe(name, guards[recipe.from].port, api.port));
  return { name, skip, port: () => proxy?.port ?? 0 };
});

for (const { name, skip, port } of proxies)
  suite(`${name} with deploy/guard/${RECIPES[name]?.file}`, { skip }, () => {
    const status = async (line: string, ...headers: string[]) => (await call(port(), line, headers)).status;

    test('a good token passes, and the API learns who calls', async () => {
      for (const format of ['jwt', 'opaque']) {
        const seen = seenIn(await call(port(), 'GET /orders/1?a=b', [bearer(format)]));
        assert.deepEqual([seen?.method, seen?.path], ['GET', '/orders/1?a=b']);
        const lines = named(seen, 'TESSERA_').map((line) => line.replace(/(EXPIRES=|CLIENT=).*/, '$1'));
        const name = format === 'opaque' ? ['TESSERA_NAME=ada'] : []; // which introspection has
        const identity = 'TESSERA_IDENTITY=local:{0a1b2c3d-0000-4000-8000-00000000ada0}';
        assert.deepEqual(lines, [
          'TESSERA_CLIENT=',
          'TESSERA_EXPIRES=',
          identity,
          ...name,
          'TESSERA_SCOPE=orders:read',
        ]);
      }
      assert.equal(await status('OPTIONS /orders'), 200, 'a rule says that it is open');
    });

    test('no token, a wrong one, the wrong scope, audience or host, and an expired one do not pass', async () => {
      const none = await call(port(), 'GET /orders');
      assert.match(`${none.status} ${none.head}`, /^401 .*\r\nwww-authenticate: Bearer scope="orders:read"/is);
      const narrow = await call(port(), 'POST /orders', [bearer('jwt')]);
      assert.match(
        `${narrow.status} ${narrow.head}`,
        /^403 .*\r\nwww-authenticate: Bearer error="insufficient_scope"/is,
      );
      assert.equal(narrow.head.match(/www-authenticate/gi)?.length, 1);
      for (const token of ['expired', 'stock', 'forged'])
        assert.equal(await status('GET /orders', bearer(token)), 401, token);
      assert.equal(await status('GET /elsewhere', bearer('jwt')), 403);
      assert.equal(seenIn(await call(port(), 'GET /orders', [bearer('jwt'), 'Host: other.example.com'])), undefined);
    });

    test('a revoked token is refused within two seconds', async () => {
      for (const format of ['jwt', 'opaque'] as const) {
        const token = await issue(format);
        const authorization = `Authorization: Bearer ${token}`;
        assert.equal(await status('GET /orders', authorization), 200);
        await revoke(service.holder, token);
        const began = performance.now();
        await eventually('it is refused', async () => (await status('GET /orders', authorization)) === 401);
        const took = performance.now() - began;
        assert.ok(took < 2000, `${took} ms`);
      }
    });

    test('headers of the caller are not taken for those of the guard', async () => {
      const forged = ['Identity', 'Name', 'Client', 'Scope', 'Expires'].flatMap((end) =>
        [`Tessera-${end}`, `TESSERA-${end.toUpperCase()}`, `Tessera_${end}`, `tessera_${end.toLowerCase()}`].flatMap(
          (header) => [`${header}: evil`, `${header}: evil`],
        ),
      );
      const seen = seenIn(await call(port(), 'GET /orders', [...forged, bearer('jwt')]));
      assert.equal(named(seen, 'TESSERA_IDENTITY').length, 1);
      assert.ok(!JSON.stringify(seen).includes('evil'), JSON.stringify(seen));
      const open = seenIn(await call(port(), 'OPTIONS /orders', forged));
      assert.deepEqual([open?.method, named(open, 'TESSERA')], ['OPTIONS', []]);
    });

    test('a caller cannot say that it asked for something else', async () => {
      const lies = ['X-Forwarded-Method: GET', 'X-Forwarded-Uri: /orders', 'X-Forwarded-Host: orders.example.com'];
      const others = ['X-Original-URL: /orders', 'X-Rewrite-URL: /orders', 'X-Original-Method: GET'];
      assert.equal(await status('DELETE /orders/1', ...lies, ...others, bearer('jwt')), 403);
      assert.equal(await status('GET /orders/admin', ...lies, ...others, bearer('jwt')), 403);
      const names = ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override', 'X-Original-URL', 'X-Rewrite-URL'];
      const override = names.flatMap((header) => [`${header}: evil`, `${header.replaceAll('-', '_')}: evil`]);
      const seen = seenIn(await call(port(), 'GET /orders', [...override, 'Client-Cert: :evil:', bearer('jwt')]));
      assert.equal(seen?.method, 'GET');
      for (const start of ['X_HTTP', 'X_METHOD', 'X_ORIGINAL', 'X_REWRITE', 'CLIENT_CERT'])
        assert.deepEqual(named(seen, start), []);
    });

    test('Connection does not remove what the guard says', async () => {
      const hops = 'Connection: close, Tessera-Identity, Tessera-Scope';
      const answer = await call(port(), 'GET /orders', [hops, bearer('jwt')]);
      const isRefused = [400, 404].includes(answer.status);
      assert.ok(isRefused || named(seenIn(answer), 'TESSERA_IDENTITY').length === 1, answer.head);
    });

    test('the address of the metadata does not lead to the question', async () => {
      const answer = await call(port(), 'GET /check/../.well-known/oauth-protected-resource', [
        'X-Forwarded-Method: GET',
        'X-Forwarded-Host: orders.example.com',
        'X-Forwarded-Uri: /orders',
        bearer('jwt'),
      ]);
      assert.deepEqual([/tessera-/i.test(answer.head), seenIn(answer)], [false, undefined]);
    });

    test('no connection becomes another one than a WebSocket, which could carry requests that nobody checks', async () => {
      const upgrades = [
        ['h2c'],
        ['TLS/1.0'],
        ['websocket, h2c'],
        ['h2c, websocket'],
        ['h2c', 'websocket'],
        ['websocket', 'h2c'],
      ];
      for (const values of upgrades) {
        const lines = values.map((value) => `Upgrade: ${value}`);
        const sent = [
          'Connection: Upgrade, HTTP2-Settings, close',
          'HTTP2-Settings: AAMAAABk',
          ...lines,
          bearer('jwt'),
        ];
        const answer = await call(port(), 'GET /orders', sent);
        const upgrade = seenIn(answer)?.headers.find(([header]) => /^upgrade$/i.test(header));
        assert.ok(upgrade === undefined && !/^upgrade: (?!websocket)/im.test(answer.head), `${values}: ${answer.head}`);
      }
    });

    for (const target of TRICKS)
      test(`GET ${target} does not reach what the token is not for`, async () => {
        const answer = await call(port(), `GET ${target}`, [bearer('jwt')]);
        assert.equal(seenIn(answer), undefined);
        assert.ok(answer.status < 500, answer.head);
      });

    test('a WebSocket and a body of 100 MB pass untouched, and neither without a token', async () => {
      assert.equal(await echoed(port(), '/orders/live', [bearer('jwt')]), 'hello');
      assert.equal(await echoed(port(), '/orders/live', []), '401');
      async function* megabytes(): AsyncGenerator<Buffer> {
        for (let n = 0; n < 100; n++) yield Buffer.alloc(MEGABYTE, 'x');
      }
      const length = `Content-Length: ${100 * MEGABYTE}`;
      const uploaded = await call(port(), 'POST /upload', [length, bearer('jwt')], megabytes());
      assert.equal(seenIn(uploaded)?.received, 100 * MEGABYTE, uploaded.head);
    });
  });

test('haproxy lets nothing through if its Lua fails', async () => {
  const broken = (text: string) => text.replace('local given =', 'local missing = nil + 1\n  local given =');
  const haproxy = await startRecipe('haproxy', guards.headers.port, api.port, undefined, undefined, broken);
  assert.equal((await call(haproxy.port, 'GET /orders', [bearer('jwt')])).status, 503);
  await haproxy.stop();
});

const present = proxies.filter(({ skip }) => !skip);
const through = async (token: string) =>
  Promise.all(present.map(async ({ port }) => (await call(port(), 'GET /orders', [bearer(token)])).status));
const all = (status: number) => present.map(() => status);

suite('while something is stopped, one after the other', () => {
  test('the service: known tokens pass within the bound; then every proxy answers 503', async () => {
    assert.deepEqual(await through('opaque'), all(200));
    await service.stop();
    for (const token of ['jwt', 'opaque']) assert.deepEqual(await through(token), all(200), token);
    await eventually('the bound is over', async () => (await through('jwt')).every((status) => status === 503));
    assert.deepEqual(await through('opaque'), all(503));
  });

  test('the guard: no proxy lets anything through', async () => {
    await Promise.all(Object.values(guards).map((guard) => guard.stop()));
    const statuses = await through('jwt');
    assert.ok(
      statuses.every((status) => status >= 500),
      String(statuses),
    );
  });
});

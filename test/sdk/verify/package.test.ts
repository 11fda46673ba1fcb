// @tessera/verify from its tarball, in an empty folder, on every Node that it promises.
// Only in test:all: packages from tarballs
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { verifier } from '../../../sdk/verify/src/verify.ts';
import { eventually } from '../../eventually.ts';
import { freePort } from '../../free-port.ts';
import { given } from '../../given.ts';
import { ORDERS_AUDIENCE } from '../../samples.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { promisedNodes } from '../nodes.ts';
import { installPacked } from '../packed.ts';
import { FORMATS, startProtected } from './protected-api.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** A program as a user writes it: an API, and calls with no token, a good one, one without the permission, and a wrong one. */
const PROGRAM = `
import { createServer } from 'node:http';
import { answerTo, verifier } from '@tessera/verify';
const { options, tokens } = JSON.parse(process.env.ORDER);
const guard = await verifier(options);
const [read, write] = [guard.require('orders:read'), guard.require('orders:write')];
const server = createServer(async (request, response) => {
  if (await (request.method === 'POST' ? write : read)(request, response)) response.end(guard.caller(request).identity);
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = 'http://127.0.0.1:' + server.address().port;
const call = async (token, method = 'GET') => {
  const response = await fetch(url, { method, headers: token ? { authorization: 'Bearer ' + token } : {} });
  await response.text();
  return response.status;
};
const statuses = [await call(), await call('wrong')];
for (const token of tokens) statuses.push(await call(token), await call(token, 'POST'));
const refused = answerTo(await guard.check('wrong')).status;
guard.close();
server.close();
server.closeAllConnections();
console.log(JSON.stringify({ statuses, refused }));
`;

const TYPED = `
import { type Allowed, type Guard, verifier } from '@tessera/verify';
const resourceServer = { id: 'a', secret: 'b', audience: 'https://c' };
const guard: Guard = await verifier({ issuer: 'https://x', resourceServer, onOutage: 'refuse' });
// As the README has it: what comes from the environment may be missing.
await verifier({ issuer: process.env['I'], resourceServer: { ...resourceServer, secret: process.env['S'] }, ca: process.env['C'] });
const checked = await guard.check('token');
if (checked.ok) { const allowed: Allowed = checked; allowed.identity.length; } else checked.reason.length;
// @ts-expect-error: the types know the choices
await verifier({ issuer: 'https://x', resourceServer, onOutage: 'allow' });
// @ts-expect-error: a refusal has no identity
(await guard.check('token')).identity;
`;

/** Middleware on each framework: it fits, it keeps the types of the handler after it, and it is not any. */
const MIDDLEWARE = `
import { createServer } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import type { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import { fastify } from 'fastify';
import { Hono } from 'hono';
import { type Middleware, verifier } from '@tessera/verify';
const guard = await verifier({ issuer: 'https://x', resourceServer: { id: 'a', secret: 'b', audience: 'https://c' } });
const read: Middleware = guard.require('orders:read');

createServer(async (request, response) => { const isAllowed: boolean = await read(request, response); isAllowed.valueOf(); });
createHttp2Server(async (request, response) => { if (await read(request, response)) response.end(guard.caller(request).identity); });

const app = express();
app.use(read);
app.get('/orders/:id', read, (request, response) => {
  const id: string = request.params.id;
  response.send(id + guard.caller(request).identity);
  // @ts-expect-error: the path has no other parameter
  request.params.other;
});
express.Router().all('/orders', [read]);

// Express 4: its types declare void.
type Express4 = (request: IncomingMessage & { path: string }, response: ServerResponse & { locals: object }, next: (fault?: any) => void) => void;
const four: Express4 = read;
// Types of express between 4 and 5.
const between: (request: IncomingMessage, response: ServerResponse, next: (fault?: any) => void) => void | Promise<void> = read;

const api = fastify();
api.addHook('onRequest', read);
api.get<{ Params: { id: string } }>('/orders/:id', { preHandler: read }, async (request) => request.params.id);
api.get('/many', { preHandler: [read], preParsing: read, preValidation: read }, async (request) => guard.caller(request).identity);
fastify({ http2: true }).get('/orders', { onRequest: read }, async () => 'x');

const hono = new Hono<{ Variables: { tenant: string } }>();
hono.use(read);
hono.get('/orders/:id', read, (c) => {
  const tenant: string = c.get('tenant');
  return c.text(tenant + c.req.param('id').length + guard.caller(c).identity);
});

// @ts-expect-error: this is not a request
read('orders');
// @ts-expect-error: a response is needed
read({} as IncomingMessage);
// @ts-expect-error: a plain server is told yes or no
const text: string = await read({} as IncomingMessage, {} as ServerResponse);
// @ts-expect-error: and is not any
read.nonsense;
[four, between, text];
`;

suite('@tessera/verify from its tarball', () => {
  const folder = temporaryFolder('verify-package');
  let files: readonly string[];
  before(async () => {
    files = installPacked('verify', folder);
    // npm would install it from the registry.
    cpSync(join(ROOT, 'node_modules/jose'), join(folder, 'node_modules/jose'), { recursive: true });
  });
  const api = given(() => startProtected());
  after(async () => {
    rmSync(folder, { recursive: true, force: true });
  });

  test('contains the built code with its types, a README, a licence, and nothing else', () => {
    const others = files.filter((path) => !/^dist\/[\w/-]+\.(?:js|d\.ts)$/.test(path));
    assert.deepEqual(others, ['LICENSE', 'README.md', 'package.json']);
    assert.ok(files.includes('dist/verify.js') && files.includes('dist/verify.d.ts'));
  });

  test('depends on jose alone and runs no script when it is installed', () => {
    const manifest = JSON.parse(readFileSync(join(folder, 'node_modules/@tessera/verify/package.json'), 'utf8'));
    assert.deepEqual(Object.keys(manifest.dependencies), ['jose']);
    assert.deepEqual(Object.keys(manifest.scripts), ['build', 'prepack']);
  });

  for (const { major, path, skip } of promisedNodes())
    test(`works on Node ${major}`, { skip }, async () => {
      const program = join(folder, 'program.mjs');
      writeFileSync(program, PROGRAM);
      const tokens = await Promise.all(FORMATS.map((format) => api.token(format)));
      const ORDER = JSON.stringify({ options: api.options, tokens });
      const child = spawn(path ?? '', [program], { env: { ORDER }, stdio: ['ignore', 'pipe', 'inherit'] });
      let printed = '';
      child.stdout.on('data', (chunk) => (printed += String(chunk)));
      const [status] = await once(child, 'close');
      assert.equal(status, 0);
      assert.deepEqual(JSON.parse(printed), { statuses: [401, 401, 200, 403, 200, 403], refused: 401 });
    });

  for (const { major, path, skip } of promisedNodes())
    test(`CommonJS can require it on Node ${major}`, { skip }, () => {
      const program = `console.log(typeof require('@tessera/verify').verifier)`;
      assert.equal(execFileSync(path ?? '', ['-e', program], { cwd: folder, encoding: 'utf8' }), 'function\n');
    });

  for (const { major, path, skip } of promisedNodes())
    test(`its command tessera-guard answers on Node ${major}`, { skip }, async () => {
      const port = await freePort();
      const { issuer, resourceServer } = api.options;
      writeFileSync(join(folder, 'guard.secret'), String(resourceServer.secret));
      writeFileSync(join(folder, 'guard-ca.pem'), api.authority.pem);
      const resourceServers = [{ id: resourceServer.id, audience: ORDERS_AUDIENCE, secretFile: 'guard.secret' }];
      const rules = [{ path: '/orders', audience: ORDERS_AUDIENCE, scope: 'orders:read' }];
      const listen = [`127.0.0.1:${port}`];
      const configuration = { issuer, ca: 'guard-ca.pem', resourceServers, from: 'headers', rules, listen };
      writeFileSync(join(folder, 'guard.json'), JSON.stringify(configuration));
      const { bin } = JSON.parse(readFileSync(join(folder, 'node_modules/@tessera/verify/package.json'), 'utf8'));
      const program = join(folder, 'node_modules/@tessera/verify', bin['tessera-guard']);
      const child = spawn(path ?? '', [program, join(folder, 'guard.json')], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const asked = { 'x-forwarded-method': 'GET', 'x-forwarded-host': 'orders.example', 'x-forwarded-uri': '/orders' };
      const headers = { ...asked, authorization: `Bearer ${await api.token('jwt')}` };
      const statusOf = async (init: RequestInit) => (await fetch(`http://127.0.0.1:${port}/check`, init)).status;
      await eventually('it answers', () =>
        statusOf({ headers: asked }).then(
          (status) => status === 401,
          () => false,
        ),
      );
      assert.equal(await statusOf({ headers }), 200);
      child.kill('SIGTERM');
      assert.deepEqual(await once(child, 'close'), [0, null]);
    });

  test('the program of its README answers 401, 200 and 403', async () => {
    const readme = readFileSync(join(folder, 'node_modules/@tessera/verify/README.md'), 'utf8');
    const [, program = ''] = /^```js\n(.*?)^```$/ms.exec(readme) ?? [];
    const port = await freePort();
    const adapted = program
      .replace('https://localhost:8443', api.issuer)
      .replace('https://orders.example.com', ORDERS_AUDIENCE)
      .replace('3000', String(port));
    writeFileSync(join(folder, 'api.mjs'), adapted);
    const ca = join(folder, 'ca.pem');
    writeFileSync(ca, api.authority.pem);
    const env = { TESSERA_SECRET: api.options.resourceServer.secret, NODE_EXTRA_CA_CERTS: ca };
    const child = spawn(process.execPath, ['api.mjs'], { cwd: folder, env, stdio: ['ignore', 'inherit', 'inherit'] });
    const authorization = `Bearer ${await api.token('opaque')}`;
    const statusOf = async (init: RequestInit) => (await fetch(`http://127.0.0.1:${port}/`, init)).status;
    await eventually('the API listens', () => statusOf({}).then(Boolean, () => false));
    const statuses = [
      await statusOf({}),
      await statusOf({ headers: { authorization } }),
      await statusOf({ method: 'POST', headers: { authorization } }),
    ];
    child.kill();
    assert.deepEqual(statuses, [401, 200, 403]);
  });

  test('without the CA of the service, it says how to name it', async () => {
    await assert.rejects(verifier({ ...api.options, ca: undefined }), {
      name: 'Misconfigured',
      message: /NODE_EXTRA_CA_CERTS/,
    });
  });

  function compile(program: string): void {
    const typed = join(folder, 'typed.mts');
    writeFileSync(typed, program);
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const types = ['--typeRoots', join(ROOT, 'node_modules/@types'), '--types', 'node'];
    const flags = [
      '--noEmit',
      '--strict',
      '--exactOptionalPropertyTypes',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      ...types,
    ];
    execFileSync(process.execPath, [tsc, ...flags, typed], { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  }

  test('its types teach', () => compile(TYPED));

  test('its middleware has types that fit each framework, without depending on one', () => {
    mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
    for (const name of ['@types/express', 'express', 'fastify', 'hono'])
      symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
    compile(MIDDLEWARE);
  });
});

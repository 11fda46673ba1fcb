// Every configuration of deploy/ is served for real, behind its own proxy if it expects one, and used through both token doors.
// Only in test:all: documents as printed
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { verifier } from '../../sdk/verify/src/verify.ts';
import { Commands } from '../cli/commands.ts';
import { type Caller, callerOver, type Question } from '../e2e/caller.ts';
import { basic, postForm } from '../e2e/oauth-steps.ts';
import { CLIENT, pairByCertificate, refresh, refreshed, revoke, VERIFY, verify } from '../e2e/steps.ts';
import { eventually } from '../eventually.ts';
import { type RunningShipped, shippedConfigurations, startShipped } from './shipped.ts';

const SCOPE = 'orders:read';
const JWT_CLIENT = 'orders-jwt';
const AUDIENCE = 'https://orders.example.com';
const METADATA = '/.well-known/oauth-authorization-server';

/** A path of each door, and its answer. */
const PROBES: Readonly<Record<string, Question & { readonly status: number }>> = {
  authsvc: { path: VERIFY, status: 401 },
  oauth: { path: METADATA, status: 200 },
  pages: { path: '/device', headers: { accept: 'text/html' }, status: 200 },
  ops: { path: '/metrics', status: 200 },
};

test('configurations of containers, Kubernetes and systemd are found', () => {
  const names = shippedConfigurations().map(({ name }) => name);
  for (const folder of ['container', 'container/config', 'kubernetes/base', 'kubernetes/ingress', 'systemd'])
    assert.ok(
      names.some((name) => name.startsWith(`${folder}/`)),
      folder,
    );
});

for (const shipped of shippedConfigurations()) {
  suite(`deploy/${shipped.name}`, () => {
    let commands: Commands;
    let running: RunningShipped;
    let issuer: string;
    let secret: string;
    let caller: Caller;

    async function tessera(args: readonly string[], folder = '/'): Promise<string> {
      const { status, printed, stderr } = await commands.run(args, { folder });
      assert.equal(status, 0, `tessera ${args.join(' ')}\n${printed}${stderr}`);
      return printed;
    }

    before(async () => {
      commands = new Commands({ isApart: true });
      const prepare = async (run: (args: readonly string[]) => Promise<string>, folder: string) => {
        await run(['init', '--integration', CLIENT, '--scope', SCOPE, '--identity', 'ada']);
        await run(['issuer', 'add', 'corp', join(folder, 'ca.pem'), '--identity-from', 'common-name']);
        await run(['keyring', 'add', '--signing', 'ES256']);
        await run(['integration', 'add', JWT_CLIENT, '--scope', SCOPE, '--access-token-format', 'jwt']);
        await run(['resource-server', 'add', 'orders-api', '--audience', AUDIENCE, '--resource', 'orders']);
        secret = /tsc_\S+/.exec(await run(['resource-server', 'secret', 'orders-api']))?.[0] ?? assert.fail();
      };
      running = await startShipped(shipped, tessera, prepare);
      issuer = running.config.publicUrl;
      const reach = { port: Number(new URL(issuer).port), ca: running.authority.pem, certificate: running.ada };
      caller = callerOver('HTTP/1.1', reach);
    });
    after(async () => {
      caller?.close();
      await running?.stop();
      await commands.close();
    });

    const introspected = async (token: string) =>
      (await postForm(caller, '/oauth2/introspect', { token }, basic('orders-api', secret))).json;

    test('authsvc: a token by certificate, Verify, refresh and revoke', async () => {
      const first = await pairByCertificate(caller, CLIENT, SCOPE);
      const next = await refreshed(caller, first);
      assert.equal((await verify(caller, next.access_token)).status, 200);
      assert.equal((await revoke(caller, next.access_token)).status, 200);
      assert.equal((await verify(caller, next.access_token)).status, 401);
      assert.equal((await refresh(caller, next.refresh_token)).status, 400);
    });

    test('oauth: every address of the metadata is below publicUrl and served, and the key set has a key', async () => {
      const { json, text } = await caller.ask({ path: METADATA });
      assert.equal(json?.['issuer'], issuer, text);
      assert.equal((await caller.ask({ path: '/.well-known/openid-configuration' })).text, text);
      const addresses = Object.entries(json).filter(([name]) => /_(endpoint|uri)$/.test(name));
      assert.ok(addresses.length >= 6, text);
      for (const [name, address] of addresses) {
        assert.ok(String(address).startsWith(`${issuer}/`), `${name}: ${address}`);
        assert.notEqual((await caller.ask({ path: String(address).slice(issuer.length) })).status, 404, name);
      }
      const { json: set } = await caller.ask({ path: String(json['jwks_uri']).slice(issuer.length) });
      assert.equal((set['keys'] as object[]).length, 1);
    });

    test('oauth: client_credentials by certificate, introspection by the resource server, revoke', async () => {
      for (const client_id of [CLIENT, JWT_CLIENT]) {
        const form = { grant_type: 'client_credentials', client_id };
        const { status, json, text } = await postForm(caller, '/oauth2/token', form);
        assert.equal(status, 200, text);
        const token = String(json['access_token']);
        const { active, scope, client_id: of } = await introspected(token);
        assert.deepEqual({ active, scope, of }, { active: true, scope: SCOPE, of: client_id });
        assert.equal((await postForm(caller, '/oauth2/revoke', { token, client_id })).status, 200);
        assert.deepEqual(await introspected(token), { active: false });
      }
    });

    test('oauth: a device authorization leads to a page that is served', async () => {
      const { status, json, text } = await postForm(caller, '/oauth2/device_authorization', { client_id: CLIENT });
      assert.equal(status, 200, text);
      const page = String(json['verification_uri_complete']);
      assert.ok(page.startsWith(`${issuer}/device`), page);
      const shown = await caller.ask({ path: page.slice(issuer.length), headers: { accept: 'text/html' } });
      assert.ok(shown.status === 200 || shown.status === 303, shown.text);
      const form = { client_id: CLIENT, grant_type: 'urn:ietf:params:oauth:grant-type:device_code' };
      const polled = await postForm(caller, '/oauth2/token', { ...form, device_code: String(json['device_code']) });
      assert.equal(polled.json['error'], 'authorization_pending', polled.text);
    });

    test('tessera login gets a token, and @tessera/verify accepts it until it is revoked', async () => {
      const { folder, ada, authority } = running;
      const [certificate, key] = [join(folder, 'ada.pem'), join(folder, 'ada.key')];
      writeFileSync(certificate, ada.pem);
      writeFileSync(key, ada.key, { mode: 0o600 });
      const resourceServer = { id: 'orders-api', secret, audience: AUDIENCE };
      const guard = await verifier({ issuer, resourceServer, ca: authority.pem });
      const home = new Commands({ isApart: true, environment: { HOME: folder } });
      const run = async (...args: string[]) => {
        const { status, printed, stderr } = await home.run(args, { folder });
        assert.equal(status, 0, stderr);
        return printed.trim();
      };
      try {
        for (const client of [CLIENT, JWT_CLIENT]) {
          const at = ['--server', issuer, '--ca', join(folder, 'ca.pem'), '--certificate', certificate, '--key', key];
          await run('login', '--client-id', client, ...at);
          const token = await run('token');
          const { ok } = await guard.check(token);
          assert.ok(ok, client);
          await run('logout');
          await eventually('the API refuses the token', async () => !(await guard.check(token)).ok);
        }
      } finally {
        await home.close();
        guard.close();
      }
    });

    test('every listener serves the doors that it names, and no other', async () => {
      // Without a list: all doors, but no /metrics.
      for (const [index, { doors = ['authsvc', 'oauth', 'pages'] }] of running.config.listeners.entries())
        for (const [door, { status, ...question }] of Object.entries(PROBES)) {
          const answer = await running.askListener(index, question);
          assert.equal(answer.status, doors.includes(door as never) ? status : 404, `${door} at listener ${index}`);
        }
    });

    test('/docs and the reference are served, and name both token doors', async () => {
      const html = { accept: 'text/html' };
      for (const path of ['/', '/account', '/docs', '/docs/api'])
        assert.ok((await caller.ask({ path, headers: html })).status < 400, path);
      const { json } = await caller.ask({ path: '/docs/openapi.json' });
      const mounts = new Set(Object.keys(json['paths'] as object).map((path) => path.split('/')[1]));
      for (const mount of ['authsvc', 'oauth2', 'healthz']) assert.ok(mounts.has(mount), mount);
    });

    test('tessera config check and tessera doctor find nothing to improve', async () => {
      const checked = JSON.parse(await tessera([...running.flags, 'doctor', '--json'])) as {
        verdict: string;
        about: string;
      }[];
      assert.deepEqual(
        checked.filter(({ verdict, about }) => verdict !== 'good' && about !== 'Node'),
        [],
      );
      assert.match(await tessera([...running.flags, 'config', 'check']), /^The configuration is in order\.$/m);
    });
  });
}

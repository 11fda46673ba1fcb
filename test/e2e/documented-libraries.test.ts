// Every program of examples/libraries, as it is there, with the addresses, names and files of the test.
// Needs: python3, python3-jose, ruby, ruby-jwt, haproxy, curl
// Only in test:all: documents as printed
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import type { PublishedKey } from '../../src/core/signing-key.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { signingKeys } from '../../src/store/tables/signing-keys.ts';
import { systemRandom } from '../../src/system.ts';
import { drawResourceServerSecret } from '../../src/tokens/resource-server-secret.ts';
import { freePort } from '../free-port.ts';
import { given, prepare } from '../given.ts';
import { ROOT } from '../house/sources.ts';
import { platformKey } from '../platform.ts';
import { anIntegration, aResourceServer, ORDERS_AUDIENCE } from '../samples.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { askPlainly, bearer } from './caller.ts';
import { postForm } from './oauth-steps.ts';
import { type RunningProxy, runIn } from './proxies/proxy.ts';
import { registryFollows } from './registry-follows.ts';
import { clientId, startService } from './service.ts';
import { confirm, forged } from './steps.ts';

const FOLDER = join(ROOT, 'examples/libraries');
const PROGRAMS = readdirSync(FOLDER)
  .filter((file) => file !== 'README.md')
  .map((file) => ({ language: extname(file), text: readFileSync(join(FOLDER, file), 'utf8') }));
const OPAQUE = 'documented-sync';
const JWT = 'documented-jwt';
const { secret, hash } = drawResourceServerSecret(systemRandom);

let issuer: string;
const service = given(async () => {
  const port = await freePort();
  const settings = { publicUrl: `https://localhost:${port}`, device: { pollInterval: '1s' } };
  return startService({ listeners: [{ tls: true, port }], settings, signing: 'ES256' });
});
const ada = given(() => service.caller(service.ada));
prepare(async () => {
  issuer = service.config.publicUrl;
  for (const [id, accessTokenFormat] of [
    [OPAQUE, 'opaque'],
    [JWT, 'jwt'],
  ] as const) {
    await service.register(anIntegration({ clientId: clientId(id), accessTokenFormat, overrides: { refresh: true } }));
  }
  await service.put(resourceServers, aResourceServer({ secrets: [{ hash, createdAt: service.now() }] }));
  await registryFollows();
  for (const [name, text] of [
    ['client.pem', service.ada.pem],
    ['client-key.pem', service.ada.key],
    ['authority.pem', service.authority.pem],
  ] as const) {
    writeFileSync(join(service.folder, name), text, { mode: 0o600 });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(service.folder, 'node_modules'));
});

/** The one program in this language that has this text. */
function program(language: string, text: string): string {
  const found = PROGRAMS.filter((each) => each.language === language && each.text.includes(text));
  assert.equal(found.length, 1, `${language} with ${text}`);
  const replacements: readonly [string, string][] = [
    ['https://tessera.example:8443', issuer],
    ['https://orders.example.com', ORDERS_AUDIENCE],
    ['CLIENT_ID', OPAQUE],
    ['SECRET', secret.reveal()],
  ];
  return replacements.reduce((shown, [from, to]) => shown.replaceAll(from, to), found[0]?.text ?? '');
}

async function accessToken(client_id: string, scope = 'orders:read', resource: string = ORDERS_AUDIENCE) {
  const fields = { client_id, grant_type: 'client_credentials', scope, ...(resource && { resource }) };
  return String((await postForm(ada, '/oauth2/token', fields)).json['access_token']);
}

/** Runs a program in the folder that has its files. The person confirms a code that it prints. */
async function linesOf(command: string, args: readonly string[], ACCESS_TOKEN = ''): Promise<string[]> {
  const NODE_EXTRA_CA_CERTS = join(service.folder, 'authority.pem');
  const env = { ...process.env, NODE_EXTRA_CA_CERTS, ACCESS_TOKEN };
  const child = spawn(command, args, { cwd: service.folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  let isConfirmed = false;
  child.stdout.setEncoding('utf8');
  for await (const text of child.stdout) {
    printed += text;
    const [, user_code] = /enter (\S+)\n/.exec(printed) ?? [];
    if (user_code === undefined || isConfirmed) continue;
    isConfirmed = true;
    // Later than the first poll, so that it is told to wait.
    setTimeout(() => void confirm(service, { user_code, device_code: '' }), 1300);
  }
  assert.equal(child.exitCode ?? (await new Promise((resolve) => child.once('exit', resolve))), 0, printed);
  return printed.trimEnd().split('\n');
}

async function byNode(text: string, token?: string): Promise<string[]> {
  const file = join(service.folder, 'program.mjs');
  writeFileSync(file, program('.mjs', text));
  return linesOf(process.execPath, [file], token);
}

/** A key that is published, and signs nothing yet. */
async function publicKey(algorithm: PublishedKey['algorithm']): Promise<PublishedKey> {
  const { jwk } = await platformKey('next', algorithm);
  const { kid, alg, use, ...members } = jwk;
  return { id: `${kid}-${alg}-${use}`, algorithm, publicKey: members as never, publishedAt: service.now() };
}

function lastOperations(): string[] {
  return service.logLines.map((line) => String((JSON.parse(line) as { operation?: string }).operation));
}

suite('examples/libraries', () => {
  test('openid-client: device flow, refresh, revocation [RFC 8628 3.4]', async () => {
    assert.equal((await byNode("'openid-client'")).at(-1), 'orders:read');
    assert.ok(lastOperations().includes('revoke'));
  });

  test('simple-oauth2: certificate, refresh, revocation [RFC 6749 2.3.1]', async () => {
    assert.deepEqual(await byNode("'simple-oauth2'"), ['orders:read']);
  });

  test('oauth4webapi: introspection [RFC 7662 2.1]', async () => {
    assert.deepEqual(await byNode("'oauth4webapi'", await accessToken(OPAQUE)), ['orders:read']);
    assert.deepEqual(await byNode("'oauth4webapi'", await accessToken(OPAQUE, 'stock:read', '')), ['false']);
  });

  test('jose: a JWT [RFC 9068 4]', async () => {
    assert.deepEqual(await byNode("'jose'", await accessToken(JWT)), ['orders:read']);
  });

  test('python-jose and Ruby: a JWT, among keys of all types; no forged one, none for another audience [RFC 9068 4]', async () => {
    const next = await Promise.all([publicKey('EdDSA'), publicKey('RS256')]);
    for (const key of next) await service.put(signingKeys, key);
    await registryFollows();
    const ruby = () => ['ruby', ['-e', program('.rb', 'JWT.decode')]] as const;
    const python = () => ['/usr/bin/python3', ['-c', program('.py', 'from jose')]] as const;
    const good = await accessToken(JWT);
    const others = [forged(good), await accessToken(JWT, 'stock:read', '')];
    for (const [command, args] of [ruby(), python()]) {
      assert.deepEqual(await linesOf(command, args, good), ['orders:read'], command);
      for (const token of others) await assert.rejects(linesOf(command, args, token), assert.AssertionError);
    }
    for (const key of next) await service.put(signingKeys, { ...key, removedAt: service.now() });
    await registryFollows();
  });

  test('Python, by certificate [RFC 8705 2.1]', async () => {
    assert.deepEqual(await linesOf('python3', ['-c', program('.py', 'load_cert_chain')]), ['orders:read']);
  });

  test('Python: device flow, refresh, introspection, revocation [RFC 8628 3.5]', async () => {
    const [, scope, revoked] = await linesOf('python3', ['-c', program('.py', 'device_code')]);
    assert.deepEqual([scope, revoked], ['orders:read', "{'active': False}"]);
  });

  test('every program is run by a test of this file, or as a gateway', () => {
    const languages = PROGRAMS.map(({ language }) => language).sort();
    assert.deepEqual(languages, [
      '.cfg',
      '.conf',
      '.conf',
      '.js',
      '.mjs',
      '.mjs',
      '.mjs',
      '.mjs',
      '.py',
      '.py',
      '.py',
      '.rb',
      '.sh',
    ]);
  });
});

suite('HAProxy checks our JWTs', () => {
  let gateway: RunningProxy;

  before(async () => {
    const folder = temporaryFolder('haproxy');
    const key = join(folder, 'tessera.pem');
    writeFileSync(key, (await linesOf('sh', ['-c', program('.sh', 'curl')])).join('\n'));
    const port = await freePort();
    const shown = program('.cfg', 'jwt_verify')
      .replace('bind :8081', `bind 127.0.0.1:${port}`)
      .replace('/etc/haproxy/tessera.pem', key);
    const around = 'defaults\n    timeout connect 5s\n    timeout client 30s\n    timeout server 30s\n';
    const page =
      'backend orders\n    mode http\n    http-request return status 200 content-type text/plain string orders\n';
    writeFileSync(join(folder, 'conf'), `${around}${shown}${page}`);
    gateway = await runIn(folder, port, ['haproxy', '-db', '-f', join(folder, 'conf')]);
  });
  after(() => gateway.stop());

  const open = async (token?: string) =>
    (await askPlainly(gateway.port, { path: '/', ...(token !== undefined && bearer(token)) })).status;

  test('one for it is accepted; a scope that lacks the permission is 403 [RFC 9068 4]', async () => {
    assert.equal(await open(await accessToken(JWT)), 200);
    assert.equal(await open(await accessToken(JWT, 'orders:read orders:write')), 200);
    assert.equal(await open(await accessToken(JWT, 'orders:write')), 403);
  });

  test('none, an opaque one, a forged one, one without a signature, one for another audience: 401', async () => {
    const good = await accessToken(JWT);
    const [, claims] = good.split('.');
    const header = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');
    const other = await accessToken(JWT, 'stock:read', '');
    for (const token of [undefined, 'x', await accessToken(OPAQUE), forged(good), `${header}.${claims}.`, other])
      assert.equal(await open(token), 401, token);
  });
});

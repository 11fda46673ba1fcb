// Canary secrets: every operation at trace level, then a search of every place that could contain them
// [threats: Proxy, HTTP, TLS, secrets].
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';
import { hashPassword } from '../../src/directory/local/passwords.ts';
import { signIn } from '../../src/operations/person/sign-in.ts';
import { passwords } from '../../src/store/tables/identities.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { systemRandom } from '../../src/system.ts';
import { drawResourceServerSecret } from '../../src/tokens/resource-server-secret.ts';
import { Secret } from '../../src/tokens/secret.ts';
import { sha256 } from '../../src/tokens/sha256.ts';
import { given } from '../given.ts';
import { ADA, aResourceServer } from '../samples.ts';
import { type Answer, bearer, type Caller, form, json, PROTOCOLS, type Question, reachOf, sendRaw } from './caller.ts';
import { startCollector } from './collector.ts';
import { startService } from './service.ts';
import { CERTIFICATE, CLIENT, confirm, DEVICE, DEVICE_GRANT, deny, REVOKE, SCOPE, TOKEN, VERIFY } from './steps.ts';

const PASSWORD = 'canary correct horse battery staple';
const RESOURCE_SERVER_SECRET = drawResourceServerSecret(systemRandom).secret.reveal();
/** Where the secret part of a token starts; before it are kind, key and row id. */
const SECRET_FROM = 22;
const SECRET_TO = 54;

interface Canary {
  readonly what: string;
  readonly forms: readonly Buffer[];
}

/** A text in every encoding in which it could leak. */
function formsOf(text: string): Buffer[] {
  const bytes = Buffer.from(text);
  const encoded = [bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url'), bytes.toString('hex')];
  return [text, ...encoded, encodeURIComponent(text)].map((form) => Buffer.from(form));
}

function tokenCanary(token: string): Canary {
  const body = token.slice(4);
  const secret = Buffer.from(body, 'base64url').subarray(SECRET_FROM, SECRET_TO);
  const parts = [secret.subarray(0, 16), secret.subarray(16)];
  const decoded = parts.flatMap((part) => [
    part,
    Buffer.from(part.toString('hex')),
    Buffer.from(part.toString('base64').slice(0, 20)),
  ]);
  return {
    what: token.slice(0, 4),
    forms: [...formsOf(token), ...formsOf(body), Buffer.from(body.slice(0, 8)), ...decoded],
  };
}

/** Removes the secrets that an answer issues; the rest of it is searched. */
function withoutItsOwn({ json: body, headers, text, phrase }: Answer): string {
  const own = ['access_token', 'refresh_token', 'device_code', 'user_code', 'verification_uri_complete'];
  const issued = own.map((name) => body?.[name]).filter((value) => typeof value === 'string');
  const rest = issued.reduce((left, value) => left.replaceAll(value, ''), text);
  return `${phrase}\n${JSON.stringify(headers)}\n${rest}`;
}

suite('canary secrets', () => {
  const canaries: Canary[] = [
    { what: 'password', forms: formsOf(PASSWORD) },
    { what: 'tsc_', forms: formsOf(RESOURCE_SERVER_SECRET) },
  ];
  const answers: Answer[] = [];
  let metrics = '';

  /** Sends a request, and records the answer and every secret in it. */
  async function ask(caller: Caller, question: Question): Promise<Record<string, string>> {
    const answer = await caller.ask(question);
    answers.push(answer);
    const found = (answer.json ?? {}) as Record<string, string>;
    for (const name of ['access_token', 'refresh_token', 'device_code']) {
      const token = found[name];
      if (token) canaries.push(tokenCanary(token));
    }
    const { user_code } = found;
    if (user_code)
      canaries.push({ what: 'user code', forms: [...formsOf(user_code), ...formsOf(user_code.replace('-', ''))] });
    return found;
  }

  async function everyOperation(caller: Caller): Promise<void> {
    const parameters = { client_id: CLIENT, scope: SCOPE };
    const first = await ask(caller, { path: CERTIFICATE, ...json(parameters) });
    const refresh_token = first['refresh_token'] ?? '';
    const second = await ask(caller, { path: TOKEN, ...json({ client_id: CLIENT, refresh_token }) });
    await ask(caller, { path: TOKEN, ...json({ client_id: CLIENT, refresh_token }) });
    const access = second['access_token'] ?? '';
    await ask(caller, { path: VERIFY, ...bearer(access) });
    const started = await ask(caller, { path: DEVICE, ...form(parameters) });
    const exchange = { client_id: CLIENT, grant_type: DEVICE_GRANT, device_code: started['device_code'] ?? '' };
    await ask(caller, { path: TOKEN, ...form(exchange) });
    await confirm(service, started as never);
    await ask(caller, { path: TOKEN, ...form(exchange) });
    await ask(caller, { path: TOKEN, ...form(exchange) });
    const denied = await ask(caller, { path: DEVICE, ...json(parameters) });
    await deny(service, denied as never);
    await ask(caller, { path: TOKEN, ...json({ ...exchange, device_code: denied['device_code'] }) });
    await introspections(caller, access);
    await inWrongPlaces(caller, [access, second['refresh_token'] ?? '', started['device_code'] ?? '']);
    await ask(caller, { path: REVOKE, ...bearer(access) });
    await ask(caller, { path: REVOKE, ...bearer(access) });
    await ask(caller, { path: TOKEN, ...json({ client_id: CLIENT, refresh_token }) });
  }

  /** With the secret in its places, and in wrong ones. */
  async function introspections(caller: Caller, token: string): Promise<void> {
    const path = '/oauth2/introspect';
    const proof = { client_id: aResourceServer().id, client_secret: RESOURCE_SERVER_SECRET };
    const both = [`${proof.client_id}:${RESOURCE_SERVER_SECRET}`, `${RESOURCE_SERVER_SECRET}:${proof.client_id}`];
    for (const pair of both) {
      const authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
      await ask(caller, { path, ...form({ token }), headers: { ...form({}).headers, authorization } });
    }
    await ask(caller, { path, ...form({ token, ...proof }) });
    await ask(caller, { path, ...form({ token: RESOURCE_SERVER_SECRET, ...proof }) });
    await ask(caller, { path, ...form({ token, ...proof, client_id: RESOURCE_SERVER_SECRET }) });
  }

  /** Where people paste tokens by mistake. */
  async function inWrongPlaces(caller: Caller, tokens: readonly string[]): Promise<void> {
    for (const token of tokens) {
      const questions: Question[] = [
        { path: `/${token}` },
        { path: `/authsvc/${token}?x=${encodeURIComponent(token)}` },
        { path: `${VERIFY}?access_token=${token}` },
        { path: `/authsvc/%zz${token}` },
        { path: VERIFY, headers: { authorization: token } },
        {
          path: VERIFY,
          headers: { authorization: `Basic ${Buffer.from(token).toString('base64')}`, cookie: `t=${token}` },
        },
        { path: VERIFY, ...bearer(`${token}x`) },
        { path: TOKEN, ...json({ client_id: token, refresh_token: token }) },
        { path: TOKEN, ...json({ client_id: token.slice(0, 40), refresh_token: 'x' }) },
        { path: TOKEN, ...json({ client_id: CLIENT, grant_type: token, device_code: token }) },
        { path: TOKEN, ...json({ client_id: [token] }) },
        { path: TOKEN, ...json({}), body: `{"refresh_token":"${token}"` },
        { path: TOKEN, method: 'POST', headers: { 'content-type': token }, body: token },
        { path: DEVICE, ...json({ client_id: CLIENT, scope: token }) },
        { path: CERTIFICATE, ...json({ client_id: CLIENT, scope: token }) },
        { path: CERTIFICATE, ...form({ client_id: token }) },
        { path: TOKEN, ...json({ client_id: 'other-sync', refresh_token: token }) },
      ];
      for (const question of questions) await ask(caller, question);
      await sendRaw(reachOf(service), `GET /${token} HTTP/9.9\r\n${token}\r\n\r\n`);
    }
  }

  const collector = given(() => startCollector());
  const service = given(() =>
    startService({ log: { level: 'trace' }, settings: { tracing: { endpoint: collector.endpoint } } }),
  );
  before(async () => {
    await service.put(passwords, { identityId: ADA, phc: await hashPassword(new Secret(PASSWORD)) });
    const presenter = { address: '127.0.0.1', agent: 'browser' };
    for (const password of [PASSWORD, `${PASSWORD}!`]) {
      const outcome = await signIn({ userName: 'ada', password: new Secret(password), presenter }, service.ports);
      if (outcome.ok) canaries.push({ what: 'session cookie', forms: formsOf(outcome.value.cookie.reveal()) });
    }
    const secrets = [{ hash: sha256(RESOURCE_SERVER_SECRET), createdAt: service.now() }];
    await service.put(resourceServers, aResourceServer({ secrets }));
    for (const protocol of PROTOCOLS) {
      const caller = service.caller(service.ada, protocol);
      await everyOperation(caller);
      metrics = (await caller.ask({ path: '/metrics' })).text;
      caller.close();
    }
    await collector.until((spans) => spans.length > 100);
  });

  function assertNone(where: string, content: Buffer): void {
    for (const { what, forms } of canaries) {
      for (const form of forms)
        assert.ok(!content.includes(form), `${where} holds a ${what}: ${form.toString('latin1')}`);
    }
  }

  test('the run produced enough output to search', () => {
    const kinds = new Set(canaries.map(({ what }) => what));
    assert.deepEqual(kinds, new Set(['password', 'tsc_', 'session cookie', 'tsa_', 'tsr_', 'tsd_', 'user code']));
    assert.ok(answers.length > 100 && service.logLines.length > 100);
    const [token] = canaries.filter(({ what }) => what === 'tsr_');
    assert.throws(() => assertNone('a planted line', Buffer.from(`x${token?.forms[0]}x`)), /holds a tsr_/);
  });

  test('logs at trace level contain no secret', () => assertNone('the log', Buffer.from(service.logLines.join(''))));

  test('metrics contain no secret', () => assertNone('/metrics', Buffer.from(metrics)));

  test('spans contain no secret', () => assertNone('a span', Buffer.from(collector.bodies.join(''))));

  test('answers contain only the secrets they issue', () => {
    for (const answer of answers) assertNone('an answer', Buffer.from(withoutItsOwn(answer)));
  });

  test('no file of the data folder contains a secret: database, WAL, SHM', () => {
    const files = readdirSync(service.folder);
    for (const name of ['tessera.db', 'tessera.db-wal', 'tessera.db-shm']) assert.ok(files.includes(name), name);
    for (const name of files) assertNone(name, readFileSync(join(service.folder, name)));
  });

  test('the server’s keys are in the keyring and nowhere else', () => {
    const { keys } = JSON.parse(readFileSync(join(service.folder, 'keyring.json'), 'utf8'));
    const secret = Buffer.from(keys[0].secret, 'base64');
    const forms = [secret, Buffer.from(secret.toString('hex')), Buffer.from(keys[0].secret)];
    const places = readdirSync(service.folder).filter((name) => name !== 'keyring.json');
    const contents = [
      ...places.map((name) => readFileSync(join(service.folder, name))),
      Buffer.from(service.logLines.join('')),
    ];
    for (const content of contents) for (const form of forms) assert.ok(!content.includes(form));
  });

  test('the log has one line per request, without unknown paths', () => {
    const lines = service.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'request');
    const operations = new Set(lines.map(({ operation }) => operation));
    for (const name of [
      'refresh',
      'redeem',
      'authorize-certificate',
      'authorize-device',
      'verify',
      'revoke',
      'none',
      'ops',
    ])
      assert.ok(operations.has(name), name);
    for (const line of lines) {
      assert.match(line.id, /^[0-9a-f]{16}$/);
      assert.ok(['accepted', 'refused'].includes(line.outcome));
      assert.equal(line.outcome === 'refused', typeof line.reason === 'string');
      assert.ok(line.ms >= 0 && line.status >= 200 && line.address === '127.0.0.1');
      assert.equal(line.url ?? line.path ?? line.req, undefined);
    }
    const refreshes = lines.filter(({ operation, outcome }) => operation === 'refresh' && outcome === 'accepted');
    for (const line of refreshes) assert.deepEqual([line.clientId, line.identityId], [CLIENT, ADA]);
    assert.equal(new Set(lines.map(({ id }) => id)).size, lines.length);
  });
});

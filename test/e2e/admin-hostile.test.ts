// The admin door, used by people who mean harm, or are careless: each test is a promise that was once broken.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import { suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Grant } from '../../src/core/grant.ts';
import { writePem } from '../../src/pki/der/pem.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { makeAuthority } from '../authority.ts';
import { given, prepare } from '../given.ts';
import { anIntegration, scopeOf } from '../samples.ts';
import { AdminScene, BACK_END } from './admin-scene.ts';
import { type Answer, reachOf, tlsOptionsOf } from './caller.ts';
import { registryFollows } from './registry-follows.ts';
import { clientId } from './service.ts';

const scene = given(() => AdminScene.open({}, BACK_END));
let token: string;

async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}, by = token) {
  return scene.ask(by, method, path, { body, headers });
}

async function accepted(...asked: Parameters<typeof ask>): Promise<Answer> {
  const answer = await ask(...asked);
  assert.ok(answer.status < 300, `${asked[0]} ${asked[1]}: ${answer.text}`);
  return answer;
}

function reasonOf({ status, json }: Answer): [number, unknown] {
  return [status, json['reason']];
}

function apply(objects: object, more: object = {}): Promise<Answer> {
  return ask('POST', '/objects/apply', { objects, ...more });
}

/** A body of this many bytes over HTTP/2, without a length. */
async function sendBody(session: ClientHttp2Session, path: string, bytes: number, authorization?: string) {
  const stream = session.request({
    ':method': 'POST',
    ':path': `/admin/v1${path}`,
    'content-type': 'application/json',
    ...(authorization && { authorization }),
  });
  let [status, sent] = [0, 0];
  stream.on('response', (headers) => {
    status = Number(headers[':status']);
  });
  stream.on('error', () => {});
  const piece = Buffer.alloc(16 * 1024, ' ');
  while (sent < bytes && status === 0) {
    sent += piece.length;
    if (!stream.write(piece))
      await Promise.race([once(stream, 'drain'), once(stream, 'response'), once(stream, 'close')]);
  }
  stream.end();
  if (status === 0) await Promise.race([once(stream, 'response'), once(stream, 'close')]);
  stream.close();
  return { status, sent };
}

const RULES = [{ when: { '/sub': 'job' }, identity: '{/sub}' }];
const CA = { identitySources: ['common-name'] };

prepare(async () => {
  const shop = { scope: scopeOf('orders:read,write'), owners: ['shop-team'] };
  await scene.service.register(anIntegration({ clientId: clientId('shop'), ...shop }));
  await registryFollows();
  token = await scene.token('olga');
});

suite(`hostile requests at the admin door, on ${BACK_END}`, () => {
  test('a body is read only for those who may do the act, and a large one only for documents', async () => {
    const { host, port, ...tls } = tlsOptionsOf(reachOf(scene.service)) as { host: string; port: number };
    const session = connect(`https://${host}:${port}`, tls);
    const most = 1024 * 1024;
    const viewer = await scene.token('vera');
    const rows: [path: string, by: string | undefined, status: number][] = [
      ['/objects/apply', undefined, 401],
      ['/objects/apply', 'tsa_made-up', 401],
      ['/objects/apply', viewer, 403],
      ['/explain/token', viewer, 413],
    ];
    for (const [path, by, expected] of rows) {
      const { status, sent } = await sendBody(session, path, most, by && `Bearer ${by}`);
      assert.equal(status, expected, path);
      assert.ok(sent < most / 2, `${sent} bytes were taken`);
    }
    const open = Array.from({ length: 4 }, () =>
      session.request({
        ':method': 'POST',
        ':path': `/admin/v1/objects/plan`,
        'content-type': 'application/json',
        authorization: `Bearer ${viewer}`,
      }),
    );
    for (const stream of open) stream.write('{');
    const eventually = async (status: number) => {
      for (let tries = 0, got = 0; got !== status; tries++) {
        assert.ok(tries < 100, `it answers ${got}, not ${status}`);
        await sleep(50);
        got = (await ask('POST', '/objects/plan', { objects: {} })).status;
      }
    };
    await eventually(503);
    for (const stream of open) stream.close();
    await eventually(200);
    session.destroy();
  });

  test('a name that looks like the first digits of an id is only a name', async () => {
    const { json: victor } = await accepted('PUT', '/identities/victor', { email: 'victor@example.com' });
    const digits = /\{(.{6})/.exec(String(victor['id']))?.[1] ?? '';
    const { json: other } = await accepted('PUT', `/identities/${digits}`, { groups: ['operators'] });
    assert.notEqual(other['id'], victor['id']);
    assert.deepEqual((await accepted('GET', '/identities/victor')).json['groups'], []);
    const longer = /\{(.{8})/.exec(String(victor['id']))?.[1] ?? '';
    for (const [method, path, body] of [
      ['POST', `/identities/${longer}/disable`],
      ['POST', `/identities/${longer}/password`, { password: 'a long password 123' }],
      ['DELETE', `/identities/${longer}?confirmed=true`],
      ['POST', '/grants/revoke', { identity: longer, confirmed: true }],
      [
        'POST',
        '/objects/plan',
        {
          objects: { integrations: { x: { scope: 'a:b', access: { to: 'named', identities: [longer], groups: [] } } } },
        },
      ],
    ] as const)
      assert.deepEqual(reasonOf(await ask(method, path, body)), [404, 'identity-unknown'], path);
    const many = { to: 'named', identities: Array(1001).fill('victor'), groups: [] };
    assert.equal((await ask('PUT', '/integrations/x', { scope: 'a:b', access: many })).status, 400);
    const twice = { to: 'named', identities: ['victor', 'victor', victor['id']], groups: [] };
    const { json } = await accepted('PUT', '/integrations/x', { scope: 'a:b', access: twice });
    assert.deepEqual(json['access'], { ...twice, identities: [victor['id']] });
  });

  test('all conditions of a filter count: nobody else loses grants', async () => {
    await scene.token('ada', 'orders:read', 'orders-sync');
    const certificate = scene.certificateOf('ada').serialNumber;
    const found = async (filter: string) =>
      ((await accepted('GET', `/grants?${filter}`)).json['items'] as object[]).length;
    assert.ok((await found(`certificate=${certificate}`)) > 0);
    assert.ok((await found(`certificate=${certificate}&identity=ada`)) > 0);
    assert.equal(await found(`certificate=${certificate}&identity=olga`), 0);
    assert.equal(await found(`certificate=${certificate}&integration=shop`), 0);
    const unknown = await ask('GET', `/grants?certificate=${certificate}&identity=nobody`);
    assert.deepEqual(reasonOf(unknown), [404, 'identity-unknown']);
    const revoke = { certificate, identity: 'olga', confirmed: true };
    assert.equal((await accepted('POST', '/grants/revoke', revoke)).json['endedGrants'], 0);
  });

  test('lifetimes have a limit, and a row without one is shown', async () => {
    for (const field of ['accessTokenLifetime', 'grantLifetime', 'refreshRetryWindow']) {
      const refused = await ask('PUT', '/integrations/huge', { scope: 'a:b', overrides: { [field]: 9e15 } });
      assert.equal(refused.status, 400, refused.text);
    }
    const { store } = scene.service.ports;
    const [grant] = await store.page(grants, { limit: 1 });
    const far = (row: never) => ({ ...(row as Grant), pair: { ...(row as Grant).pair, expiresAt: 9e15 } }) as never;
    const change = (next: (row: never) => never) =>
      store.change(grants, grant?.id ?? '', (found) => ({ outcome: undefined, next: next(found?.row as never) }));
    await change(far);
    await accepted('GET', '/grants?all=true');
    await change(() => grant as never);
  });

  test('the things of one document do not contradict each other', async () => {
    const [one, other] = ['One Root', 'Two Root'].map((name) => writePem(makeAuthority({ name }).certificate));
    const ci = { issuer: 'https://ci.example', rules: RULES };
    const api = { audience: 'https://twin.example', resources: ['twin'] };
    const rows: [object, string][] = [
      [{ integrations: { twin: { scope: 'a:b' } }, resourceServers: { twin: api } }, 'client-id-of-resource-server'],
      [{ issuers: { lab: { ...CA, pem: one } }, tokenIssuers: { lab: ci } }, 'label-taken'],
      [{ issuers: { lab: { ...CA, pem: one }, b: { ...CA, pem: `${one}\n${other}` } } }, 'issuer-key-approved'],
      [{ tokenIssuers: { a: ci, b: ci } }, 'token-issuer-registered'],
      [
        {
          integrations: { platform: { scope: 'a:b' } },
          tokenIssuers: { a: { ...ci, issuer: 'platform', keys: { from: 'url', url: 'https://ci.example/k' } } },
        },
        'client-id-of-token-issuer',
      ],
      [{ resourceServers: { a: api, b: { ...api, audience: 'https://twin.example/' } } }, 'audience-taken'],
    ];
    for (const [objects, reason] of rows) {
      assert.deepEqual(reasonOf(await ask('POST', '/objects/plan', { objects })), [409, reason]);
      assert.deepEqual(reasonOf(await apply(objects)), [409, reason]);
    }
    for (const id of ['twin', 'platform']) assert.equal((await ask('GET', `/integrations/${id}`)).status, 404);
  });

  test('what somebody has seen in a plan is applied, or nothing', async () => {
    const { json: exported } = await accepted('GET', '/objects');
    const body = { objects: { integrations: exported['integrations'] }, prune: true };
    const { json: plan } = await accepted('POST', '/objects/plan', body);
    assert.deepEqual(plan['items'], []);
    await accepted('PUT', '/integrations/late', { scope: 'a:b' });
    await accepted('POST', '/integrations/shop/disable');
    const refused = await apply(body.objects, { prune: true, digest: plan['digest'] });
    assert.deepEqual(reasonOf(refused), [412, 'changed-meanwhile']);
    await accepted('GET', '/integrations/late');
    const without = { integrations: { shop: { scope: 'orders:read,write', owners: ['shop-team'] } } };
    await apply(without);
    assert.equal((await accepted('GET', '/integrations/shop')).json['enabled'], false, 'nobody said to enable it');
    await accepted('POST', '/integrations/shop/enable');
    const next = (await accepted('POST', '/objects/plan', { objects: { integrations: { late: { scope: 'a:c' } } } }))
      .json;
    await accepted('PUT', '/integrations/late', { scope: 'a:b', description: 'changed' });
    assert.equal((await apply({ integrations: { late: { scope: 'a:c' } } }, { digest: next['digest'] })).status, 412);
  });

  test('owners learn nothing of others, and do not enable what an operator has disabled', async () => {
    await scene.service.register(anIntegration({ clientId: clientId('a-merger'), scope: scopeOf('orders:read') }));
    await scene.service.register(
      anIntegration({ clientId: clientId('shop-2'), scope: scopeOf('a:b'), owners: ['shop-team'] }),
    );
    await registryFollows();
    const owner = await scene.token('shaun');
    const asOwner = (method: string, path: string, body?: unknown) => ask(method, path, body, {}, owner);
    const pages = [];
    for (let cursor = ''; cursor !== 'end'; ) {
      const { json } = await asOwner('GET', `/integrations?limit=1${cursor && `&cursor=${cursor}`}`);
      pages.push((json['items'] as { clientId: string }[]).map((item) => item.clientId));
      cursor = (json['next'] as string | undefined) ?? 'end';
      assert.doesNotMatch(Buffer.from(cursor, 'base64url').toString('latin1'), /shop|merger/);
    }
    assert.deepEqual(pages, [['shop'], ['shop-2']]);
    const named = (name: string) => ({
      scope: 'orders:read',
      owners: ['shop-team'],
      access: { to: 'named', identities: [name], groups: [] },
    });
    await accepted('PUT', '/integrations/shop', named('shaun'));
    const texts = await Promise.all(
      ['olga', 'nobody-at-all'].map((name) => asOwner('PUT', '/integrations/shop', named(name))),
    );
    assert.deepEqual(reasonOf(texts[0] as Answer), reasonOf(texts[1] as Answer));
    const ofPeople = await Promise.all(
      ['olga', 'nobody-at-all'].map((name) => asOwner('GET', `/grants?integration=shop&identity=${name}`)),
    );
    assert.equal(ofPeople[0]?.text, ofPeople[1]?.text);
    assert.equal(ofPeople[0]?.status, 200);
    const switches = async (...steps: [by: string | undefined, path: string, status: number][]) => {
      for (const [by = token, verb, status] of steps)
        assert.equal((await ask('POST', `/integrations/shop/${verb}`, undefined, {}, by)).status, status, verb);
    };
    await switches(
      [owner, 'disable', 200],
      [owner, 'enable', 200],
      [undefined, 'disable', 200],
      [owner, 'enable', 403],
    );
    assert.equal((await asOwner('PUT', '/integrations/shop', { ...named('shaun'), enabled: true })).status, 403);
    await switches([owner, 'disable', 200], [owner, 'enable', 403], [undefined, 'enable', 200]);
    assert.equal((await asOwner('PUT', '/integrations/shop', { ...named('shaun'), enabled: false })).status, 200);
    await switches([owner, 'enable', 200]);
  });

  test('deep JSON, control characters and If-Match: * have their answers', async () => {
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    for (const [method, path, body] of [
      ['POST', '/integrations/import', `{"integrations":[{"id":"d","scope":"a:b","x":${deep}}]}`],
      [
        'POST',
        '/objects/plan',
        `{"objects":{"tokenIssuers":{"deep":{"issuer":"https://d.example","rules":[{"x":${deep}}]}}}}`,
      ],
      ['PUT', '/token-issuers/deep', `{"issuer":"https://d.example","rules":[{"x":${deep.slice(80_000, 120_000)}}]}`],
    ] as const)
      assert.deepEqual(reasonOf(await ask(method, path, body)), [400, 'object-malformed'], path);
    const access = { to: 'named', identities: [], groups: ['a\u0000b'] };
    assert.equal((await ask('PUT', '/integrations/i', { scope: 'a:b', access })).status, 400);
    assert.equal((await apply({ identities: { olga: { groups: ['operators', 'a\u0000b'] } } })).status, 400);
    const present = { 'if-match': '*' };
    for (const path of ['/integrations/i', '/identities/ivan', '/resource-servers/i-api']) {
      const body = path.startsWith('/id')
        ? {}
        : path.startsWith('/i')
          ? { scope: 'a:b' }
          : { audience: 'https://i.example', resources: ['i'] };
      assert.deepEqual(reasonOf(await ask('PUT', path, body, present)), [412, 'changed-meanwhile'], path);
      await accepted('PUT', path, body);
      await accepted('PUT', path, body, present);
    }
  });
});

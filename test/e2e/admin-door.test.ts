// The admin door: every kind of thing through its life, preconditions, cursors, events, and no secret anywhere.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { writePem } from '../../src/pki/der/pem.ts';
import { makeAuthority } from '../authority.ts';
import { given, prepare } from '../given.ts';
import { AdminScene, BACK_END } from './admin-scene.ts';
import type { Answer } from './caller.ts';

const scene = given(() => AdminScene.open({ log: { level: 'trace' } }, BACK_END));
let token: string;
let answers: Answer[] = [];

async function ask(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const answer = await scene.ask(token, method, path, { body, headers });
  answers.push(answer);
  return answer;
}

async function accepted(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
  const answer = await ask(method, path, body, headers);
  assert.ok(answer.status === 200 || answer.status === 201, answer.text);
  return answer;
}

function reasonOf({ status, json }: Answer): [number, unknown] {
  return [status, json['reason']];
}

const NEW = { 'if-none-match': '*' };

prepare(async () => {
  token = await scene.token('olga');
  answers = [];
});

suite(`things over the admin door, on ${BACK_END}`, () => {
  test('an integration is made, read, replaced, disabled, enabled and removed', async () => {
    const made = await accepted(
      'PUT',
      '/integrations/shop',
      { scope: 'shop:read', overrides: { refresh: false } },
      NEW,
    );
    assert.equal(made.status, 201);
    const { headers, json } = await accepted('GET', '/integrations/shop');
    assert.equal(headers['etag'], made.headers['etag']);
    const { overrides: _, ...rest } = json;
    const replaced = await accepted('PUT', '/integrations/shop', rest, { 'if-match': String(headers['etag']) });
    assert.deepEqual(replaced.json['overrides'], {}, 'what is left out has its default');
    const disabled = await accepted('POST', '/integrations/shop/disable');
    assert.equal(disabled.json['enabled'], false);
    const again = await accepted('PUT', '/integrations/shop', { scope: 'shop:read,write' });
    assert.equal(again.json['enabled'], false, 'nobody said to enable it');
    assert.equal((await accepted('POST', '/integrations/shop/enable')).json['enabled'], true);
    assert.deepEqual(reasonOf(await ask('DELETE', '/integrations/shop')), [409, 'removal-unconfirmed']);
    assert.equal((await accepted('DELETE', '/integrations/shop?confirmed=true')).json['endedGrants'], 0);
    assert.deepEqual(reasonOf(await ask('GET', '/integrations/shop')), [404, 'integration-unknown']);
  });

  test('what cannot be accepted says why', async () => {
    const rows: [string, string, unknown, number, string, RegExp][] = [
      ['PUT', '/integrations/x', {}, 400, 'object-malformed', /scope is missing/],
      ['PUT', '/integrations/x', '{', 400, 'object-malformed', /not JSON/],
      ['PUT', '/integrations/x', { clientId: 'y', scope: 'a:read' }, 400, 'object-malformed', /about y/],
      ['PUT', '/integrations/x', { scope: 'a b' }, 400, 'scope-malformed', /"a b"/],
      ['GET', '/grants?colour=red', undefined, 400, 'object-malformed', /"colour"/],
      ['GET', '/grants?limit=0', undefined, 400, 'object-malformed', /limit is not a whole number from 1 to 1000/],
      ['GET', '/grants?identity=nobody', undefined, 404, 'identity-unknown', /nobody/],
      ['GET', '/grants?cursor=abc.def', undefined, 404, 'cursor-unknown', /Begin again/],
      ['POST', '/grants/0000/revoke', undefined, 404, 'grant-unknown', /0000/],
    ];
    for (const [method, path, body, status, reason, detail] of rows) {
      const answer = await ask(method, path, body);
      assert.deepEqual(reasonOf(answer), [status, reason], answer.text);
      assert.match(String(answer.json['detail']), detail);
    }
  });

  test('resource servers, token issuers, issuers and identities: made, read, replaced by what was read, removed', async () => {
    const authority = makeAuthority({ name: 'Other Root' });
    const rules = [{ when: { '/sub': 'job' }, identity: '{/sub}' }];
    const rows: [string, string, Record<string, unknown>][] = [
      ['resource-servers', 'shop-api', { audience: 'https://shop.example', resources: ['shop'] }],
      [
        'token-issuers',
        'ci',
        { issuer: 'https://ci.example', rules, audience: 'us', allowedAddresses: ['10.0.0.0/8'] },
      ],
      ['issuers', 'other', { pem: writePem(authority.certificate), identitySources: ['common-name'] }],
      ['identities', 'grace', { email: 'grace@example.com', groups: ['viewers'], password: 'canary of grace hopper' }],
    ];
    for (const [kind, id, body] of rows) {
      await accepted('PUT', `/${kind}/${id}`, body, NEW);
      assert.equal((await ask('PUT', `/${kind}/${id}`, body, NEW)).status, kind === 'identities' ? 409 : 412);
      const { json, headers } = await accepted('GET', `/${kind}/${id}`);
      const etag = String(headers['etag']);
      const put = await accepted('PUT', `/${kind}/${id}`, json, { 'if-match': etag });
      assert.deepEqual(put.json, json, 'a round trip changes nothing');
      assert.deepEqual(reasonOf(await ask('PUT', `/${kind}/${id}`, json, { 'if-match': '"12345"' })), [
        412,
        'changed-meanwhile',
      ]);
      const { items } = (await accepted('GET', `/${kind}`)).json as { items: Record<string, unknown>[] };
      assert.ok(items.some((item) => Object.values(item).includes(id)));
    }
    const bare = { issuer: 'https://ci.example', rules };
    const { json: ci } = await accepted('PUT', '/token-issuers/ci', bare);
    assert.deepEqual([ci['audience'], ci['allowedAddresses']], [undefined, undefined]);
    const moved = await ask('PUT', '/token-issuers/ci', { ...bare, issuer: 'https://else.example' });
    assert.deepEqual(reasonOf(moved), [409, 'token-issuer-iss-differs']);
    const file = {
      pem: writePem(authority.certificate),
      identitySources: ['common-name'],
      revocation: { crlFiles: ['/etc/passwd'] },
    };
    assert.deepEqual(reasonOf(await ask('PUT', '/issuers/other', file)), [409, 'list-file-elsewhere']);
    await accepted('POST', '/identities/grace/disable');
    for (const [kind, id] of rows) await accepted('DELETE', `/${kind}/${id}?confirmed=true`);
  });

  test('8 clients change one integration at once: each change is applied once, or refused with 412', async () => {
    await accepted('PUT', '/integrations/contended', { scope: 'a:read', description: '' }, NEW);
    let [applied, refused] = [0, 0];
    const client = async (name: number): Promise<void> => {
      for (let done = 0; done < 1; ) {
        const { json, headers } = await scene.ask(token, 'GET', '/integrations/contended');
        const body = { ...json, description: `${json['description']}${String.fromCharCode(64 + name)}` };
        const put = await scene.ask(token, 'PUT', '/integrations/contended', {
          body,
          headers: { 'if-match': String(headers['etag']) },
        });
        assert.ok(put.status === 200 || put.status === 412, put.text);
        if (put.status === 412) refused += 1;
        else applied += 1;
        done += put.status === 200 ? 1 : 0;
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, name) => client(name + 1)));
    const { json } = await scene.ask(token, 'GET', '/integrations/contended');
    assert.equal(applied, 8);
    assert.equal(String(json['description']).length, 8, 'no change was lost');
    assert.ok(refused > 0, 'they met');
  });

  test('lists come in pages, and a cursor belongs to its list', async () => {
    for (let at = 0; at < 5; at++) await accepted('PUT', `/integrations/page-${at}`, { scope: 'a:read' }, NEW);
    const seen: unknown[] = [];
    let next = '';
    do {
      const path = `/integrations?limit=2${next === '' ? '' : `&cursor=${next}`}`;
      const { json } = await accepted('GET', path);
      seen.push(...(json['items'] as { clientId: string }[]).map(({ clientId }) => clientId));
      next = (json['next'] as string | undefined) ?? '';
    } while (next !== '');
    const all = (await accepted('GET', '/integrations?limit=1000')).json['items'] as { clientId: string }[];
    assert.deepEqual(
      seen,
      all.map(({ clientId }) => clientId),
    );
    const first = (await accepted('GET', '/integrations?limit=2')).json['next'] as string;
    assert.deepEqual(reasonOf(await ask('GET', `/identities?cursor=${first}`)), [404, 'cursor-unknown']);
    assert.deepEqual(reasonOf(await ask('GET', `/integrations?cursor=${first}0`)), [404, 'cursor-unknown']);
  });

  test('grants are found, shown with their timeline, counted, and ended', async () => {
    await scene.token('ada', 'orders:read', 'orders-sync');
    await scene.token('ada', 'orders:read', 'orders-sync');
    const { items } = (await accepted('GET', '/grants?identity=ada&integration=orders-sync')).json as {
      items: { id: string; certificate: string }[];
    };
    assert.equal(items.length, 2);
    const { id, certificate } = items[0] ?? { id: '', certificate: '' };
    const found = (await accepted('GET', `/grants?certificate=${certificate}`)).json['items'] as object[];
    assert.equal(found.length, 2, 'one certificate has both');
    await accepted('POST', `/grants/${id}/revoke`);
    assert.deepEqual(reasonOf(await ask('POST', `/grants/${id}/revoke`)), [404, 'grant-not-live']);
    const events = (await accepted('GET', `/grants/${id}/events`)).json['items'] as {
      type: string;
      detail: { by: object };
    }[];
    assert.deepEqual(
      events.map(({ type }) => type),
      ['issued', 'revoked'],
    );
    assert.deepEqual(Object.keys(events[1]?.detail.by ?? {}), ['as', 'id', 'proof']);
    await scene.token('ada', 'orders:read', 'orders-sync');
    const counted = await ask('POST', '/grants/revoke', { identity: 'ada' });
    assert.deepEqual([...reasonOf(counted), counted.json['about']], [409, 'confirmation-missing', '2']);
    assert.equal(
      (await accepted('POST', '/grants/revoke', { identity: 'ada', confirmed: true })).json['endedGrants'],
      2,
    );
  });

  test('events say who did it by which proof, from where, what changed, and by which request', async () => {
    await accepted('PUT', '/integrations/told', { scope: 'a:read' }, NEW);
    const changed = await scene.ask(token, 'PUT', '/integrations/told', { body: { scope: 'a:read,write' } });
    assert.equal(changed.status, 200);
    const { items } = (await accepted('GET', '/events?type=administered&limit=1')).json as {
      items: Record<string, never>[];
    };
    const { requestId, ...event } = items[0] ?? {};
    assert.equal(event['clientId'], 'told');
    assert.deepEqual(event['detail']?.['changed'], { scope: { before: 'a:read', after: 'a:read,write' } });
    assert.deepEqual(event['detail']?.['by']?.['proof'], 'certificate');
    assert.equal(event['presenter']?.['address'], '127.0.0.1');
    const { items: caused } = (await accepted('GET', `/events?requestId=${requestId}`)).json as { items: object[] };
    assert.equal(caused.length, 1);
    const line = scene.service.logLines.find((text) => text.includes(String(requestId)));
    assert.match(String(line), /admin-integration-put/);
  });

  test('no answer, event or log line has a secret', async () => {
    await accepted('PUT', '/resource-servers/secretive', { audience: 'https://s.example', resources: ['s'] }, NEW);
    const made = await scene.ask(token, 'POST', '/resource-servers/secretive/secrets');
    const secret = String(made.json['secret']);
    assert.match(secret, /^tsc_/);
    await accepted('PUT', '/integrations/secretive-app', { scope: 'a:read', flows: { secret: true } }, NEW);
    const own = await scene.ask(token, 'POST', '/integrations/secretive-app/secrets?endsIn=3600');
    const ownSecret = String(own.json['secret']);
    assert.equal(own.status, 200, own.text);
    await accepted('GET', '/integrations/secretive-app');
    await accepted('GET', '/objects');
    assert.equal((await accepted('POST', '/explain/token', { token })).json['operation'], 'verify');
    await accepted('PUT', '/identities/heidi', { password: 'canary of heidi lamarr' }, NEW);
    await accepted('POST', '/identities/heidi/password', { password: 'canary of heidi again' });
    await ask('PUT', '/identities/heidi', { password: 'canary of heidi thrice' });
    await accepted('GET', '/identities/heidi');
    await accepted('GET', '/resource-servers/secretive');
    await accepted('GET', '/events?limit=1000');
    const everything = [
      ...answers.map(({ text, headers }) => text + JSON.stringify(headers)),
      ...scene.service.logLines,
    ].join('\n');
    for (const canary of ['canary of', secret, ownSecret, token, token.slice(8, 24)])
      assert.ok(!everything.includes(canary), canary);
    assert.ok(!/"(?:hash|accessHash|refreshHash|nonce)"/.test(everything));
  });
});

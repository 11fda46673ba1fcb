// Clients that nobody registered: their documents over real TLS, and every way in which a document or a guest can be hostile.
import assert from 'node:assert/strict';
import { after, beforeEach, suite, test } from 'node:test';
import type { ClientId } from '../../src/core/integration.ts';
import { DocumentServer } from '../document-server.ts';
import { AGENT, CALLBACK, jsonOf, Program } from '../doors/pages/asking-program.ts';
import { ADA } from '../doors/pages/running-service.ts';
import { signedIn, Visitor } from '../doors/pages/visitor.ts';
import { given, prepare } from '../given.ts';
import { scopeOf } from '../samples.ts';
import { example, McpScene } from './mcp-scene.ts';

const GUESTS = {
  ...AGENT,
  clientId: 'guests' as ClientId,
  name: 'Guests',
  scope: scopeOf('orders:read'),
  flows: { device: true, certificate: true, assertion: true, code: { redirectUris: [] } },
};

const documents = given(() => DocumentServer.open());
let scene: McpScene;
prepare(async () => {
  scene = await McpScene.open({ integrations: [AGENT, GUESTS], sets: documents.sets });
  await scene.serve(example('server.mjs'));
});
after(() => scene?.close());

const guest = (path: string) => new Program(scene.service, CALLBACK, documents.origin + path);

suite('a guest', () => {
  test('the official MCP client 2.x with a document: discovery, code, a call, a refresh', async () => {
    const lines = await scene.client({
      sdk: 2,
      documentUrl: `${documents.origin}/mcp.json`,
      tools: ['whoami', 'whoami'],
    });
    assert.deepEqual(
      lines.flatMap(({ called }) => called ?? []),
      [ADA.id, ADA.id],
    );
    const { open = '' } = lines.find((line) => line.open) ?? {};
    assert.equal(new URL(open).searchParams.get('client_id'), `${documents.origin}/mcp.json`);
  });

  test('gets what the integration allows and no more; the page names its host, and warns', async () => {
    const program = guest('/named.json');
    const { text } = await scene.ada.get(program.path({ scope: undefined }));
    assert.match(text, /<h1>Let localhost:\d+ act in your name\?<\/h1>/);
    assert.match(text, /class="host"/);
    assert.match(text, /Any program on this computer can claim/);
    assert.doesNotMatch(text, /stock/);
  });

  test('nothing is fetched before the person has signed in, and once for all afterwards', async () => {
    const { text } = await new Visitor(scene.service).get(guest('/once.json').path());
    assert.match(text, /name="password"/);
    assert.ok(!documents.asked.includes('/once.json'));
    for (let visit = 0; visit < 3; visit++) await scene.ada.get(guest('/once.json').path());
    assert.equal(documents.asked.filter((path) => path === '/once.json').length, 1);
  });

  test('one guest with the tokens of another gets nothing; neither does the integration itself', async () => {
    const program = guest('/mine.json');
    const code = (await program.decided(scene.ada)).get('code');
    for (const client_id of [`${documents.origin}/theirs.json`, 'guests'])
      assert.equal(jsonOf(await program.redeem(code, { client_id }))['error'], 'invalid_grant');
    const { refresh_token: token = '', access_token = '' } = jsonOf(await program.redeem(code));
    for (const client_id of [`${documents.origin}/theirs.json`, 'guests', 'coder']) {
      assert.equal(jsonOf(await program.refresh(token, { client_id }))['error'], 'invalid_grant', client_id);
      const revoked = await program.ask('/oauth2/revoke', { client_id, token: access_token });
      assert.equal(jsonOf(revoked)['error'], 'invalid_grant', client_id);
    }
    const json = await program.ask('/oauth2/introspect', {
      client_id: 'orders-mcp',
      client_secret: scene.secret,
      token: access_token,
    });
    assert.deepEqual(
      [jsonOf(json)['client_id'], jsonOf(json)['integration']],
      [`${documents.origin}/mine.json`, 'guests'],
    );
    assert.equal((await program.refresh(token)).status, 200, 'its own');
    assert.equal((await program.ask('/oauth2/revoke', { client_id: program.clientId, token })).status, 200);
  });

  test('has no other way in than a person: no device flow, no certificate, no assertion', async () => {
    const program = guest('/mine.json');
    const { clientId: client_id } = program;
    assert.equal(jsonOf(await program.ask('/oauth2/device_authorization', { client_id }))['error'], 'invalid_client');
    for (const grant_type of ['client_credentials', 'urn:ietf:params:oauth:grant-type:jwt-bearer'])
      assert.equal(jsonOf(await program.ask('/oauth2/token', { client_id, grant_type }))['error'], 'invalid_client');
  });

  test('of a host that is not allowed is an unknown client: shown, and nothing is fetched', async () => {
    const { status } = await scene.ada.get(new Program(scene.service, CALLBACK, 'https://evil.example/c.json').path());
    assert.equal(status, 404);
  });
});

suite('a document that', () => {
  beforeEach(() => scene.service.advance(61)); // a person causes 10 fetches a minute
  const shown = async (path: string) => {
    const { status, headers } = await scene.ada.get(guest(path).path());
    return `${status} ${headers.location ?? 'shown'}`;
  };

  test('redirects is not followed', async () => {
    documents.served.set('/redirect.json', (response) => response.writeHead(302, { location: '/mine.json' }).end());
    assert.equal(await shown('/redirect.json'), '400 shown');
  });

  test('lies about its client_id, or wants a secret, is refused', async () => {
    documents.served.set('/lie.json', documents.document('/mine.json'));
    documents.served.set('/secret.json', (response) =>
      response.end(documents.document('/secret.json', { token_endpoint_auth_method: 'client_secret_basic' })),
    );
    assert.equal(await shown('/lie.json'), '400 shown');
    assert.equal(await shown('/secret.json'), '400 shown');
  });

  test('is huge is not read', async () => {
    documents.served.set('/huge.json', documents.document('/huge.json', { x: 'x'.repeat(6_000) }));
    assert.equal(await shown('/huge.json'), '400 shown');
  });

  test('never ends holds up nobody else', async () => {
    documents.served.set('/slow.json', (response) => void response.write('{'));
    const slow = shown('/slow.json');
    assert.equal(await shown('/fast.json'), '200 shown');
    assert.equal(await slow, '503 shown');
  });

  test('changes is read again after its time; errors are never kept', async () => {
    documents.served.set('/moved.json', (response) => response.writeHead(500).end());
    assert.equal(await shown('/moved.json'), '503 shown');
    documents.served.delete('/moved.json');
    assert.equal(await shown('/moved.json'), '200 shown');
    documents.served.set('/moved.json', (response) =>
      response.end(documents.document('/moved.json', { redirect_uris: ['http://127.0.0.1/elsewhere'] })),
    );
    assert.equal(await shown('/moved.json'), '200 shown');
    scene.service.advance(3_601);
    scene.ada = await signedIn(scene.service);
    assert.equal(await shown('/moved.json'), '400 shown');
  });
});

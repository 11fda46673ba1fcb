// Clients that nobody registered: their documents over real TLS, and every way in which a document or a guest can be hostile.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, suite, test } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import type { ClientId } from '../../src/core/integration.ts';
import { makeDevelopmentAuthority } from '../../src/pki/development-authority.ts';
import { systemRandom } from '../../src/system.ts';
import { AGENT, CALLBACK, jsonOf, Program } from '../doors/pages/asking-program.ts';
import { ADA } from '../doors/pages/running-service.ts';
import { signedIn, Visitor } from '../doors/pages/visitor.ts';
import { scopeOf } from '../samples.ts';
import { example, McpScene } from './mcp-scene.ts';

const GUESTS = {
  ...AGENT,
  clientId: 'guests' as ClientId,
  name: 'Guests',
  scope: scopeOf('orders:read'),
  flows: { device: true, certificate: true, assertion: true, code: { redirectUris: [] } },
};

let documents: Server;
let origin: string;
let scene: McpScene;
const asked: string[] = [];
/** What the document at a path says beyond the usual. */
const served = new Map<string, (response: import('node:http').ServerResponse) => void>();

before(async () => {
  const authority = makeDevelopmentAuthority(new Date(), systemRandom);
  const { certificate, key } = authority.issueServer(['localhost']);
  setDefaultCACertificates([...getCACertificates('default'), authority.certificate]);
  documents = createServer({ cert: certificate, key }, ({ url = '' }, response) => {
    asked.push(url);
    (served.get(url) ?? ((usual) => usual.end(documentOf(url))))(response);
  });
  await new Promise<void>((listening) => documents.listen(0, '127.0.0.1', listening));
  origin = `https://localhost:${(documents.address() as AddressInfo).port}`;
  const sets = [`oauth.clientDocuments=["${new URL(origin).host}"]`, 'oauth.clientDocumentAddresses=[127.0.0.1]'];
  scene = await McpScene.open({ integrations: [AGENT, GUESTS], sets });
  await scene.serve(example('server.mjs'));
});
after(async () => {
  documents?.closeAllConnections();
  documents?.close();
  await scene?.close();
});

function documentOf(path: string, difference: object = {}): string {
  const redirect_uris = ['http://127.0.0.1/callback'];
  return JSON.stringify({ client_id: origin + path, client_name: 'Coder', redirect_uris, ...difference });
}

const guest = (path: string) => new Program(scene.service, CALLBACK, origin + path);

suite('a guest', () => {
  test('the official MCP client 2.x with a document: discovery, code, a call, a refresh', async () => {
    const lines = await scene.client({ sdk: 2, documentUrl: `${origin}/mcp.json`, tools: ['whoami', 'whoami'] });
    assert.deepEqual(
      lines.flatMap(({ called }) => called ?? []),
      [ADA.id, ADA.id],
    );
    const { open = '' } = lines.find((line) => line.open) ?? {};
    assert.equal(new URL(open).searchParams.get('client_id'), `${origin}/mcp.json`);
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
    assert.ok(!asked.includes('/once.json'));
    for (let visit = 0; visit < 3; visit++) await scene.ada.get(guest('/once.json').path());
    assert.equal(asked.filter((path) => path === '/once.json').length, 1);
  });

  test('one guest with the tokens of another gets nothing; neither does the integration itself', async () => {
    const program = guest('/mine.json');
    const code = (await program.decided(scene.ada)).get('code');
    for (const client_id of [`${origin}/theirs.json`, 'guests'])
      assert.equal(jsonOf(await program.redeem(code, { client_id }))['error'], 'invalid_grant');
    const { refresh_token: token = '', access_token = '' } = jsonOf(await program.redeem(code));
    for (const client_id of [`${origin}/theirs.json`, 'guests', 'coder']) {
      assert.equal(jsonOf(await program.refresh(token, { client_id }))['error'], 'invalid_grant', client_id);
      const revoked = await program.ask('/oauth2/revoke', { client_id, token: access_token });
      assert.equal(jsonOf(revoked)['error'], 'invalid_grant', client_id);
    }
    const json = await program.ask('/oauth2/introspect', {
      client_id: 'orders-mcp',
      client_secret: scene.secret,
      token: access_token,
    });
    assert.deepEqual([jsonOf(json)['client_id'], jsonOf(json)['integration']], [`${origin}/mine.json`, 'guests']);
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
    served.set('/redirect.json', (response) => response.writeHead(302, { location: '/mine.json' }).end());
    assert.equal(await shown('/redirect.json'), '400 shown');
  });

  test('lies about its client_id, or wants a secret, is refused', async () => {
    served.set('/lie.json', (response) => response.end(documentOf('/mine.json')));
    served.set('/secret.json', (response) =>
      response.end(documentOf('/secret.json', { token_endpoint_auth_method: 'client_secret_basic' })),
    );
    assert.equal(await shown('/lie.json'), '400 shown');
    assert.equal(await shown('/secret.json'), '400 shown');
  });

  test('is huge is not read', async () => {
    served.set('/huge.json', (response) => response.end(documentOf('/huge.json', { x: 'x'.repeat(6_000) })));
    assert.equal(await shown('/huge.json'), '400 shown');
  });

  test('never ends holds up nobody else', async () => {
    served.set('/slow.json', (response) => void response.write('{'));
    const slow = shown('/slow.json');
    assert.equal(await shown('/fast.json'), '200 shown');
    assert.equal(await slow, '503 shown');
  });

  test('changes is read again after its time; errors are never kept', async () => {
    served.set('/moved.json', (response) => response.writeHead(500).end());
    assert.equal(await shown('/moved.json'), '503 shown');
    served.delete('/moved.json');
    assert.equal(await shown('/moved.json'), '200 shown');
    served.set('/moved.json', (response) =>
      response.end(documentOf('/moved.json', { redirect_uris: ['http://127.0.0.1/elsewhere'] })),
    );
    assert.equal(await shown('/moved.json'), '200 shown');
    scene.service.advance(3_601);
    scene.ada = await signedIn(scene.service);
    assert.equal(await shown('/moved.json'), '400 shown');
  });
});

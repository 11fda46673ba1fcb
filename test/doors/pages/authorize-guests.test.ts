// What operators and guests can change or send while a person decides: the page shows it, and confirms only what it showed.
import assert from 'node:assert/strict';
import { after, suite, test } from 'node:test';
import type { ClientId, Integration } from '../../../src/core/integration.ts';
import { showGrant } from '../../../src/operations/admin/find-grants.ts';
import { grants } from '../../../src/store/tables/grants.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { resourceServers } from '../../../src/store/tables/resource-servers.ts';
import { DocumentServer } from '../../document-server.ts';
import { given, prepare } from '../../given.ts';
import { aResourceServer, scopeOf } from '../../samples.ts';
import { AGENT, CALLBACK, decisionOf, jsonOf, Program } from './asking-program.ts';
import { type RunningService, startService } from './running-service.ts';
import { type Seen, signedIn, type Visitor } from './visitor.ts';

const GUESTS: Integration = {
  ...AGENT,
  clientId: 'guests' as ClientId,
  name: 'Guests',
  scope: scopeOf('orders:read'),
  flows: { device: false, certificate: false, code: { redirectUris: [] } },
};

const documents = given(() => DocumentServer.open());
let service: RunningService;
let origin: string;
let ada: Visitor;
prepare(async () => {
  origin = documents.origin;
  const redirect_uris = [`${origin}/back`, 'http://127.0.0.1/callback'];
  documents.served.set('/c', documents.document('/c', { redirect_uris }));
  documents.served.set('/missing', (response) => response.writeHead(404).end());
  service = await startService({ integrations: [AGENT, GUESTS], sets: documents.sets });
  ada = await signedIn(service);
});
after(() => service?.stop());

const guest = (redirectUri = CALLBACK, path = '/c') => new Program(service, redirectUri, origin + path);
const heading = ({ text }: Seen) => /<h1>([^<]*)/.exec(text)?.[1];
const metadata = async () =>
  jsonOf(await ada.get('/.well-known/oauth-authorization-server')) as Record<string, unknown>;

/** Changes an integration, and waits until the service knows. */
async function change(clientId: string, difference: Partial<Integration>, isKnown: () => Promise<boolean>) {
  await service.store.change(integrations, clientId, (found) => ({
    outcome: undefined,
    ...(found && { next: { ...found.row, ...difference } }),
  }));
  for (let turn = 0; turn < 100; turn++) {
    if (await isKnown()) return;
    service.advance(1);
    await new Promise((later) => setTimeout(later, 50));
  }
  assert.fail('the service does not show the change');
}

suite('the page about a program that nobody registered', () => {
  test('shows the hosts in the largest letters, and what the client calls itself below, nowhere else', async () => {
    const { host } = new URL(origin);
    const program = guest(`${origin}/back`);
    const { text } = await ada.get(program.path());
    assert.match(text, new RegExp(`<dd class="host" translate="no">${host}</dd>`), 'of the document');
    assert.match(text, new RegExp(`<dd class="host"><span translate="no">${host}</span></dd>`), 'of the redirect URI');
    assert.match(text, /<dt>Calls itself<\/dt><dd translate="no">Coder<\/dd>/);
    assert.equal(text.split('Coder').length, 2, 'also not in the heading or the title');
    assert.ok(text.indexOf('class="host"') < text.indexOf('Calls itself'));
  });
});

suite('a person', () => {
  test('confirms what the page showed: if the scope has grown meanwhile, the page asks again', async () => {
    const program = new Program(service);
    const path = program.path({ scope: undefined });
    const old = (await ada.get(path)).text;
    assert.doesNotMatch(old, /payroll/);
    const wider = { scope: scopeOf('orders:read,write;stock:read;payroll:write') };
    await change('coder', wider, async () => /payroll/.test((await ada.get(path)).text));
    const again = await ada.post('/oauth2/authorize', decisionOf(old, 'confirm'));
    assert.equal(again.status, 200);
    assert.match(again.text, /has changed meanwhile/);
    assert.match(again.text, /payroll/);
    const { headers } = await ada.post('/oauth2/authorize', decisionOf(again.text, 'confirm'));
    const code = new URL(headers.location ?? 'missing:').searchParams.get('code');
    assert.match(jsonOf(await program.redeem(code))['scope'] ?? '', /payroll:write/);
  });

  test('who signs out all agents, or revokes all, ends codes that were confirmed but not redeemed', async () => {
    for (const path of ['/account/sign-out-agents', '/account/grants/revoke']) {
      const program = new Program(service);
      const code = (await program.decided(ada)).get('code');
      const bob = await signedIn(service, 'bob');
      const ofBob = new Program(service);
      const codeOfBob = (await ofBob.decided(bob)).get('code');
      await ada.get('/account');
      assert.equal((await ada.post(path)).status, 303);
      assert.equal(jsonOf(await program.redeem(code))['error'], 'invalid_grant', path);
      assert.equal((await ofBob.redeem(codeOfBob)).status, 200, 'only their own');
    }
  });

  test('who revokes all ends a confirmed device code too; signing out agents leaves it', async () => {
    const program = new Program(service);
    for (const [path, expected] of [
      ['/account/sign-out-agents', 200],
      ['/account/grants/revoke', 400],
    ] as const) {
      const started = jsonOf(await program.ask('/oauth2/device_authorization', { client_id: 'coder' }));
      await ada.post(`${await ada.enterCode(started['user_code'] ?? '')}/confirm`);
      await ada.get('/account');
      await ada.post(path);
      const fields = { client_id: 'coder', device_code: started['device_code'] ?? '' };
      const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
      assert.equal((await program.ask('/oauth2/token', { grant_type, ...fields })).status, expected, path);
    }
  });

  test('gets what the program asked for besides the scopes of OpenID Connect, which are ignored', async () => {
    const program = new Program(service);
    const path = program.path({ scope: 'openid profile orders:read offline_access' });
    const code = (await program.decided(ada, 'confirm', path)).get('code');
    assert.equal(jsonOf(await program.redeem(code))['scope'], 'orders:read');
  });

  test('reads what is wrong: a missing client_id, an unknown program', async () => {
    const without = await ada.get('/oauth2/authorize?response_type=code');
    assert.equal(`${without.status} ${heading(without)}`, '400 The program made a mistake');
    assert.match(without.text, /client_id is missing/);
    const unknown = await ada.get(new Program(service, CALLBACK, 'nobody').path());
    assert.equal(`${unknown.status} ${heading(unknown)}`, '404 This program is not registered here');
  });
});

suite('a guest', () => {
  test('with a mistake in its request redirects nobody: the mistake is shown [RFC 9700 4.11.2]', async () => {
    for (const difference of [{ scope: 'payroll:read' }, { response_type: 'token' }, { code_challenge: undefined }]) {
      const seen = await ada.get(guest(`${origin}/back`).path(difference));
      assert.equal(`${seen.status} ${seen.headers.location}`, '400 undefined');
      assert.equal(heading(seen), 'The program made a mistake');
    }
    assert.equal((await guest(`${origin}/back`).decided(ada, 'deny')).get('error'), 'access_denied');
  });

  test('that sends people to this computer is warned of, even if its document lists https too', async () => {
    assert.match((await ada.get(guest().path())).text, /Any program on this computer/);
    assert.doesNotMatch((await ada.get(guest(`${origin}/back`).path())).text, /Any program on this computer/);
  });

  test('is named where operators look: grants, and events of decisions', async () => {
    const program = guest();
    await program.redeem((await program.decided(ada)).get('code'));
    const [grant] = await service.store.page(grants, { isDescending: true, limit: 1 });
    const seen = await showGrant(grant?.id ?? '', { store: service.store });
    assert.equal(seen.ok && seen.value.guest, `${origin}/c`);

    for (const decision of ['confirm', 'deny']) await guest().decided(ada, decision);
    const events = await service.store.newestEvents({ count: 2 });
    assert.deepEqual(
      events.map(({ type, detail }) => [type, detail && 'guest' in detail && detail.guest]),
      [
        ['confirmed', `${origin}/c`],
        ['denied', `${origin}/c`],
      ],
    );
  });

  test('without a document is not asked to try again', async () => {
    const seen = await ada.get(guest(CALLBACK, '/missing').path());
    assert.equal(seen.status, 400);
    assert.doesNotMatch(seen.text, /Try again in a moment/);
  });

  test('of an integration that is disabled: nothing is advertised, and nothing fetched', async () => {
    const isAdvertised = async () => (await metadata())['client_id_metadata_document_supported'] === true;
    assert.ok(await isAdvertised());
    await change('guests', { enabled: false }, async () => !(await isAdvertised()));
    assert.equal((await ada.get(guest(CALLBACK, '/disabled').path())).status, 404);
    assert.ok(!documents.asked.includes('/disabled'));
  });
});

test('/oauth2/resources/{id} describes a resource server that is enabled, and no other [RFC 9728 2]', async () => {
  const api = aResourceServer();
  const off = {
    ...aResourceServer(),
    id: 'off-api' as typeof api.id,
    audience: 'https://off.example' as typeof api.audience,
    enabled: false,
  };
  await service.store.change(resourceServers, api.id, () => ({ outcome: undefined, next: api }));
  await service.store.change(resourceServers, off.id, () => ({ outcome: undefined, next: off }));
  const ask = (id: string) => ada.get(`/oauth2/resources/${id}`);
  for (let turn = 0; turn < 100 && (await ask(api.id)).status !== 200; turn++)
    await new Promise((later) => setTimeout(later, 50));
  assert.deepEqual(JSON.parse((await ask(api.id)).text), {
    resource: api.audience,
    authorization_servers: [service.url],
    bearer_methods_supported: ['header'],
    resource_name: api.name,
    scopes_supported: ['orders:read', 'orders:write'],
  });
  assert.equal((await ask(off.id)).status, 404);
});

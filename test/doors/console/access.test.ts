// Who gets into the console, and that nobody does more than they may, by hand-made requests either.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { identities } from '../../../src/store/tables/identities.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { CLIENT } from '../../samples.ts';
import { PASSWORD, startService } from '../pages/running-service.ts';
import { Visitor } from '../pages/visitor.ts';
import { ConsoleScene, EVIL_ID, PEOPLE } from './scene.ts';

let scene: ConsoleScene;
before(async () => {
  scene = await ConsoleScene.open();
});
after(() => scene?.stop());

const PAGES = ['', '/grants', '/integrations', '/issuers', '/token-issuers', '/resource-servers', '/identities'];
const READING = [...PAGES, '/explain', '/events', '/figures/requests'];
const DISABLE = `/console/integrations/${CLIENT}/disable`;

async function isEnabled(): Promise<boolean | undefined> {
  return (await scene.store.load(integrations, CLIENT)).found?.row.enabled;
}

test('a listener serves the console only if it names it', async (t) => {
  const usual = await startService();
  t.after(() => usual.stop());
  assert.equal((await new Visitor(usual).get('/console')).status, 404);
});

test('whoever is not signed in gets the sign-in page, and goes on to the console from there, nowhere else', async () => {
  const visitor = new Visitor(scene.service);
  const { text } = await visitor.get('/console/events?type=reused&within=3600');
  assert.match(text, /to the console.*name="go_on" value="\/console\/events\?type=reused&amp;within=3600"/s);
  const signIn = async (goOn: string) => {
    const { headers } = await new Visitor(scene.service).signIn('ada', PASSWORD, { go_on: goOn });
    return headers.location;
  };
  for (const path of ['/console/events', '/console/events?type=reused&within=3600'])
    assert.equal(await signIn(path), path);
  for (const elsewhere of [
    '//evil.example',
    'https://evil.example/console',
    '/console/../account',
    '/console/%2e%2e/account',
    '/console//evil',
    '/console/../account?type=reused',
    '/console?a=\r\nSet-Cookie:b',
  ])
    assert.equal(await signIn(elsewhere), '/account', elsewhere);
});

test('who is signed in by password only is led to a better sign-in, and back', async () => {
  const olga = await scene.visitor('olga', 'password');
  const { text } = await olga.get('/console');
  const [, path = ''] = /A password alone may only look.* href="([^"]+)">Sign in</.exec(text) ?? [];
  assert.match((await olga.get(path)).text, /name="go_on" value="\/console"/);
});

test('somebody without a role is told so, and sees nothing', async () => {
  const nina = await scene.visitor('nina');
  for (const page of READING) {
    const { status, text } = await nina.get(`/console${page}`);
    assert.equal(status, 403, page);
    assert.doesNotMatch(text, /orders-sync/);
  }
});

test('viewers, and operators with a password alone, see every page and change nothing, by hand-made forms either', async () => {
  for (const visitor of [await scene.visitor('vera'), await scene.visitor('olga', 'password')]) {
    for (const page of READING) {
      const { status, text } = await visitor.get(`/console${page}`);
      assert.equal(status, 200, page);
      assert.doesNotMatch(text, /\/(?:new|disable|remove|change|end)"/, page);
    }
    const posts = [
      DISABLE,
      `/console/integrations/${CLIENT}/remove`,
      `/console/integrations/${CLIENT}/change`,
      ...['key-add', 'key-remove', 'secret-make', 'secret-drop'].map((act) => `/console/integrations/${CLIENT}/${act}`),
      ...['passkey-invite', 'passkey-remove', 'password'].map((act) => `/console/identities/nina/${act}`),
      '/console/integrations/new',
      '/console/integrations/import',
      `/console/identities/${encodeURIComponent(PEOPLE.olga.id)}/disable`,
      '/console/grants/end',
      `/console/grants/018f${'01'.repeat(14)}/end`,
      '/console/resource-servers/new',
    ];
    await scene.grant(1);
    for (const path of posts) {
      const { status } = await visitor.post(path, { step: 'do', object_name: 'x', scope: 'a:b', integration: CLIENT });
      assert.equal(status, 403, path);
    }
  }
  assert.equal(await isEnabled(), true);
  assert.equal((await scene.store.load(identities, PEOPLE.olga.id)).found?.row.enabled, true);
});

test('owners see their integration and its grants, and nothing else', async () => {
  const shaun = await scene.visitor('shaun');
  assert.equal((await shaun.get('/console')).headers.location, '/console/integrations');
  const { text } = await shaun.get('/console/integrations');
  assert.match(text, /orders-sync/);
  assert.doesNotMatch(text, new RegExp(EVIL_ID));
  for (const page of [
    '/identities',
    '/issuers',
    '/events',
    '/explain',
    `/integrations/${EVIL_ID}`,
    '/figures/requests',
  ])
    assert.ok((await shaun.get(`/console${page}`)).status >= 403, page);
  assert.equal((await shaun.get(`/console/grants?integration=${EVIL_ID}`)).status, 403);
  await shaun.get(`/console/integrations/${CLIENT}/change`);
  const refused = [
    [`/console/integrations/${EVIL_ID}/disable`, {}],
    [`/console/integrations/${CLIENT}/remove`, {}],
    [`/console/integrations/${EVIL_ID}/change`, { scope: 'a:b' }],
    ['/console/integrations/new', { object_name: 'new', scope: 'a:b', step: 'do' }],
    ['/console/identities/new', { object_name: 'eve', step: 'do' }],
    ['/console/grants/end', { identity: 'nina' }],
    ['/console/search', { q: 'nina' }],
    ['/console/explain', { text: 'x' }],
  ] as const;
  for (const [path, fields] of refused) assert.ok((await shaun.post(path, fields)).status >= 403, path);
  const widened = { scope: 'orders:read,write,delete;stock:read', owners: 'shop-team', step: 'do' };
  const { text: answer } = await shaun.post(`/console/integrations/${CLIENT}/change`, widened);
  assert.match(answer, /of an operator, since it widens/);
  const { status } = await shaun.post(`/console/integrations/${CLIENT}/disable`);
  assert.equal(status, 303, 'their own they may disable');
  assert.equal((await shaun.post(`/console/integrations/${CLIENT}/enable`)).status, 303);
});

test('an act needs a sign-in of the last ten minutes: until then nothing is done, and the page is found again', async () => {
  const olga = await scene.visitor('olga', 'passkey', 601);
  assert.equal((await olga.get('/console')).status, 200, 'looking does not');
  for (const answer of [await olga.get(DISABLE), await olga.post(DISABLE)]) {
    assert.equal(answer.status, 200);
    assert.match(answer.text, new RegExp(`name="go_on" value="${DISABLE}"`));
  }
  assert.equal(await isEnabled(), true);
});

test('forms of other sites, and forms without their token, do nothing', async () => {
  const olga = await scene.visitor('olga');
  await olga.get(DISABLE);
  assert.equal((await olga.post(DISABLE, {}, { 'sec-fetch-site': 'cross-site' })).status, 403);
  assert.equal((await olga.post(DISABLE, { form_token: '' })).status, 403);
  const oscar = await scene.visitor('oscar');
  await oscar.get(DISABLE);
  assert.equal((await olga.post(DISABLE, { form_token: oscar.formToken })).status, 403, 'of another session');
  assert.equal(await isEnabled(), true);
});

test('a page of the console may not be framed or kept, and loads nothing from elsewhere', async () => {
  const olga = await scene.visitor('olga');
  const { headers } = await olga.get('/console');
  assert.equal(headers['cache-control'], 'no-store');
  assert.match(String(headers['content-security-policy']), /default-src 'none'.*script-src 'self'.*form-action 'self'/);
  assert.equal(headers['x-frame-options'], 'DENY');
});

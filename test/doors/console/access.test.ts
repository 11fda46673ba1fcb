// How people get into the console, and what other sites cannot make them do; who may do what: permissions.test.ts.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { CLIENT } from '../../samples.ts';
import { PASSWORD, startService } from '../pages/running-service.ts';
import { Visitor } from '../pages/visitor.ts';
import { ConsoleScene } from './scene.ts';

let scene: ConsoleScene;
before(async () => {
  scene = await ConsoleScene.open();
});
after(() => scene?.stop());

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

test('who must sign in again to act finds the page again', async () => {
  const olga = await scene.visitor('olga', 'passkey', 601);
  for (const { text } of [await olga.get(DISABLE), await olga.post(DISABLE)])
    assert.match(text, new RegExp(`name="go_on" value="${DISABLE}"`));
});

test('who is signed in by password only is led to a better sign-in, and back', async () => {
  const olga = await scene.visitor('olga', 'password');
  const { text } = await olga.get('/console');
  const [, path = ''] = /A password alone may only look.* href="([^"]+)">Sign in</.exec(text) ?? [];
  assert.match((await olga.get(path)).text, /name="go_on" value="\/console"/);
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

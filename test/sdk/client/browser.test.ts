// `browser`, the way of `tessera login` where a browser is at hand, against the real service.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { browser } from '../../../sdk/client/src/by/browser.ts';
import { device, memoryStore, TokenFailure, tokenSource } from '../../../sdk/client/src/client.ts';
import { startProvider } from '../../directory/oidc/provider.ts';
import { AGENT, decisionOf } from '../../doors/pages/asking-program.ts';
import { ORDERS, startService } from '../../doors/pages/running-service.ts';
import { signedIn, type Visitor } from '../../doors/pages/visitor.ts';
import { given, prepare } from '../../given.ts';

let ada: Visitor;
const service = given(() => startService({ integrations: [AGENT, ORDERS] }));
prepare(async () => {
  ada = await signedIn(service);
});

function source(
  visit: (address: string) => Promise<unknown>,
  { clientId = 'coder', withinSeconds = 60, otherwise = device({ show: () => undefined }) } = {},
  at = service,
) {
  const show = (address: string) => void visit(address);
  const by = browser({ show, open: () => undefined, scope: 'orders:read', otherwise, withinSeconds });
  const { url: server, authority: ca } = at;
  return tokenSource({ server, clientId, by, ca, store: memoryStore(), timeoutSeconds: 5 });
}

/** Where the service sends the browser after the person has decided. */
async function decided(address: string, decision = 'confirm'): Promise<string> {
  const { text } = await ada.get(address.slice(service.url.length));
  return (await ada.post('/oauth2/authorize', decisionOf(text, decision))).headers.location ?? '';
}

const refused = (reason: string, text: RegExp) => (error: unknown) =>
  error instanceof TokenFailure && error.reason === reason && text.test(error.message);

suite('a login with the browser of this computer', () => {
  test('gets tokens when the browser comes back', async () => {
    const login = source(async (address) => {
      const back = await fetch(await decided(address));
      assert.match(await back.text(), /close this page/);
    }).login();
    assert.equal((await login).scope, 'orders:read');
  });

  test('fails if the person denies', async () => {
    const login = source(async (address) => fetch(await decided(address, 'deny'))).login();
    await assert.rejects(login, refused('refused', /denied/));
  });

  test('shows a code instead if the integration has no redirect URI', async () => {
    let isCodeShown = false;
    const ending = new AbortController();
    const otherwise = device({
      show: () => {
        isCodeShown = true;
        ending.abort();
      },
    });
    const login = source(async () => assert.fail('no browser'), { clientId: 'orders-sync', otherwise });
    await assert.rejects(login.login({ signal: ending.signal }));
    assert.ok(isCodeShown);
  });

  test('begins at the provider where people sign in nowhere else', async () => {
    await using provider = await startProvider();
    const sets = [`directories=${JSON.stringify([provider.directory('sso')])}`, 'signIn.passwords=false'];
    await using alone = await startService({ sets, integrations: [AGENT] });
    provider.serve(alone.url, 'sso');
    const otherwise = device({ show: () => assert.fail('a code is shown') });
    const login = source(async () => undefined, { withinSeconds: 0.05, otherwise }, alone).login();
    await assert.rejects(login, refused('login-needed', /Nobody confirmed in time/));
  });
});

// `browser`, the way of `tessera login` where a browser is at hand, against the real service.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { after, before, suite, test } from 'node:test';
import { browser, hasBrowser } from '../../../sdk/client/src/by/browser.ts';
import { device, memoryStore, TokenFailure, tokenSource } from '../../../sdk/client/src/client.ts';
import { startProvider } from '../../directory/oidc/provider.ts';
import { AGENT, decisionOf } from '../../doors/pages/asking-program.ts';
import { ORDERS, type RunningService, startService } from '../../doors/pages/running-service.ts';
import { signedIn, type Visitor } from '../../doors/pages/visitor.ts';

let service: RunningService;
let ada: Visitor;
before(async () => {
  service = await startService({ integrations: [AGENT, ORDERS] });
  ada = await signedIn(service);
});
after(() => service?.stop());

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

/** Of a path that `fetch` would rewrite. */
async function statusOf({ hostname, port }: URL, path: string): Promise<number | undefined> {
  const [response] = (await once(request({ hostname, port, path }).end(), 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

const refused = (reason: string, text: RegExp) => (error: unknown) =>
  error instanceof TokenFailure && error.reason === reason && text.test(error.message);

suite('a login with the browser of this computer', () => {
  test('gets tokens when the browser comes back; requests without its state change nothing', async () => {
    const login = source(async (address) => {
      const { searchParams } = new URL(address);
      const forged = await fetch(`${searchParams.get('redirect_uri')}?code=stolen&state=other&iss=${service.url}`);
      assert.equal(forged.status, 404);
      assert.equal(await statusOf(new URL(searchParams.get('redirect_uri') ?? ''), '//'), 404);
      const back = await fetch(await decided(address));
      assert.match(await back.text(), /close this page/);
    }).login();
    assert.equal((await login).scope, 'orders:read');
  });

  test('fails if nobody confirms in time', async () => {
    const login = source(async () => undefined, { withinSeconds: 0.05 }).login();
    await assert.rejects(login, refused('login-needed', /Nobody confirmed in time/));
  });

  test('fails if the person denies', async () => {
    const login = source(async (address) => fetch(await decided(address, 'deny'))).login();
    await assert.rejects(login, refused('refused', /denied/));
  });

  test('fails if the response is of another server [RFC 9207 2.4]', async () => {
    const login = source(async (address) => {
      const back = new URL(await decided(address));
      back.searchParams.set('iss', 'https://evil.example');
      await fetch(back);
    }).login();
    await assert.rejects(login, refused('refused', /another server/));
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

  test('begins at the provider where people sign in nowhere else', async (t) => {
    const provider = await startProvider();
    t.after(() => provider.stop());
    const sets = [`directories=${JSON.stringify([provider.directory('sso')])}`, 'signIn.passwords=false'];
    const alone = await startService({ sets, integrations: [AGENT] });
    t.after(() => alone.stop());
    provider.serve(alone.url, 'sso');
    const otherwise = device({ show: () => assert.fail('a code is shown') });
    const login = source(async () => undefined, { withinSeconds: 0.05, otherwise }, alone).login();
    await assert.rejects(login, refused('login-needed', /Nobody confirmed in time/));
  });

  test('is not tried over SSH, in CI, or without a terminal', () => {
    for (const env of [{ SSH_CONNECTION: 'x', DISPLAY: ':0' }, { CI: 'true', DISPLAY: ':0' }, {}])
      assert.ok(!hasBrowser(env));
  });
});

// Sign-in at an OpenID provider: what a browser, and somebody who tampers with it, get.
import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';
import { startCode, verdict } from '../../doors/pages/calling-device.ts';
import { type RunningService, startService } from '../../doors/pages/running-service.ts';
import { SESSION_COOKIE, type Seen, signedIn, Visitor } from '../../doors/pages/visitor.ts';
import { AtProvider, startProvider, type TestProvider } from './provider.ts';

const PROVIDER_COOKIE = '__Host-tessera-provider';
let provider: TestProvider;
let service: RunningService;

before(async () => {
  provider = await startProvider();
  process.env['OTHER_SECRET'] = 'canary-not-the-secret';
  const other = provider.directory('other', { clientSecret: 'env:OTHER_SECRET' });
  const directories = [provider.directory('corp', { timeout: '1s' }), other];
  service = await startService({ sets: [`directories=${JSON.stringify(directories)}`] });
  provider.serve(service.url, 'corp', 'other');
  provider.accounts.set('grace', { preferred_username: 'grace', email: 'grace@corp.example', email_verified: true });
  provider.accounts.set('mallory', { preferred_username: 'mallory' });
});
after(async () => {
  await service?.stop();
  await provider?.stop();
});
afterEach(() => {
  provider.stuckAt = undefined;
});

/** Presses the button; the address at the provider. */
async function begin(visitor: Visitor, fields: Record<string, string> = {}, label = 'corp'): Promise<URL> {
  await visitor.get('/account/sign-in');
  const { status, headers } = await visitor.post(`/account/provider/${label}`, fields);
  assert.equal(status, 303);
  return new URL(headers.location ?? '');
}

/** Signs in there; the path with which the browser returns. */
async function there(url: URL, login = 'grace'): Promise<URL> {
  const back = await new AtProvider(provider).signIn(url.href, login);
  assert.equal(back.origin, service.url);
  return back;
}

const pathOf = (url: URL) => url.pathname + url.search;
const tokenRequests = () => provider.requested.filter((path) => path === '/token').length;

async function signInAs(login: string, visitor = new Visitor(service), label = 'corp'): Promise<Seen> {
  return visitor.get(pathOf(await there(await begin(visitor, {}, label), login)));
}

/** Nobody is signed in, and the page says what to do. */
async function refused(seen: Seen, visitor: Visitor): Promise<void> {
  assert.equal(seen.status, 403, seen.text);
  assert.match(seen.text, /You were not signed in/);
  assert.equal(visitor.cookies.has(SESSION_COOKIE), false);
  assert.equal((await visitor.get('/account')).headers.location, '/account/sign-in');
}

suite('sign-in at a provider', () => {
  test('the button leads there with PKCE, state and nonce, and back into an account with verified names', async () => {
    const visitor = new Visitor(service);
    assert.match((await visitor.get('/account/sign-in')).text, /Sign in with Example Corp/);
    const url = await begin(visitor);
    const asked = Object.fromEntries(url.searchParams);
    assert.deepEqual(
      [asked['response_type'], asked['code_challenge_method'], asked['redirect_uri']],
      ['code', 'S256', `${service.url}/account/provider/corp`],
    );
    assert.ok([asked['state'], asked['nonce'], asked['code_challenge']].every((text) => (text ?? '').length >= 43));
    const back = await there(url);
    const { status, headers } = await visitor.get(pathOf(back));
    assert.deepEqual([status, headers.location], [303, '/account']);
    assert.ok(!service.logged().includes(back.searchParams.get('code') ?? ''), 'the code is in no log');
    const account = await visitor.get('/account');
    assert.match(account.text, /Signed in as grace/);
    assert.doesNotMatch(account.text, /Change password/);
    assert.equal(visitor.cookies.has(PROVIDER_COOKIE), false);
    assert.doesNotMatch(service.logged(), /canary/);
  });

  test('inside the confirmation of a device, the request is shown after it, and the device gets its tokens', async () => {
    const code = await startCode(service);
    const visitor = new Visitor(service);
    await visitor.get('/device');
    const { headers } = await visitor.post('/device', { user_code: code.userCode });
    assert.match(
      (await visitor.get(headers.location ?? '')).text,
      new RegExp(`name="user_code" value="${code.userCode}"`),
    );
    const returned = await visitor.get(pathOf(await there(await begin(visitor, { user_code: code.userCode }))));
    assert.match(returned.headers.location ?? '', /^\/device\/[0-9a-f]{32}$/);
    const page = await visitor.get(returned.headers.location ?? '');
    assert.match(page.text, /grace/);
    await visitor.post(`${returned.headers.location}/confirm`);
    assert.equal(await verdict(service, code), 'ok');
  });

  test('a session of the browser is replaced by a new one, never continued', async () => {
    const visitor = await signedIn(service);
    const before = visitor.cookies.get(SESSION_COOKIE) ?? '';
    await visitor.get('/account');
    const { headers } = await visitor.post('/account/provider/corp');
    const url = new URL(headers.location ?? '');
    assert.equal(url.searchParams.get('max_age'), '0', 'somebody who is signed in proves it anew');
    await visitor.get(pathOf(await there(url)));
    assert.notEqual(visitor.cookies.get(SESSION_COOKIE), before);
    const old = new Visitor(service);
    old.cookies.set(SESSION_COOKIE, before);
    assert.equal((await old.get('/account')).status, 303, 'the old session has ended');
    // A value that somebody else has put there is not taken over either.
    const fixed = new Visitor(service);
    fixed.cookies.set(SESSION_COOKIE, 'A'.repeat(43));
    await signInAs('grace', fixed);
    assert.notEqual(fixed.cookies.get(SESSION_COOKIE), 'A'.repeat(43));
  });

  test('signing out ends the session here, and offers to end the one there', async () => {
    const visitor = new Visitor(service);
    await signInAs('grace', visitor);
    await visitor.get('/account');
    const { headers } = await visitor.post('/account/sign-out');
    assert.equal(headers.location, '/account/sign-in?done=signed-out&provider=corp');
    const page = await visitor.get(headers.location ?? '');
    assert.match(page.text, /href="\/account\/provider\/corp\/sign-out">Sign out of Example Corp too</);
    const out = new URL((await visitor.get('/account/provider/corp/sign-out')).headers.location ?? '');
    assert.equal(out.origin, provider.issuer);
    assert.equal(out.searchParams.get('post_logout_redirect_uri'), `${service.url}/account/sign-in?done=signed-out`);
  });
});

suite('a response is not accepted', () => {
  test('without the cookie of the browser that began, so that nobody is signed in as somebody else', async () => {
    const mallory = new Visitor(service);
    const back = await there(await begin(mallory), 'mallory');
    const victim = new Visitor(service);
    await victim.get('/account/sign-in');
    await refused(await victim.get(pathOf(back)), victim);
    await begin(victim);
    await refused(await victim.get(pathOf(back)), victim);
  });

  test('a second time, with the cookie and a code that is still good', async () => {
    const visitor = new Visitor(service);
    const url = await begin(visitor);
    const cookie = visitor.cookies.get(PROVIDER_COOKIE) ?? '';
    const [first, second] = [await there(url), await there(url)];
    assert.equal((await visitor.get(pathOf(first))).status, 303);
    const again = new Visitor(service);
    again.cookies.set(PROVIDER_COOKIE, cookie);
    await refused(await again.get(pathOf(second)), again);
    await refused(await again.get(pathOf(first)), again);
  });

  test('with a code that was issued to another browser', async () => {
    const mallory = new Visitor(service);
    const stolen = (await there(await begin(new Visitor(service)))).searchParams.get('code') ?? '';
    const own = await there(await begin(mallory), 'mallory');
    own.searchParams.set('code', stolen);
    await refused(await mallory.get(pathOf(own)), mallory);
  });

  test('without the nonce that was sent', async () => {
    const visitor = new Visitor(service);
    const url = await begin(visitor);
    url.searchParams.delete('nonce');
    await refused(await visitor.get(pathOf(await there(url))), visitor);
    const changed = await begin(visitor);
    changed.searchParams.set('nonce', 'f'.repeat(64));
    await refused(await visitor.get(pathOf(await there(changed))), visitor);
  });

  test('of another issuer, of none, or at the address of another provider: no code is sent anywhere', async () => {
    for (const tamper of [
      (back: URL) => back.searchParams.set('iss', 'https://evil.example'),
      (back: URL) => back.searchParams.delete('iss'),
      (back: URL) => Object.assign(back, { pathname: '/account/provider/other' }),
      (back: URL) => back.searchParams.append('code', 'another'),
      (back: URL) => back.searchParams.set('state', 'f'.repeat(64)),
      (back: URL) => back.searchParams.delete('state'),
    ]) {
      const visitor = new Visitor(service);
      const back = await there(await begin(visitor));
      const sent = tokenRequests();
      tamper(back);
      await refused(await visitor.get(pathOf(back)), visitor);
      assert.equal(tokenRequests(), sent, String(tamper));
    }
  });

  test('ten minutes later, or after the person cancelled', async () => {
    const visitor = new Visitor(service);
    const back = await there(await begin(visitor));
    service.advance(600);
    await refused(await visitor.get(pathOf(back)), visitor);
    const cancelled = await begin(visitor);
    const state = cancelled.searchParams.get('state') ?? '';
    const denial = new URLSearchParams({ error: 'access_denied', state, iss: provider.issuer });
    await refused(await visitor.get(`/account/provider/corp?${denial}`), visitor);
  });

  test('with a cookie that the person has changed', async () => {
    const visitor = new Visitor(service);
    const back = await there(await begin(visitor));
    const cookie = JSON.parse(Buffer.from(visitor.cookies.get(PROVIDER_COOKIE) ?? '', 'base64url').toString());
    const changed = JSON.stringify({ ...cookie, begunAt: cookie.begunAt + 600 });
    visitor.cookies.set(PROVIDER_COOKIE, Buffer.from(changed).toString('base64url'));
    await refused(await visitor.get(pathOf(back)), visitor);
  });
});

suite('the way back', () => {
  test('is always one of our own pages', async () => {
    for (const [fields, expected] of [
      [{ request: 'https://evil.example/' }, /^\/oauth2\/authorize\?/],
      [{ request: '//evil.example' }, /^\/oauth2\/authorize\?/],
      [{ user_code: '//evil.example' }, /^\/account$/],
      [{ return_to: 'https://evil.example' }, /^\/account$/],
    ] as const) {
      const visitor = new Visitor(service);
      const { headers } = await visitor.get(pathOf(await there(await begin(visitor, fields))));
      assert.match(headers.location ?? '', expected);
    }
  });

  test('a form of another site begins nothing, and an unknown directory is not found', async () => {
    const visitor = new Visitor(service);
    await visitor.get('/account/sign-in');
    assert.equal((await visitor.post('/account/provider/corp', { form_token: 'f'.repeat(64) })).status, 403);
    assert.equal((await visitor.post('/account/provider/nobody')).status, 404);
    assert.equal((await visitor.get('/account/provider/local?code=a&state=b')).status, 404);
    assert.equal((await visitor.post('/account/provider/corp', { request: 'a'.repeat(4_000) })).status, 403);
  });
});

suite('a provider that', () => {
  test('is slow when the code is redeemed: the page says so in time, and the person can try again', async () => {
    const visitor = new Visitor(service);
    const back = await there(await begin(visitor));
    provider.stuckAt = '/token';
    const slow = await visitor.get(pathOf(back));
    assert.equal(slow.status, 503);
    assert.match(slow.text, /directory cannot be reached/);
    provider.stuckAt = undefined;
    assert.equal((await signInAs('grace', visitor)).status, 303);
  });

  test('refuses the secret of the service: nobody signs in, and the log has the reason but no secret', async () => {
    const visitor = new Visitor(service);
    const back = await there(await begin(visitor, {}, 'other'));
    await refused(await visitor.get(pathOf(back)), visitor);
    assert.match(service.logged(), /HTTP 401/);
    assert.doesNotMatch(service.logged(), /canary/);
  });

  test('names another issuer in its metadata: nobody is sent there, and the log says why', async () => {
    await service.restart();
    provider.nameAnother('https://evil.example');
    const visitor = new Visitor(service);
    await visitor.get('/account/sign-in');
    const { status, text } = await visitor.post('/account/provider/corp');
    provider.serve(service.url, 'corp', 'other');
    assert.deepEqual([status, /directory cannot be reached/.test(text)], [503, true]);
    assert.match(service.logged(), new RegExp(`${provider.issuer}: .*issuer`));
    await service.restart();
    assert.equal((await signInAs('grace')).status, 303);
  });

  test('is away: sign-in there says so, local accounts still sign in, and it works once it is back', async () => {
    await service.restart();
    await provider.stop();
    try {
      const visitor = new Visitor(service);
      await visitor.get('/account/sign-in');
      for (const _ of [1, 2]) assert.equal((await visitor.post('/account/provider/corp')).status, 503);
      assert.equal((await visitor.signIn()).status, 303);
    } finally {
      await provider.start();
    }
    await service.restart();
    assert.equal((await signInAs('grace')).status, 303);
  });
});

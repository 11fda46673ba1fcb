// What strangers send to the pages: forged forms, redirects, markup, too many requests.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { post } from './calling-device.ts';
import { type RunningService, startService } from './running-service.ts';
import { signedIn, Visitor } from './visitor.ts';

let service: RunningService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

suite('every form needs the token of its own browser session', () => {
  const FORMS = [
    '/device',
    '/device/00000000000000000000000000000000/confirm',
    '/device/00000000000000000000000000000000/deny',
    '/account/sign-in',
    '/account/sign-out',
    '/account/sign-out-everywhere',
    '/account/password',
    '/account/grants/revoke',
    '/account/grants/00000000000000000000000000000000/revoke',
  ];
  for (const path of FORMS) {
    test(`${path}: missing, foreign or sent from another site → 403, nothing done`, async () => {
      const visitor = await signedIn(service);
      await visitor.get('/account');
      const bob = await signedIn(service, 'bob');
      await bob.get('/account');
      assert.equal((await visitor.post(path, { form_token: '' })).status, 403);
      assert.equal((await visitor.post(path, { form_token: bob.formToken })).status, 403);
      assert.equal((await visitor.post(path, {}, { 'sec-fetch-site': 'cross-site' })).status, 403);
      assert.equal((await visitor.post(path, {}, { origin: 'https://evil.example' })).status, 403);
      assert.equal((await visitor.get('/account')).status, 200, 'still signed in');
    });
  }

  test('an older browser names the origin of the page, or with our referrer policy null: its forms are taken', async () => {
    for (const origin of [new URL(service.url).origin, 'null']) {
      const visitor = await signedIn(service);
      await visitor.get('/account');
      assert.equal((await visitor.post('/account/sign-out', {}, { origin })).status, 303, origin);
    }
  });

  test('a form token ends with its session', async () => {
    const visitor = await signedIn(service);
    await visitor.get('/account');
    const stale = visitor.formToken;
    await visitor.post('/account/sign-out');
    await visitor.signIn();
    await visitor.get('/account');
    assert.equal((await visitor.post('/account/grants/revoke', { form_token: stale })).status, 403);
  });

  test('a duplicate form token, or a body that is not a form, is refused as unreadable', async () => {
    const visitor = await signedIn(service);
    await visitor.get('/account');
    const twice = await visitor.post(`/account/grants/revoke?x`, {}, { 'content-type': 'application/json' });
    assert.equal(twice.status, 400);
  });
});

suite('open redirect', () => {
  test('no parameter of any page leads away from this site', async () => {
    const evil = encodeURIComponent('https://evil.example//');
    const visitor = await signedIn(service);
    await visitor.get('/account');
    for (const path of [
      `/account/sign-in?next=${evil}&user_code=${evil}&done=${evil}`,
      `/device/qr?user_code=${evil}`,
      `/device/${evil}`,
    ]) {
      const { headers, text } = await visitor.get(path);
      assert.match(headers.location ?? '/device', /^\/(?:device|account)/, path);
      assert.doesNotMatch(text, /evil\.example/, path);
    }
    const { headers } = await visitor.post('/device', {
      user_code: 'https://evil.example',
      next: 'https://evil.example',
    });
    assert.match(headers.location ?? '/device', /^\/device/);
  });
});

suite('hostile text', () => {
  test('markup in a user agent or a name is shown as text', async () => {
    const evil = '"><script>alert(1)</script>';
    const { body } = await post(
      service,
      '/authsvc/Authorize/Device',
      { client_id: 'orders-sync', scope: 'orders:read' },
      { 'user-agent': evil },
    );
    const ada = await signedIn(service);
    const path = await ada.enterCode(String(body['user_code']));
    const { text } = await ada.get(path);
    assert.match(text, /&lt;script&gt;alert\(1\)/);
    assert.doesNotMatch(text, /<script/);
    const failed = await new Visitor(service).signIn(evil, 'wrong');
    assert.doesNotMatch(failed.text, /<script(?! type="module" src="\/account\/assets\/)/);
  });

  test('control characters in a name, repeated fields and huge forms get a plain refusal', async () => {
    const visitor = new Visitor(service);
    assert.equal((await visitor.signIn('a\u0000b\r\nc', 'wrong')).status, 403);
    assert.equal((await visitor.post('/account/sign-in', { password: 'x'.repeat(100_000) })).status, 413);
  });
});

suite('limits', () => {
  test('requests over an address’s rate limit get an HTML 429 that says how long to wait', async () => {
    const slow = await startService({
      sets: ['limits.requestsPerAddress.burst=2', 'limits.requestsPerAddress.perMinute=1'],
    });
    try {
      const visitor = new Visitor(slow);
      const statuses = [];
      for (let count = 0; count < 3; count++) statuses.push((await visitor.get('/device')).status);
      assert.deepEqual(statuses, [200, 200, 429]);
      const { headers, text } = await visitor.get('/device');
      assert.ok(Number(headers['retry-after']) > 0);
      assert.match(text, /Too many requests/);
    } finally {
      await slow.stop();
    }
  });
});

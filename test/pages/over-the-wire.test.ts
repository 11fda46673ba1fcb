// What the pages door promises on the wire: headers, cookies, forms, and what never appears anywhere.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { identities } from '../../src/store/tables/identities.ts';
import { attempts } from '../../src/store/tables/sign-in.ts';
import { poll, post, startCode, verdict } from './calling-device.ts';
import { ADA, PASSWORD, type RunningService, startService } from './running-service.ts';
import { Visitor } from './visitor.ts';

let service: RunningService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

async function signedIn(userName = 'ada'): Promise<Visitor> {
  const visitor = new Visitor(service);
  const { status } = await visitor.signIn(userName);
  assert.equal(status, 303);
  return visitor;
}

suite('headers of pages', () => {
  test('open redirect, clickjacking: strict CSP, no framing, no referrer, nothing kept', async () => {
    const { headers } = await new Visitor(service).get('/device');
    assert.equal(
      headers['content-security-policy'],
      "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
    assert.equal(headers['x-frame-options'], 'DENY');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['referrer-policy'], 'no-referrer');
    assert.equal(headers['cache-control'], 'no-store');
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
  });

  test('refusals are pages with the same headers, in the language of the visit', async () => {
    const { status, headers, text } = await new Visitor(service, { 'accept-language': 'de' }).get('/account/nothing');
    assert.equal(status, 404);
    assert.match(text, /<html lang="de">[\s\S]*Hier ist nichts/);
    assert.equal(headers['x-frame-options'], 'DENY');
  });

  test('a wrong method on a page is a page, 405, and says which are allowed', async () => {
    const { status, headers, text } = await new Visitor(service).post('/account');
    assert.equal(status, 405);
    assert.equal(headers.allow, 'GET');
    assert.match(text, /<!doctype html>/);
  });

  test('a path outside the pages stays JSON', async () => {
    const { headers } = await new Visitor(service).get('/accountant');
    assert.match(String(headers['content-type']), /json/);
  });

  test('paths match in any letter case, with one trailing slash tolerated', async () => {
    for (const path of ['/Device', '/DEVICE/', '/account/Sign-In/']) {
      assert.equal((await new Visitor(service).get(path)).status, 200, path);
    }
  });

  test('assets have the hash of their content in the address and are kept for a year', async () => {
    const visitor = new Visitor(service);
    const { text } = await visitor.get('/device');
    const assets = [...text.matchAll(/(?:href|src)="(\/account\/assets\/[^"]+)"/g)].map((match) => match[1] ?? '');
    assert.equal(new Set(assets).size, 2);
    for (const path of assets) {
      const { status, headers } = await visitor.get(path);
      assert.equal(status, 200);
      assert.match(path, /\/[0-9a-f]{16}\//);
      assert.match(String(headers['cache-control']), /max-age=31536000, immutable/);
    }
  });

  test('no page holds script, inline style or an address elsewhere', async () => {
    const visitor = await signedIn();
    const path = await visitor.enterCode((await startCode(service)).userCode);
    for (const page of [
      '/device',
      '/account',
      '/account/password',
      path,
      '/device/qr?user_code=WDJB-MJHT',
      '/device?user_code=WDJB-MJHT',
    ]) {
      const { text } = await visitor.get(page);
      assert.doesNotMatch(text, /<script|\son\w+=|\sstyle=|<style|javascript:/i, page);
      assert.doesNotMatch(text, /(?:href|src|action)="(?!\/|#)/, page);
    }
  });
});

suite('sessions', () => {
  test('the cookie is __Host-, HttpOnly, Secure, SameSite=Lax, and new at every sign-in', async () => {
    const visitor = new Visitor(service);
    const first = (await visitor.signIn()).headers['set-cookie'] ?? [];
    assert.match(first.join('\n'), /__Host-tessera=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure/);
    const cookie = visitor.cookies.get('__Host-tessera');
    await visitor.get('/account');
    await visitor.post('/account/sign-out');
    await visitor.signIn();
    assert.notEqual(visitor.cookies.get('__Host-tessera'), cookie);
  });

  test('a cookie set beforehand is not taken over at sign-in (fixation)', async () => {
    const visitor = new Visitor(service);
    const planted = Buffer.alloc(32, 7).toString('base64url');
    visitor.cookies.set('__Host-tessera', planted);
    await visitor.signIn();
    assert.notEqual(visitor.cookies.get('__Host-tessera'), planted);
  });

  test('signing out ends the session on the server, not only in the browser', async () => {
    const visitor = await signedIn();
    const cookie = visitor.cookies.get('__Host-tessera') ?? '';
    await visitor.get('/account');
    await visitor.post('/account/sign-out');
    assert.equal(visitor.cookies.has('__Host-tessera'), false);
    const thief = new Visitor(service);
    thief.cookies.set('__Host-tessera', cookie);
    assert.equal((await thief.get('/account')).status, 303);
  });

  test('signing out everywhere ends every session of the person and of nobody else', async () => {
    const [here, there, bob] = [await signedIn(), await signedIn(), await signedIn('bob')];
    await here.get('/account');
    await here.post('/account/sign-out-everywhere');
    assert.equal((await there.get('/account')).status, 303);
    assert.equal((await bob.get('/account')).status, 200);
  });

  test('a session survives a restart', async () => {
    const visitor = await signedIn();
    await service.restart();
    assert.equal((await visitor.get('/account')).status, 200);
  });

  test('a session ends when idle, and eight hours after sign-in whatever happens', async () => {
    const idle = await signedIn();
    const busy = await signedIn();
    for (let minutes = 0; minutes < 8 * 60; minutes += 10) {
      assert.equal((await busy.get('/account/password')).status, 200, `after ${minutes} minutes`);
      service.advance(600);
    }
    assert.equal((await idle.get('/account')).status, 303);
    assert.equal((await busy.get('/account')).status, 303);
  });

  test('a disabled identity is signed out at once', async () => {
    const visitor = await signedIn('bob');
    const change = (enabled: boolean) =>
      service.store.change(identities, 'local:{00000000-0000-4000-8000-bbbbbbbbbbbb}', (found) => ({
        outcome: undefined,
        ...(found && { next: { ...found.row, enabled } }),
      }));
    await change(false);
    assert.equal((await visitor.get('/account')).status, 303);
    await change(true);
  });
});

suite('missing CSRF: every form needs the token of its own browser session', () => {
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
      const visitor = await signedIn();
      await visitor.get('/account');
      const bob = await signedIn('bob');
      await bob.get('/account');
      assert.equal((await visitor.post(path, { form_token: '' })).status, 403);
      assert.equal((await visitor.post(path, { form_token: bob.formToken })).status, 403);
      assert.equal((await visitor.post(path, {}, { 'sec-fetch-site': 'cross-site' })).status, 403);
      assert.equal((await visitor.get('/account')).status, 200, 'still signed in');
    });
  }

  test('a token is stale once its session has ended', async () => {
    const visitor = await signedIn();
    await visitor.get('/account');
    const stale = visitor.formToken;
    await visitor.post('/account/sign-out');
    await visitor.signIn();
    await visitor.get('/account');
    assert.equal((await visitor.post('/account/grants/revoke', { form_token: stale })).status, 403);
  });

  test('a token given twice, or a body that is no form, is refused as unreadable', async () => {
    const visitor = await signedIn();
    await visitor.get('/account');
    const twice = await visitor.post(`/account/grants/revoke?x`, {}, { 'content-type': 'application/json' });
    assert.equal(twice.status, 400);
  });
});

suite('open redirect', () => {
  test('no parameter of any page leads away from this site', async () => {
    const evil = encodeURIComponent('https://evil.example//');
    const visitor = await signedIn();
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

suite('any signed-in session could confirm', () => {
  test('only the browser session that entered the code confirms or denies it', async () => {
    const code = await startCode(service);
    const ada = await signedIn();
    const path = await ada.enterCode(code.userCode);
    for (const other of [await signedIn('bob'), await signedIn('ada')]) {
      await other.get('/account');
      assert.equal((await other.get(path)).status, 403);
      assert.equal((await other.post(`${path}/confirm`)).status, 403);
      assert.equal((await other.post(`${path}/deny`)).status, 403);
      assert.equal((await other.post('/device', { user_code: code.userCode })).status, 403);
    }
    assert.equal(await verdict(service, code), 'authorization_pending');
    await ada.get(path);
    assert.equal((await ada.post(`${path}/confirm`)).status, 303);
    assert.equal(await verdict(service, code), 'ok');
  });

  test('no GET confirms, denies, revokes or signs out', async () => {
    const code = await startCode(service);
    const ada = await signedIn();
    const path = await ada.enterCode(code.userCode);
    for (const tail of ['/confirm', '/deny']) assert.equal((await ada.get(path + tail)).status, 404);
    assert.equal((await ada.get('/account/sign-out')).status, 405);
    assert.equal(await verdict(service, code), 'authorization_pending');
  });
});

suite('deny, back, confirm', () => {
  test('a decision is final, whatever is sent afterwards', async () => {
    const code = await startCode(service);
    const ada = await signedIn();
    const path = await ada.enterCode(code.userCode);
    await ada.post(`${path}/deny`);
    assert.equal((await ada.post(`${path}/confirm`)).status, 409);
    assert.equal((await ada.post('/device', { user_code: code.userCode })).status, 409);
    assert.equal(await verdict(service, code), 'unauthorized_client');
  });
});

suite('the spec’s device states, by hand', () => {
  test('disabled server-wide → invalid_client, for the start, the pending code and the page', async () => {
    const off = await startService({ sets: ['device.enabled=false'] });
    try {
      const { body } = await post(off, '/authsvc/Authorize/Device', { client_id: 'orders-sync', scope: 'orders:read' });
      assert.equal(body['Error'], 'invalid_client');
    } finally {
      await off.stop();
    }
  });

  test('failed sign-ins with a code spend it → invalid_grant, and the page says so', async () => {
    const code = await startCode(service);
    for (let tries = 0; tries < 5; tries++) {
      assert.equal(await verdict(service, code), 'authorization_pending');
      await new Visitor(service).signIn('eve', 'wrong', { user_code: code.userCode });
    }
    assert.equal(await verdict(service, code), 'invalid_grant');
    const ada = await signedIn();
    await ada.get('/device');
    const { status, text } = await ada.post('/device', { user_code: code.userCode });
    assert.equal(status, 410);
    assert.match(text, /no longer works/);
    service.advance(900);
  });
});

suite('password stuffing', () => {
  test('the same answer for an unknown name, a wrong password and a disabled identity', async () => {
    const answers = await Promise.all(
      ['nobody', 'ada'].map(async (name) => {
        const { status, text } = await new Visitor(service).signIn(name, 'wrong-password');
        return { status, text: text.replaceAll(name, 'NAME').replace(/name="form_token" value="[^"]+"/, '') };
      }),
    );
    assert.deepEqual(answers[0], answers[1]);
  });

  test('and about the same time', async () => {
    const visitor = new Visitor(service);
    await visitor.get('/account/sign-in');
    const times: Record<string, number[]> = { nobody: [], ada: [] };
    for (let round = 0; round < 7; round++) {
      for (const [name, taken] of Object.entries(times)) {
        const begun = performance.now();
        await visitor.post('/account/sign-in', { user_name: name, password: 'wrong' });
        taken.push(performance.now() - begun);
      }
    }
    const [nobody = 0, ada = 0] = Object.values(times).map((taken) => taken.toSorted((a, b) => a - b)[3]);
    assert.ok(nobody / ada < 1.6 && ada / nobody < 1.6, `${nobody} ms against ${ada} ms`);
    service.advance(900);
  });

  test('ten failures per name lock that name, right password or wrong, from any address; then time opens it', async () => {
    for (let tries = 0; tries < 10; tries++) await new Visitor(service).signIn('bob', 'wrong');
    const { status, headers } = await new Visitor(service).signIn('bob');
    assert.equal(status, 429);
    assert.equal(headers['retry-after'], '900');
    assert.equal((await new Visitor(service).signIn('ada')).status, 303, 'other names are not locked');
    service.advance(900);
    assert.equal((await new Visitor(service).signIn('bob')).status, 303);
  });

  test('an address over its limit cannot use up the tries of a name', async () => {
    const strict = await startService({ sets: ['signIn.failedPerAddress=3'] });
    try {
      for (let tries = 0; tries < 30; tries++) await new Visitor(strict).signIn('ada', 'wrong');
      strict.advance(600);
      assert.equal((await new Visitor(strict).signIn('ada')).status, 429);
      const { found } = await strict.store.load(attempts, 'sign-in as ada');
      assert.equal(found?.row.count, 3);
    } finally {
      await strict.stop();
    }
  });
});

suite('changing the password', () => {
  const NEXT = 'canary-another-long-password';

  test('needs the current one, at least 12 characters, typed twice; ends all other sessions', async () => {
    const [here, there] = [await signedIn(), await signedIn()];
    await here.get('/account/password');
    const change = (current: string, next: string, repeated = next) =>
      here.post('/account/password', { current, next, repeated });
    assert.match((await change('wrong-password', NEXT)).text, /current password is wrong/);
    assert.match((await change(PASSWORD, 'short')).text, /too short/);
    assert.match((await change(PASSWORD, 'x'.repeat(1025))).text, /too long/);
    assert.match((await change(PASSWORD, NEXT, `${NEXT}!`)).text, /differ/);
    assert.match((await change(PASSWORD, PASSWORD)).text, /current one/);
    const old = here.cookies.get('__Host-tessera');
    assert.equal((await change(PASSWORD, NEXT)).headers.location, '/account?done=password-changed');
    assert.notEqual(here.cookies.get('__Host-tessera'), old);
    assert.equal((await here.get('/account')).status, 200);
    assert.equal((await there.get('/account')).status, 303);
    assert.equal((await new Visitor(service).signIn('ada')).status, 403);
    assert.equal((await new Visitor(service).signIn('ada', NEXT)).status, 303);
    await here.get('/account/password');
    await change(NEXT, PASSWORD);
    service.advance(900);
  });
});

suite('my grants', () => {
  test('nobody revokes a grant of somebody else', async () => {
    const code = await startCode(service);
    const ada = await signedIn();
    await ada.post(`${await ada.enterCode(code.userCode)}/confirm`);
    const { body } = await poll(service, code);
    const page = await ada.get('/account');
    const action = /action="(\/account\/grants\/[0-9a-f]{32}\/revoke)"/.exec(page.text)?.[1] ?? '';
    const bob = await signedIn('bob');
    await bob.get('/account');
    assert.equal((await bob.post(action)).headers.location, '/account?done=revoked-before');
    await bob.post('/account/grants/revoke');
    const refresh = () =>
      post(service, '/authsvc/Authorize/Token', {
        client_id: 'orders-sync',
        refresh_token: String(body['refresh_token']),
      });
    assert.equal((await refresh()).status, 200);
    assert.equal((await ada.post(action)).headers.location, '/account?done=revoked');
    assert.equal((await refresh()).body['Error'], 'invalid_grant');
  });

  test('twenty-five grants make two pages, and revoking all ends them all', async () => {
    const ada = await signedIn();
    for (let count = 0; count < 25; count++) {
      const code = await startCode(service);
      await ada.post(`${await ada.enterCode(code.userCode)}/confirm`);
      await poll(service, code);
    }
    const first = await ada.get('/account');
    const second = await ada.get('/account?page=2');
    const cards = (text: string) => text.split('class="card grant"').length - 1;
    assert.equal(cards(first.text), 20);
    assert.equal(cards(second.text), 5);
    assert.equal((await ada.post('/account/grants/revoke')).headers.location, '/account?done=revoked-all');
    assert.match((await ada.get('/account')).text, /Nothing acts in your name/);
  });

  test('recent events are my newest, newest first, and nobody else’s', async () => {
    const ada = await signedIn();
    const { text } = await ada.get('/account');
    assert.equal(text.split('class="event-what"').length - 1, 20);
    assert.match(text, /Grant revoked<\/span> <span class="small">by you/);
    const bob = await signedIn('bob');
    assert.match((await bob.get('/account')).text, /Nothing has happened yet/);
  });
});

suite('texts that attack', () => {
  test('a user agent and a name full of markup are shown, not obeyed', async () => {
    const evil = '"><script>alert(1)</script>';
    const { body } = await post(
      service,
      '/authsvc/Authorize/Device',
      { client_id: 'orders-sync', scope: 'orders:read' },
      { 'user-agent': evil },
    );
    const ada = await signedIn();
    const path = await ada.enterCode(String(body['user_code']));
    const { text } = await ada.get(path);
    assert.match(text, /&lt;script&gt;alert\(1\)/);
    assert.doesNotMatch(text, /<script/);
    const failed = await new Visitor(service).signIn(evil, 'wrong');
    assert.doesNotMatch(failed.text, /<script/);
  });

  test('control characters in a name, repeated fields and huge forms are refused calmly', async () => {
    const visitor = new Visitor(service);
    assert.equal((await visitor.signIn('a\u0000b\r\nc', 'wrong')).status, 403);
    assert.equal((await visitor.post('/account/sign-in', { password: 'x'.repeat(100_000) })).status, 413);
  });
});

suite('limits', () => {
  test('requests beyond the rate of an address get a page, 429, that says how long to wait', async () => {
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

suite('canary', () => {
  test('no page, header or log line ever held a device code, a token or a password', async () => {
    const seen: string[] = [];
    const code = await startCode(service);
    const ada = new Visitor(service);
    const note = async (answer: Promise<{ headers: object; text: string }>) => {
      const { headers, text } = await answer;
      seen.push(JSON.stringify(headers), text);
    };
    await note(ada.get(`/device?user_code=${code.userCode}`));
    await note(ada.signIn('ada', 'canary-wrong-password', { user_code: code.userCode }));
    await note(ada.signIn());
    const path = await ada.enterCode(code.userCode);
    await note(ada.get(path));
    await note(ada.post(`${path}/confirm`));
    const { body } = await poll(service, code);
    await note(ada.get(path));
    await note(ada.get('/account'));
    await note(ada.get('/account/password'));
    await note(ada.post('/account/password', { current: PASSWORD, next: PASSWORD, repeated: PASSWORD }));
    const secrets = [
      code.deviceCode,
      String(body['access_token']),
      String(body['refresh_token']),
      PASSWORD,
      'canary-wrong-password',
      'canary-another-long-password',
    ];
    const haystack = seen.join('\n') + service.logged();
    assert.match(haystack, new RegExp(ADA.id), 'the log was read');
    for (const secret of secrets) {
      const bytes = Buffer.from(secret);
      for (const form of [
        secret,
        secret.slice(0, 20),
        encodeURIComponent(secret),
        bytes.toString('base64'),
        bytes.toString('hex'),
      ]) {
        assert.ok(!haystack.includes(form), `found ${form.slice(0, 12)}…`);
      }
    }
    const cookie = ada.cookies.get('__Host-tessera') ?? '';
    assert.ok(!service.logged().includes(cookie), 'the session cookie is in the log');
    assert.ok(!service.logged().includes(code.userCode), 'a user code is in the log');
  });
});

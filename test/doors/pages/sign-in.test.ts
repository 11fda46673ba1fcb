// Signing in, sessions and passwords, as the server sees them.

import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { median } from '../../../lab/quantiles.ts';
import { setPassword } from '../../../src/operations/admin/identities.ts';
import { identities } from '../../../src/store/tables/identities.ts';
import { Secret } from '../../../src/tokens/secret.ts';
import { eventually } from '../../eventually.ts';
import { OPERATOR } from '../../samples.ts';
import { ADA, BOB, PASSWORD, type RunningService, startService } from './running-service.ts';
import { KNOWN_COOKIE, SESSION_COOKIE, signedIn, Visitor } from './visitor.ts';

let service: RunningService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

test('the page says what a sign-in is for, also when it comes back, and leads there', async () => {
  const ways = {
    '': ['to see what acts in your name', '/account'],
    passkeys: ['to change your passkeys', '/account/passkeys'],
    '/console/events': ['to the console', '/console/events'],
  } as const;
  for (const [goOn, [purpose, path]] of Object.entries(ways)) {
    const fields = goOn === '' ? {} : { go_on: goOn };
    const visitor = new Visitor(service);
    assert.match((await visitor.signIn(`nobody${goOn}`, 'wrong', fields)).text, new RegExp(purpose), goOn);
    assert.equal((await visitor.signIn('ada', PASSWORD, fields)).headers.location, path, goOn);
    const again = async (query: string) => (await visitor.get(`/account/sign-in${query}`)).headers.location;
    assert.equal(await again('?user_code=wdjbmjht'), '/device?user_code=WDJB-MJHT', 'also if there is one already');
    assert.equal(await again('?user_code=nonsense'), '/account');
  }
});

suite('sessions', () => {
  test('the cookie is __Host-, HttpOnly, Secure, SameSite=Lax, and new at every sign-in', async () => {
    const visitor = new Visitor(service);
    const first = (await visitor.signIn()).headers['set-cookie'] ?? [];
    assert.match(first.join('\n'), /__Host-tessera=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure/);
    const cookie = visitor.cookies.get(SESSION_COOKIE);
    await visitor.get('/account');
    await visitor.post('/account/sign-out');
    await visitor.signIn();
    assert.notEqual(visitor.cookies.get(SESSION_COOKIE), cookie);
  });

  test('a sign-in sets a known-browser cookie that outlives the session and is new at every sign-in', async () => {
    const visitor = new Visitor(service);
    const first = (await visitor.signIn()).headers['set-cookie'] ?? [];
    assert.match(
      first.join('\n'),
      /__Host-tessera-known=[\w-]{92}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=7776000/,
    );
    const cookie = visitor.cookies.get(KNOWN_COOKIE);
    await visitor.get('/account');
    await visitor.post('/account/sign-out');
    assert.equal(visitor.cookies.get(KNOWN_COOKIE), cookie);
    assert.equal((await visitor.get('/account')).status, 303, 'it opens nothing');
    await visitor.signIn();
    assert.notEqual(visitor.cookies.get(KNOWN_COOKIE), cookie);
  });

  test('a cookie set before sign-in is replaced (session fixation)', async () => {
    const visitor = new Visitor(service);
    const planted = Buffer.alloc(32, 7).toString('base64url');
    visitor.cookies.set(SESSION_COOKIE, planted);
    await visitor.signIn();
    assert.notEqual(visitor.cookies.get(SESSION_COOKIE), planted);
  });

  test('signing out ends the session on the server, not only in the browser', async () => {
    const visitor = await signedIn(service);
    const cookie = visitor.cookies.get(SESSION_COOKIE) ?? '';
    await visitor.get('/account');
    await visitor.post('/account/sign-out');
    assert.equal(visitor.cookies.has(SESSION_COOKIE), false);
    const thief = new Visitor(service);
    thief.cookies.set(SESSION_COOKIE, cookie);
    assert.equal((await thief.get('/account')).status, 303);
  });

  test('signing out everywhere ends every session of the person and of nobody else', async () => {
    const [here, there, bob] = [await signedIn(service), await signedIn(service), await signedIn(service, 'bob')];
    await here.get('/account');
    await here.post('/account/sign-out-everywhere');
    assert.equal((await there.get('/account')).status, 303);
    assert.equal((await bob.get('/account')).status, 200);
  });

  test('a session survives a restart', async () => {
    const visitor = await signedIn(service);
    await service.restart();
    assert.equal((await visitor.get('/account')).status, 200);
  });

  test('a session ends when idle, and at the latest eight hours after sign-in', async () => {
    const idle = await signedIn(service);
    const busy = await signedIn(service);
    for (let minutes = 0; minutes < 8 * 60; minutes += 10) {
      assert.equal((await busy.get('/account/password')).status, 200, `after ${minutes} minutes`);
      service.advance(600);
    }
    assert.equal((await idle.get('/account')).status, 303);
    assert.equal((await busy.get('/account')).status, 303);
  });

  test('a disabled identity is signed out at once', async () => {
    const visitor = await signedIn(service, 'bob');
    const change = (enabled: boolean) =>
      service.store.change(identities, BOB.id, (found) => ({
        outcome: undefined,
        ...(found && { next: { ...found.row, enabled } }),
      }));
    await change(false);
    assert.equal((await visitor.get('/account')).status, 303);
    await change(true);
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

  test('the response time is about the same for unknown and known names', async (t) => {
    const slow = await startService({ isHashSlow: true });
    t.after(() => slow.stop());
    const visitor = new Visitor(slow);
    const times: Record<string, number[]> = { nobody: [], ada: [] };
    // In turns, and of each the middle one: a busy machine makes both longer, and a check that is left out all of one.
    const ratio = () => {
      const [nobody = 0, ada = 0] = Object.values(times).map(median);
      return nobody / ada;
    };
    const isSame = () => ratio() < 1.6 && ratio() > 1 / 1.6;
    for (let round = 0; round < 9 || (round < 60 && !isSame()); round++) {
      await visitor.get('/account/sign-in');
      for (const [name, taken] of Object.entries(times)) {
        const begun = performance.now();
        const { status } = await visitor.post('/account/sign-in', { user_name: name, password: 'wrong' });
        taken.push(performance.now() - begun);
        assert.equal(status, 403, 'a password was checked');
      }
      slow.advance(1000); // so that no name is ever locked
    }
    assert.ok(isSame(), `${ratio()} of the time`);
  });

  test('ten failures lock a name for unknown browsers, even with the right password, until the window ends', async () => {
    for (let tries = 0; tries < 10; tries++) {
      assert.equal((await new Visitor(service).signIn('bob', 'wrong')).status, 403);
      service.advance(30);
    }
    const { status, headers, text } = await new Visitor(service).signIn('bob');
    assert.equal(status, 429);
    assert.match(text, /Too many failed sign-ins/);
    const wait = Number(headers['retry-after']);
    assert.ok(wait > 800 && wait <= 870, `${wait} s, of 900 since the last failure`);
    assert.equal((await new Visitor(service).signIn('ada')).status, 303, 'other names are not locked');
    service.advance(900);
    assert.equal((await new Visitor(service).signIn('bob')).status, 303);
  });

  test('after a few failures unknown browsers must wait as long as Retry-After says', async () => {
    let [failures, answer] = [0, await new Visitor(service).signIn('grace', 'wrong')];
    for (; answer.status === 403; failures++) answer = await new Visitor(service).signIn('grace', 'wrong');
    assert.ok(failures >= 3 && failures < 10, `${failures} failures`);
    assert.equal(answer.status, 429);
    assert.match(answer.text, /Wait a moment before you try again/);
    const wait = Number(answer.headers['retry-after']);
    assert.ok(wait >= 1 && wait <= 30, `${wait} s`);
    service.advance(wait);
    assert.equal((await new Visitor(service).signIn('grace', 'wrong')).status, 403);
  });

  test('an address over its limit is refused, and cannot use up the tries of a name', async () => {
    const sets = ['signIn.failedPerAddress=3', 'signIn.failedPerIdentity=5', 'proxies.addresses=["127.0.0.1"]'];
    const strict = await startService({ sets });
    const from = (address: string) => new Visitor(strict, { 'x-forwarded-for': address });
    try {
      for (let tries = 0; tries < 8; tries++) {
        await from('198.51.100.7').signIn('ada', 'wrong');
        strict.advance(30);
      }
      assert.equal((await from('198.51.100.7').signIn('bob')).status, 429, 'the address is over its limit');
      assert.equal((await from('198.51.100.8').signIn('ada')).status, 303, 'ada is locked out by a stranger');
    } finally {
      await strict.stop();
    }
  });
});

suite('changing the password', () => {
  const NEXT = 'canary-another-long-password';

  /** Whether this browser is still let in while the name is locked for strangers. */
  async function isKnown(browser: Visitor, password: string): Promise<boolean> {
    for (let tries = 0; tries < 10; tries++) {
      await new Visitor(service).signIn('ada', 'wrong');
      service.advance(30);
    }
    const { status } = await browser.signIn('ada', password);
    service.advance(900);
    assert.ok(status === 303 || status === 429, `${status}`);
    return status === 303;
  }

  async function signedOut(): Promise<Visitor> {
    const visitor = await signedIn(service);
    await visitor.get('/account');
    await visitor.post('/account/sign-out');
    return visitor;
  }

  async function reset(password: string): Promise<void> {
    const outcome = await setPassword(ADA.id, new Secret(password), { store: service.store, by: OPERATOR });
    assert.ok(outcome.ok);
  }

  test('a reset by an operator makes every browser of that person unknown', async () => {
    const [before, other] = [await signedOut(), await signedOut()];
    assert.equal(await isKnown(other, PASSWORD), true);
    await reset(NEXT);
    await reset(PASSWORD);
    assert.equal(await isKnown(before, PASSWORD), false, 'the same text again is another password');
    assert.equal((await before.signIn()).status, 303);
    await before.get('/account');
    await before.post('/account/sign-out');
    assert.equal(await isKnown(before, PASSWORD), true, 'known again after a sign-in');
  });

  test('a reset lifts the lock that strangers caused: no browser is known for the new password', async () => {
    for (let tries = 0; tries < 10; tries++) {
      await new Visitor(service).signIn('ada', 'wrong');
      service.advance(30);
    }
    assert.equal((await new Visitor(service).signIn('ada')).status, 429);
    await reset(NEXT);
    assert.equal((await new Visitor(service).signIn('ada', NEXT)).status, 303);
    await reset(PASSWORD);
  });

  test('a change by the person makes every other browser unknown', async () => {
    const [there, here] = [await signedOut(), await signedIn(service)];
    await here.get('/account/password');
    await here.post('/account/password', { current: PASSWORD, next: NEXT, repeated: NEXT });
    assert.equal(await isKnown(there, NEXT), false);
    await here.get('/account');
    await here.post('/account/sign-out');
    assert.equal(await isKnown(here, NEXT), true);
    await reset(PASSWORD);
  });

  test('needs the current password and a new one of at least 12 characters typed twice, and ends all other sessions', async () => {
    const [here, there] = [await signedIn(service), await signedIn(service)];
    await here.get('/account/password');
    const change = (current: string, next: string, repeated = next) =>
      here.post('/account/password', { current, next, repeated });
    const wrong = [
      ['wrong-password', NEXT, NEXT, 'current', /current password is wrong/],
      [PASSWORD, 'short', 'short', 'next', /too short/],
      [PASSWORD, 'x'.repeat(1025), 'x'.repeat(1025), 'next', /too long/],
      [PASSWORD, NEXT, `${NEXT}!`, 'repeated', /differ/],
      [PASSWORD, PASSWORD, PASSWORD, 'next', /current one/],
    ] as const;
    for (const [current, next, repeated, field, why] of wrong) {
      const { status, text } = await change(current, next, repeated);
      assert.match(text, why);
      const focused = [...text.matchAll(/<input id="(\w+)"[^>]* autofocus/g)].map(([, id]) => id);
      assert.deepEqual([status, focused], [400, [field]], 'the cursor is where the mistake is');
    }
    const old = here.cookies.get(SESSION_COOKIE);
    assert.equal((await change(PASSWORD, NEXT)).headers.location, '/account?done=password-changed');
    assert.notEqual(here.cookies.get(SESSION_COOKIE), old);
    assert.equal((await here.get('/account')).status, 200);
    assert.equal((await there.get('/account')).status, 303);
    assert.equal((await new Visitor(service).signIn('ada')).status, 403);
    assert.equal((await new Visitor(service).signIn('ada', NEXT)).status, 303);
    await here.get('/account/password');
    await change(NEXT, PASSWORD);
    service.advance(900);
  });

  test('the log says who signed in, and why a password was not changed', async () => {
    const linesOf = (operation: string) =>
      service
        .logged()
        .split('\n')
        .filter((line) => line.includes(`"operation":"${operation}"`));
    /** What the next request of this operation leaves in the log, a moment after its answer. */
    const lineAfter = async (operation: string, act: () => Promise<unknown>) => {
      const { length } = linesOf(operation);
      await act();
      await eventually('it is in the log', () => linesOf(operation).length > length);
      return JSON.parse(linesOf(operation).at(-1) ?? '');
    };
    const ada = new Visitor(service);
    const { outcome, identityId } = await lineAfter('sign-in', () => ada.signIn());
    assert.deepEqual({ outcome, identityId }, { outcome: 'accepted', identityId: ADA.id });
    await ada.get('/account/password');
    for (const [current, next, reason] of [
      ['wrong-password', NEXT, 'current-wrong'],
      [PASSWORD, 'short', 'too-short'],
    ] as const) {
      const change = () => ada.post('/account/password', { current, next, repeated: next });
      const line = await lineAfter('change-password', change);
      assert.deepEqual([line.outcome, line.reason, line.status], ['refused', reason, 400]);
    }
  });
});

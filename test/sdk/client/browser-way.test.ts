// `browser`, step by step: the program that opens the page, what comes back to this computer, and what is made of it.
// Own process: it changes PATH, and what standard error is
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { beforeEach, suite, type TestContext, test } from 'node:test';
import { type BrowserOptions, browser, hasBrowser } from '../../../sdk/client/src/by/browser.ts';
import type { Door } from '../../../sdk/client/src/door/door.ts';
import type { Reply } from '../../../sdk/client/src/door/reply.ts';
import { eventually } from '../../eventually.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

const ISSUER = 'https://tokens.example';
const GRANTED = { kind: 'granted', json: {} } as const;
type Form = Record<string, string | undefined>;

/** What the server was asked. */
const asked: Form[] = [];
beforeEach(() => {
  asked.length = 0;
});

/** A login; `back`: what the browser does once it has the form of the authorization request. */
function login(back: (form: Form, callback: string) => unknown, options: BrowserOptions = {}, signal?: AbortSignal) {
  const door = {
    authorizationAddress: async (form: Form) => {
      asked.push(form);
      return { url: `${ISSUER}/authorize?x=1&y=2`, issuer: ISSUER };
    },
    token: async (form: Form) => {
      asked.push(form);
      return GRANTED;
    },
  } as unknown as Door;
  const show = () => void back(asked[0] ?? {}, asked[0]?.['redirect_uri'] ?? '');
  const way = browser({ open: () => undefined, show, withinSeconds: 60, ...options });
  return way.start?.(door, signal) as Promise<Reply>;
}

const answerWith = (difference: Record<string, string>, without: readonly string[] = []) => {
  return ({ state = '' }: Form, callback: string) => {
    const parameters = new URLSearchParams({ state, iss: ISSUER, code: 'C1', ...difference });
    for (const name of without) parameters.delete(name);
    return fetch(`${callback}?${parameters}`);
  };
};

suite('a login with the browser of this computer', () => {
  test('redeems the code with the verifier of its challenge [RFC 7636 4]', async () => {
    const reply = login(answerWith({}), { scope: 'orders:read' });
    assert.deepEqual(await reply, GRANTED);
    const [first = {}, second = {}] = asked;
    const { redirect_uri = '', state = '', code_challenge, ...request } = first;
    assert.match(redirect_uri, /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    assert.match(state, /^[\w-]{22}$/);
    assert.deepEqual(request, { response_type: 'code', scope: 'orders:read', code_challenge_method: 'S256' });
    const { code_verifier = '', redirect_uri: repeated, ...redemption } = second;
    assert.match(code_verifier, /^[\w-]{43}$/);
    assert.ok(code_challenge === createHash('sha256').update(code_verifier).digest('base64url'));
    assert.deepEqual(redemption, { grant_type: 'authorization_code', code: 'C1' });
    assert.ok(repeated === redirect_uri);
    await assert.rejects(fetch(redirect_uri), 'nothing listens there any more');
  });

  for (const [what, back, error, why] of [
    [
      'of another server',
      answerWith({ iss: 'https://evil.example' }),
      'invalid_request',
      'The response came from another server.',
    ],
    ['of no server', answerWith({}, ['iss']), 'invalid_request', 'The response came from another server.'],
    [
      'that refuses',
      answerWith({ error: 'access_denied', error_description: 'It was denied.' }),
      'access_denied',
      'It was denied.',
    ],
    ['that refuses without a reason', answerWith({ error: 'server_error' }), 'server_error', 'server_error'],
  ] as const)
    test(`takes no code from an answer ${what} [RFC 9207 2.4]`, async () => {
      const reply = login(back);
      assert.deepEqual(await reply, { kind: 'refused', error, why });
      assert.equal(asked.length, 1);
    });

  test('answers its own page to the request with its state alone', async () => {
    const seen: unknown[] = [];
    const visited = Promise.withResolvers<void>();
    const reply = login(async ({ state = '' }, callback) => {
      const { port } = new URL(callback);
      for (const [method, path] of [
        ['GET', '//'],
        ['GET', '/callback'],
        ['GET', '/callback?state=other'],
        ['GET', `/other?state=${state}`],
        ['POST', `/callback?state=${state}`],
        ['GET', `/callback?state=${state}&iss=${ISSUER}&code=C1`],
      ] as const) {
        const [response] = await once(request({ port, path, method }).end(), 'response');
        const { 'content-type': type, 'cache-control': cache, connection } = response.headers;
        const text = (await Array.fromAsync(response)).join('');
        seen.push([response.statusCode, type, cache, connection, /You can close this page/.test(text), text === '']);
      }
      visited.resolve();
    });
    assert.deepEqual(await reply, GRANTED);
    await visited.promise;
    const head = ['text/html; charset=utf-8', 'no-store', 'close'];
    assert.deepEqual(seen, [
      ...Array.from({ length: 5 }, () => [404, ...head, false, true]),
      [200, ...head, true, false],
    ]);
  });

  test('ends with the reason of its signal', async () => {
    const [leaving, reason] = [new AbortController(), new Error('the person has left')];
    await assert.rejects(
      login(() => leaving.abort(reason), {}, leaving.signal),
      reason,
    );
  });

  test('ends if nobody confirms in time', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const shown = Promise.withResolvers<void>();
    let isOver = false;
    const reply = login(() => shown.resolve()).finally(() => {
      isOver = true;
    });
    await shown.promise;
    for (const [milliseconds, expected] of [
      [59_999, false],
      [1, true],
    ] as const) {
      t.mock.timers.tick(milliseconds);
      for (let turn = 0; turn < 9; turn++) await new Promise(setImmediate);
      assert.equal(isOver, expected);
    }
    assert.deepEqual(await reply, { kind: 'refused', error: 'expired_token', why: 'Nobody confirmed in time.' });
  });

  test('ends if there is no other way where there are no codes', async () => {
    const door = { authorizationAddress: async () => undefined } as unknown as Door;
    const otherwise = { isAlone: false, todo: 'x', tls: () => undefined };
    assert.deepEqual(await browser({ otherwise }).start?.(door, undefined), {
      ...{ kind: 'refused', error: 'unauthorized_client', why: 'There is no way to log in.' },
    });
  });
});

suite('the program that opens the page', { skip: process.platform !== 'linux' && 'it is another one there' }, () => {
  /** A login whose PATH has this folder alone. Nobody confirms. */
  async function opened(t: TestContext, folder: string): Promise<void> {
    const { PATH } = process.env;
    process.env['PATH'] = folder;
    t.after(() => {
      process.env['PATH'] = PATH;
    });
    const door = { authorizationAddress: async () => ({ url: `${ISSUER}/authorize?x=1&y=2`, issuer: ISSUER }) };
    await browser({ show: () => undefined, withinSeconds: 0.01 }).start?.(door as unknown as Door, undefined);
  }

  test('gets the address, is no part of this terminal, and keeps no program alive', async (t) => {
    const program = join(temporaryFolder('opener'), 'xdg-open');
    const wait = 'while [ ! -e "$0.end" ]; do /bin/sleep 0.05; done';
    const script = `#!/bin/sh\n/bin/cat /proc/$$/stat > "$0.stat"\necho "$@" > "$0.args"\n${wait}\necho > "$0.ended"\n`;
    writeFileSync(program, script, { mode: 0o755 });
    await opened(t, join(program, '..'));
    const has = (name: string) => () => existsSync(`${program}.${name}`);
    await eventually('it was started', has('args'));
    assert.equal(process.getActiveResourcesInfo().includes('ProcessWrap'), false);
    writeFileSync(`${program}.end`, '');
    await eventually('it has ended', has('ended'));
    assert.equal(readFileSync(`${program}.args`, 'utf8'), `${ISSUER}/authorize?x=1&y=2\n`);
    const [pid, , , , group] = readFileSync(`${program}.stat`, 'utf8')
      .replace(/\(.*\)/, '()')
      .split(' ');
    assert.equal(group, pid, 'Ctrl-C reaches a group');
  });

  test('may be missing: the person opens the address that was shown', async (t) => {
    await opened(t, temporaryFolder('no-opener'));
    await new Promise(setImmediate);
  });
});

test('a browser is at hand at a terminal with a display, and not over SSH or in CI', (t) => {
  const before = Object.getOwnPropertyDescriptor(process.stderr, 'isTTY');
  const become = (isTTY: boolean) =>
    Object.defineProperty(process.stderr, 'isTTY', { value: isTTY, configurable: true });
  t.after(() => Object.defineProperty(process.stderr, 'isTTY', before ?? { value: undefined, configurable: true }));
  for (const [env, isTTY, expected] of [
    [{ DISPLAY: ':0' }, true, true],
    [{ WAYLAND_DISPLAY: 'wayland-0' }, true, true],
    [{ DISPLAY: ':0' }, false, false],
    [{}, true, process.platform !== 'linux'],
    ...['SSH_CONNECTION', 'SSH_TTY', 'CI'].map((name) => [{ DISPLAY: ':0', [name]: 'x' }, true, false] as const),
  ] as const) {
    become(isTTY);
    assert.equal(hasBrowser(env), expected, `${JSON.stringify(env)} ${isTTY}`);
  }
});

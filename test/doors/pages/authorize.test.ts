// Authorization codes over the wire: what a program gets, and every known attack (RFC 6749 10, RFC 7636 7, RFC 9700 4).
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { grants } from '../../../src/store/tables/grants.ts';
import { AGENT, CALLBACK, decisionOf, jsonOf, Program } from './asking-program.ts';
import { ORDERS, type RunningService, startService } from './running-service.ts';
import { type Seen, signedIn, Visitor } from './visitor.ts';

let service: RunningService;
let ada: Visitor;
before(async () => {
  service = await startService({ integrations: [AGENT, ORDERS] });
  ada = await signedIn(service);
});
after(() => service?.stop());

const error = (seen: Seen) => `${seen.status} ${jsonOf(seen)['error']}`;
/** Shown to the person: no redirect, whatever it says. */
const shown = (seen: Seen) => `${seen.status} ${seen.headers.location ?? 'shown'}`;

suite('a program', () => {
  test('gets a code with state and iss, redeems it, and refreshes [RFC 6749 4.1, RFC 9207 2]', async () => {
    const program = new Program(service);
    const answer = await program.decided(ada);
    assert.deepEqual([...answer.keys()], ['code', 'state', 'iss']);
    assert.equal(answer.get('state'), program.state);
    assert.equal(answer.get('iss'), service.url);
    const granted = await program.redeem(answer.get('code'));
    assert.equal(granted.status, 200, granted.text);
    assert.equal(jsonOf(granted)['scope'], 'orders:read');
    const refreshed = await program.refresh(jsonOf(granted)['refresh_token'] ?? '');
    assert.equal(refreshed.status, 200, refreshed.text);
  });

  test('neither code nor verifier nor token reaches the log; events name who confirmed what', async () => {
    const program = new Program(service);
    const code = (await program.decided(ada)).get('code') ?? '';
    const granted = jsonOf(await program.redeem(code));
    for (const secret of [code, program.verifier, granted['access_token'], granted['refresh_token']])
      assert.ok(secret && !service.logged().includes(secret));
    const events = await service.store.newestEvents({ count: 2 });
    assert.deepEqual(
      events.map(({ type, clientId, detail }) => [type, clientId, detail && 'by' in detail && detail.by]),
      [
        ['confirmed', 'coder', undefined],
        ['issued', 'coder', 'code'],
      ],
    );
  });

  test('of a person who may not use the API: the page says why, and only Deny works', async () => {
    const cyd = await signedIn(service, 'cyd');
    const program = new Program(service);
    const { text } = await cyd.get(program.path());
    assert.match(text, /You may not use the web API/);
    assert.doesNotMatch(text, /button confirm/);
    assert.equal(shown(await cyd.post('/oauth2/authorize', decisionOf(text, 'confirm'))), '403 shown');
    assert.equal((await program.decided(cyd, 'deny')).get('error'), 'access_denied');
  });

  test('learns that the person denied', async () => {
    const program = new Program(service);
    const answer = await program.decided(ada, 'deny');
    assert.equal(answer.get('error'), 'access_denied');
    assert.deepEqual([answer.get('state'), answer.get('iss')], [program.state, service.url]);
  });

  test('may listen on any port of loopback, and keeps the query of its redirect URI [RFC 8252 7.3]', async () => {
    for (const uri of ['http://127.0.0.1:1/callback', 'http://[::1]:65535/callback']) {
      const { status } = await ada.get(new Program(service, uri).path());
      assert.equal(status, 200, uri);
    }
    const answer = await new Program(service, 'https://app.example/back?from=tessera').decided(ada);
    assert.deepEqual([...answer.keys()], ['from', 'code', 'state', 'iss']);
  });

  test('gets the whole scope if it names none, and a mistake in the rest as an error in the redirect', async () => {
    const program = new Program(service);
    const { text } = await ada.get(program.path({ scope: undefined }));
    assert.match(text, /stock/);
    for (const [difference, expected] of [
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ scope: 'payroll:read' }, 'invalid_scope'],
      [{ resource: 'https://unknown.example' }, 'invalid_target'],
    ] as const) {
      const { headers } = await ada.get(program.path(difference));
      assert.equal(new URL(headers.location ?? '').searchParams.get('error'), expected);
    }
    const { headers } = await ada.get(program.path({ scope: 'orders:read;stock:read' }));
    const description = new URL(headers.location ?? '').searchParams.get('error_description') ?? '';
    assert.match(description, /separated by spaces/, 'in the words of OAuth');
  });

  test('is refused if codes are off for the integration, or the integration is unknown: shown, never redirected', async () => {
    for (const id of ['orders-sync', 'nobody', 'https://agent.example/client.json', ''])
      assert.match(shown(await ada.get(new Program(service, CALLBACK, id).path())), /^40[0-9] shown$/, id);
  });
});

suite('attacks', () => {
  test('PKCE downgrade: a request without a challenge, or with a plain one, gets no code [RFC 9700 4.8.2]', async () => {
    const program = new Program(service);
    const challenge = program.verifier;
    for (const difference of [
      { code_challenge: undefined },
      { code_challenge_method: undefined },
      { code_challenge: challenge, code_challenge_method: 'plain' },
      { code_challenge: 'short' },
    ]) {
      const { headers } = await ada.get(program.path(difference));
      assert.equal(new URL(headers.location ?? '').searchParams.get('error'), 'invalid_request');
    }
    const answer = await program.decided(ada);
    assert.equal(error(await program.redeem(answer.get('code'), { code_verifier: '' })), '400 invalid_request');
    assert.equal(
      error(await program.redeem(answer.get('code'), { code_verifier: 'x'.repeat(42) })),
      '400 invalid_grant',
    );
  });

  test('code injection: a stolen code is worth nothing with another verifier, redirect URI or client [RFC 9700 4.5]', async () => {
    const program = new Program(service);
    const code = (await program.decided(ada)).get('code');
    const other = new Program(service);
    const thefts = [
      await program.redeem(code, { code_verifier: other.verifier }),
      await program.redeem(code, { redirect_uri: 'http://127.0.0.1:43211/callback' }),
      await program.redeem(code, { redirect_uri: 'https://app.example/back?from=tessera' }),
    ];
    assert.deepEqual(thefts.map(error), Array(3).fill('400 invalid_grant'));
    assert.equal(error(await program.redeem(code, { client_id: 'orders-sync' })), '400 unauthorized_client');
    for (let guess = 0; guess < 30; guess++) await program.redeem(code, { code_verifier: other.verifier });
    assert.equal((await program.redeem(code)).status, 200, 'the owner still can');
  });

  test('code twice, the thief first without the verifier: the owner gets the grant, and keeps it', async () => {
    const program = new Program(service);
    const code = (await program.decided(ada)).get('code');
    await program.redeem(code, { code_verifier: new Program(service).verifier });
    const granted = jsonOf(await program.redeem(code));
    await program.redeem(code, { code_verifier: new Program(service).verifier });
    assert.equal((await program.refresh(granted['refresh_token'] ?? '')).status, 200);
  });

  test('code twice, with the verifier: whoever came first loses the grant [RFC 6749 4.1.2]', async () => {
    const program = new Program(service);
    const code = (await program.decided(ada)).get('code');
    const granted = jsonOf(await program.redeem(code));
    service.advance(61); // even after its life
    assert.equal(error(await program.redeem(code)), '400 invalid_grant');
    assert.equal(error(await program.refresh(granted['refresh_token'] ?? '')), '400 invalid_grant');
  });

  test('code twice at once: one grant at most, and it ends', async () => {
    const program = new Program(service);
    const code = (await program.decided(ada)).get('code');
    const both = await Promise.all([program.redeem(code), program.redeem(code)]);
    const won = both.filter(({ status }) => status === 200).map(jsonOf);
    assert.equal(won.length, 1);
    assert.equal(error(await program.refresh(won[0]?.['refresh_token'] ?? '')), '400 invalid_grant');
  });

  test('an old code: after a minute it gets nothing', async () => {
    const program = new Program(service);
    const code = (await program.decided(ada)).get('code');
    service.advance(60);
    assert.equal(error(await program.redeem(code)), '400 invalid_grant');
    ada = await signedIn(service);
  });

  test('mix-up: every response names its issuer, errors too [RFC 9207 2]', async () => {
    const { headers } = await ada.get(new Program(service).path({ scope: 'payroll:read' }));
    assert.equal(new URL(headers.location ?? '').searchParams.get('iss'), service.url);
    const metadata = jsonOf(await ada.get('/.well-known/oauth-authorization-server')) as Record<string, unknown>;
    assert.equal(metadata['authorization_response_iss_parameter_supported'], true);
  });

  test('open redirect: whoever is not signed in is redirected nowhere, whatever is wrong [RFC 9700 4.11.2]', async () => {
    const stranger = new Visitor(service);
    for (const difference of [{}, { scope: 'payroll:read' }, { response_type: 'token' }, { code_challenge: 'x' }]) {
      const seen = await stranger.get(new Program(service).path(difference));
      assert.equal(shown(seen), '200 shown');
      assert.match(seen.text, /name="password"/);
    }
  });

  test('CSRF: a decision needs the token of a form that this session was shown [RFC 6749 10.12]', async () => {
    const program = new Program(service);
    const fields = decisionOf((await ada.get(program.path())).text, 'confirm');
    const bob = await signedIn(service, 'bob');
    for (const sent of [
      await ada.post('/oauth2/authorize', { ...fields, form_token: '' }),
      await ada.post('/oauth2/authorize', { ...fields, form_token: bob.formToken }),
      await ada.post('/oauth2/authorize', fields, { 'sec-fetch-site': 'cross-site' }),
      await new Visitor(service).post('/oauth2/authorize', { ...fields, form_token: ada.formToken }),
    ])
      assert.equal(shown(sent), '403 shown');
    const { status } = await ada.get(`${program.path()}&decision=confirm`);
    assert.equal(status, 200, 'a GET decides nothing');
  });

  test('clickjacking: no frame may hold the page [RFC 9700 4.16]', async () => {
    const { headers } = await ada.get(new Program(service).path());
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.equal(headers['x-frame-options'], 'DENY');
    assert.equal(headers['referrer-policy'], 'no-referrer');
  });

  test('a flood of requests stores nothing; a person decides 20 times a minute', async () => {
    const program = new Program(service);
    const count = async () => (await service.store.newestEvents({ count: 1_000 })).length;
    const before = await count();
    for (let request = 0; request < 20; request++) await new Visitor(service).get(program.path());
    for (let request = 0; request < 20; request++) await ada.get(program.path());
    assert.equal(await count(), before);
    const bob = await signedIn(service, 'bob');
    const fields = decisionOf((await bob.get(program.path())).text, 'confirm');
    const sent: Seen[] = [];
    for (let attempt = 0; attempt < 21; attempt++) sent.push(await bob.post('/oauth2/authorize', fields));
    assert.deepEqual(
      sent.map(({ status }) => status),
      [...Array(20).fill(303), 429],
    );
    assert.equal((await bob.post('/oauth2/authorize', { ...fields, decision: 'deny' })).status, 429);
  });

  test('a page that was left open for long confirms nothing', async () => {
    const program = new Program(service);
    const fields = decisionOf((await ada.get(program.path())).text, 'confirm');
    service.advance(301);
    assert.equal(shown(await ada.post('/oauth2/authorize', fields)), '410 shown');
  });

  test('a parameter twice is shown, not interpreted [RFC 6749 3.1]', async () => {
    const path = new Program(service).path();
    assert.equal(shown(await ada.get(`${path}&redirect_uri=https%3A%2F%2Fevil.example`)), '400 shown');
    assert.equal(shown(await ada.get(`${path}&state=again`)), '400 shown');
  });

  test('a code is no device code, and a device code no code', async () => {
    const program = new Program(service);
    const code = (await program.decided(ada)).get('code') ?? '';
    const device = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', client_id: 'coder' };
    assert.equal(error(await program.ask('/oauth2/token', { ...device, device_code: code })), '400 invalid_grant');
    const started = jsonOf(await program.ask('/oauth2/device_authorization', { client_id: 'coder' }));
    assert.equal(error(await program.redeem(started['device_code'] ?? '')), '400 invalid_grant');
  });
});

suite('the account page', () => {
  test('Sign out all agents ends what was obtained by code, and nothing else', async () => {
    ada = await signedIn(service);
    const program = new Program(service);
    const granted = jsonOf(await program.redeem((await program.decided(ada)).get('code')));
    const started = jsonOf(await program.ask('/oauth2/device_authorization', { client_id: 'coder' }));
    const path = await ada.enterCode(started['user_code'] ?? '');
    await ada.post(`${path}/confirm`);
    const device = jsonOf(
      await program.ask('/oauth2/token', {
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        client_id: 'coder',
        device_code: started['device_code'] ?? '',
      }),
    );
    assert.match((await ada.get('/account')).text, /Sign out all agents/);
    assert.equal((await ada.post('/account/sign-out-agents')).headers.location, '/account?done=agents-signed-out');
    assert.equal(error(await program.refresh(granted['refresh_token'] ?? '')), '400 invalid_grant');
    assert.equal((await program.refresh(device['refresh_token'] ?? '')).status, 200);
    const origins = await service.store.page(grants, { limit: 100 });
    assert.ok(origins.some(({ origin }) => origin.kind === 'code'));
    assert.doesNotMatch((await ada.get('/account')).text, /Sign out all agents/);
  });
});

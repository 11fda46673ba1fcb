// What the claims of a provider make of a person, and how long that holds.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, afterEach, before, suite, test } from 'node:test';
import { type IdentityId, labelOf } from '../../../src/core/identity.ts';
import type { ClientId } from '../../../src/core/integration.ts';
import { type EpochSeconds, epochSeconds, seconds } from '../../../src/core/time.ts';
import { type OidcSettings, oidcDirectory } from '../../../src/directory/oidc/oidc-directory.ts';
import { systemFetch } from '../../../src/outbound/guarded-fetch.ts';
import { rows } from '../../../src/store/pages.ts';
import { identities } from '../../../src/store/tables/identities.ts';
import { sessions } from '../../../src/store/tables/sessions.ts';
import { Secret } from '../../../src/tokens/secret.ts';
import { poll, post, startCode } from '../../doors/pages/calling-device.ts';
import { ADA, ORDERS, type RunningService, startService } from '../../doors/pages/running-service.ts';
import { SESSION_COOKIE, type Seen, Visitor } from '../../doors/pages/visitor.ts';
import { anIntegration, scopeOf } from '../../samples.ts';
import { AtProvider, startProvider, type TestProvider } from './provider.ts';

const DAY = 86_400;
const OPS = anIntegration({
  clientId: 'ops-tool' as ClientId,
  name: 'Ops tool',
  scope: scopeOf('orders:read,delete;stock:read'),
  access: { to: 'named', identities: [], groups: ['corp/ops'] },
});
let provider: TestProvider;
let service: RunningService;

before(async () => {
  provider = await startProvider();
  const directories = [
    provider.directory('corp', { maxAge: '30d' }),
    provider.directory('entra', { idClaims: ['tid', 'oid'] }),
  ];
  service = await startService({ sets: [`directories=${JSON.stringify(directories)}`], integrations: [ORDERS, OPS] });
  provider.serve(service.url, 'corp', 'entra');
});
after(async () => {
  await service?.stop();
  await provider?.stop();
});

async function signIn(
  login: string,
  visitor = new Visitor(service),
  label = 'corp',
  browser = new AtProvider(provider),
): Promise<Seen> {
  await visitor.get('/account/sign-in');
  const { headers } = await visitor.post(`/account/provider/${label}`);
  const back = await browser.signIn(headers.location ?? '', login);
  return visitor.get(back.pathname + back.search);
}

async function signedIn(login: string): Promise<Visitor> {
  const visitor = new Visitor(service);
  const { status, text } = await signIn(login, visitor);
  assert.equal(status, 303, text);
  return visitor;
}

const idOf = (login: string) =>
  `corp:${hash('sha256', [provider.issuer, login].join('\0')).slice(0, 32)}` as IdentityId;
const row = async (id: IdentityId) => (await service.store.load(identities, id)).found?.row;

suite('an identity', () => {
  test('is made of the issuer and the chosen claims, with names and groups of its directory', async () => {
    provider.accounts.set('grace', {
      ...{ preferred_username: 'grace', email: 'grace@corp.example', email_verified: true },
      groups: ['ops', 'ops', 'a\u0000b', 7, 'all'],
    });
    await signedIn('grace');
    const { seenAt, ...grace } = (await row(idOf('grace'))) ?? {};
    assert.ok(Number(seenAt) > 0);
    assert.deepEqual(grace, {
      ...{ id: idOf('grace'), enabled: true, mayUseApi: true, groups: ['corp/all', 'corp/ops'] },
      ...{ userName: 'grace', email: 'grace@corp.example' },
    });
    provider.accounts.set('one', { tid: 't-1', oid: 'o-1', preferred_username: 'one' });
    provider.accounts.set('two', { tid: 't-1', oid: 'o-1', preferred_username: 'renamed' });
    assert.equal((await signIn('one', new Visitor(service), 'entra')).status, 303);
    assert.equal((await signIn('two', new Visitor(service), 'entra')).status, 303);
    const found = (await Array.fromAsync(rows(service.store, identities, {}))).filter(
      (one) => labelOf(one) === 'entra',
    );
    assert.deepEqual(
      found.map(({ userName }) => userName),
      ['renamed'],
    );
  });

  test('needs its id claims as texts, and groups that are all there', async () => {
    for (const [tid, oid] of [
      [undefined, 'o-2'],
      ['t-2', ''],
      [['t-2'], 'o-2'],
      ['t\u0000o', 'o-2'],
    ]) {
      provider.accounts.set('odd', { tid, oid });
      assert.equal((await signIn('odd', new Visitor(service), 'entra')).status, 403);
    }
    for (const many of [{ _claim_names: { groups: 'src1' } }, { groups: Array.from({ length: 1_001 }, String) }]) {
      provider.accounts.set('busy', many);
      assert.equal((await signIn('busy')).status, 403);
    }
    assert.match(service.logged(), /the person has too many groups/);
  });

  test('never becomes somebody else by an address or a name, verified or not', async () => {
    await service.store.change(identities, ADA.id, (found) => ({
      outcome: undefined,
      ...(found && { next: { ...found.row, email: 'ada@corp.example' } }),
    }));
    provider.accounts.set('mallory', { preferred_username: 'ada', email: 'ada@corp.example', email_verified: false });
    const mallory = await signedIn('mallory');
    assert.equal((await row(idOf('mallory')))?.email, undefined);
    for (const email_verified of ['true', 1, undefined]) {
      provider.accounts.set('mallory', { email: 'ada@corp.example', email_verified });
      await signedIn('mallory');
      assert.equal((await row(idOf('mallory')))?.email, undefined, String(email_verified));
    }
    provider.accounts.set('mallory', { email: 'ada@corp.example', email_verified: true });
    await signedIn('mallory');
    assert.equal((await row(idOf('mallory')))?.email, 'ada@corp.example');
    assert.deepEqual((await row(ADA.id))?.email, 'ada@corp.example');
    const { text } = await mallory.get('/account');
    assert.doesNotMatch(text, /aaaaaaaaaaaa/, 'the account of ada');
    // The sign-in form knows ada of the local directory alone.
    assert.equal((await new Visitor(service).signIn('ada')).status, 303);
  });

  test('that an operator disabled does not sign in', async () => {
    await signedIn('dora');
    await service.store.change(identities, idOf('dora'), (found) => ({
      outcome: undefined,
      ...(found && { next: { ...found.row, enabled: false } }),
    }));
    const { status, text } = await signIn('dora');
    assert.equal(status, 403);
    assert.match(text, /Your account is disabled/);
  });
});

suite('a sign-in', () => {
  const redirectUri = () => `${service.url}/account/provider/corp`;
  const asked = { state: 's'.repeat(43), nonce: 'n'.repeat(43), verifier: new Secret('v'.repeat(43)) };

  /** What the directory says of somebody who signs in there. */
  async function finished(login: string, difference: object = {}, ahead = 0, provenSince?: EpochSeconds) {
    const { clientSecret, ...settings } = provider.directory('corp', {
      idClaims: ['sub'],
      ...difference,
    }) as OidcSettings & Record<'clientSecret', string>;
    const own = { ...settings, maxAge: seconds(30 * DAY), timeoutMs: 5_000 };
    const readSecret = () => readFileSync(clientSecret, 'utf8').trim();
    const corp = oidcDirectory({ ...own, readSecret }, systemFetch(), () => Date.now() + ahead * 1000);
    const request = { ...asked, redirectUri: redirectUri(), ...(provenSince !== undefined && { provenSince }) };
    const url = new URL((await corp.provider?.begin(request)) ?? '');
    assert.equal(url.searchParams.get('max_age'), String(provenSince === undefined ? 30 * DAY : 0));
    const back = await new AtProvider(provider).signIn(url.href, login);
    return corp.provider?.finish(back.searchParams, request);
  }

  test('is a strong proof if the ID token has one of the values', async () => {
    const strong = { claim: 'assurance', values: ['phishing-resistant', 'hardware'] };
    for (const [assurance, expected] of [
      ['hardware', true],
      [['password', 'hardware'], true],
      ['hardware password', false],
      [true, false],
      [undefined, false],
    ] as const) {
      provider.accounts.set('lena', { assurance });
      const done = await finished('lena', { strong });
      assert.equal(done?.ok && done.value.isStrong, expected, String(assurance));
    }
  });

  test('by a session of the provider is a proof as old as that session', async () => {
    const browser = new AtProvider(provider);
    const proofOf = async () => {
      const visitor = new Visitor(service);
      assert.equal((await signIn('grace', visitor, 'corp', browser)).status, 303);
      const secret = Buffer.from(visitor.cookies.get(SESSION_COOKIE) ?? '', 'base64url');
      const { createdAt = 0, proof } = (await service.store.load(sessions, hash('sha256', secret))).found?.row ?? {};
      return { at: proof?.at ?? 0, age: createdAt - (proof?.at ?? 0) };
    };
    const fresh = await proofOf();
    assert.ok(fresh.at > 0 && fresh.age >= 0 && fresh.age < 600);
    service.advance(3_600);
    const old = await proofOf();
    assert.deepEqual([old.at, old.age >= 3_600], [fresh.at, true]);
  });

  test('by a session of the provider that is older than maxAge is none', async () => {
    assert.equal((await finished('grace', {}, 29 * DAY))?.ok, true);
    assert.deepEqual(await finished('grace', {}, 31 * DAY), {
      ok: false,
      refusal: 'the person was not asked to sign in again',
    });
  });

  afterEach(() => {
    provider.claims = undefined;
  });
  const now = () => Math.floor(Date.now() / 1000);
  for (const [what, claims, expected] of [
    ['as the provider made it', () => ({}), true],
    ['no auth_time, although an age was asked for', () => ({ auth_time: undefined }), false],
    ['a text as auth_time', () => ({ auth_time: String(now()) }), false],
    ['an auth_time of null', () => ({ auth_time: null }), false],
    ['an auth_time of zero', () => ({ auth_time: 0 }), false],
    ['an auth_time within the skew of a clock', () => ({ auth_time: now() + 30 }), true],
    ['an auth_time that is yet to come', () => ({ auth_time: now() + 300 }), false],
    ['an auth_time of milliseconds', () => ({ auth_time: Date.now() }), false],
    ['no iat', () => ({ iat: undefined }), false],
    ['an iat within the skew', () => ({ iat: now() + 30 }), true],
    ['an iat that is yet to come', () => ({ iat: now() + 300 }), false],
    ['an iat of milliseconds', () => ({ iat: Date.now() }), false],
    ['an nbf within the skew', () => ({ nbf: now() + 45 }), true],
    ['an nbf that is yet to come', () => ({ nbf: now() + 300 }), false],
    ['an exp within the skew', () => ({ exp: now() - 45 }), true],
    ['an exp that has passed', () => ({ exp: now() - 300 }), false],
    ['no exp', () => ({ exp: undefined }), false],
  ] as const) {
    test(`with ${what}: ${expected ? 'signs in' : 'signs nobody in'} [OpenID Connect Core 3.1.3.7]`, async () => {
      provider.claims = claims();
      assert.equal((await finished('grace'))?.ok, expected);
      assert.equal((await finished('grace', {}, 0, epochSeconds(now())))?.ok, expected, 'who proves it anew');
    });
  }
});

suite('groups of the provider', () => {
  test('decide who may confirm; the page says why somebody may not', async () => {
    for (const [login, groups, may] of [
      ['frank', ['ops'], true],
      ['heidi', ['sales'], false],
      ['ivan', undefined, false],
    ] as const) {
      provider.accounts.set(login, { groups });
      const visitor = await signedIn(login);
      const code = await startCode(service, 'orders:read', OPS);
      const { text } = await visitor.get(await visitor.enterCode(code.userCode));
      assert.equal(/button confirm/.test(text), may, login);
      assert.equal(/You may not use this integration/.test(text), !may, login);
    }
  });
});

suite('without a new sign-in', () => {
  async function grantOf(login: string): Promise<string> {
    const visitor = await signedIn(login);
    const code = await startCode(service);
    const path = await visitor.enterCode(code.userCode);
    await visitor.post(`${path}/confirm`);
    return String((await poll(service, code)).body['refresh_token']);
  }

  async function refresh(token: string): Promise<{ status: number; next: string; error: string }> {
    const sent = { client_id: ORDERS.clientId, refresh_token: token };
    const { status, body } = await post(service, '/authsvc/Authorize/Token', sent);
    return { status, next: String(body['refresh_token']), error: String(body['Error']) };
  }

  test('grants end after maxAge; each sign-in lets them go on; whoever returns gets new ones', async () => {
    const [kept, lost] = [await grantOf('judy'), await grantOf('kim')];
    service.advance(29 * DAY);
    await signedIn('judy');
    const [first, second] = [await refresh(kept), await refresh(lost)];
    assert.deepEqual([first.status, second.status], [200, 200]);
    service.advance(2 * DAY);
    assert.equal((await refresh(first.next)).status, 200);
    const ended = await refresh(second.next);
    assert.deepEqual([ended.status, ended.error], [400, 'invalid_grant']);
    assert.equal((await row(idOf('kim')))?.userName, undefined);
    assert.equal((await row(idOf('kim')))?.enabled, false);
    await signedIn('kim');
    assert.equal((await refresh(second.next)).status, 400, 'ended grants stay ended');
    assert.equal((await refresh(await grantOf('kim'))).status, 200);
  });
});

// Passkeys over the wire, with an authenticator in software that can also lie.
import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import type { Identity } from '../../../src/core/identity.ts';
import { relyingParty } from '../../../src/doors/pages/account/passkey-parts.ts';
import type { Site } from '../../../src/doors/pages/parts/visit.ts';
import { enableIdentity, removePasskey } from '../../../src/operations/admin/identities.ts';
import type { AnyTable } from '../../../src/store/table.ts';
import { assertions, attempts } from '../../../src/store/tables/attempts.ts';
import { passkeys } from '../../../src/store/tables/identities.ts';
import { sessions } from '../../../src/store/tables/sessions.ts';
import { accepted } from '../../node.ts';
import { OPERATOR } from '../../samples.ts';
import { startCode } from './calling-device.ts';
import { ADA, BOB, PASSWORD, type RunningService, startService } from './running-service.ts';
import { challengeFor, type Lies, register, registered, SoftwarePasskey, signInWith } from './software-passkey.ts';
import { signedIn, Visitor } from './visitor.ts';

let service: RunningService;
before(async () => {
  service = await startService();
});
after(() => service?.stop());

const keysOf = async ({ id }: Identity) => (await service.store.load(passkeys, id)).found?.row.keys ?? [];
const handleOf = ({ id }: Identity) => Buffer.from(id).toString('base64url');
const operator = () => ({ store: service.store, by: OPERATOR });

async function forget(identity: Identity): Promise<void> {
  await removePasskey(identity.id, { all: true }, operator());
}

/** The answer to a passkey that is not accepted: the sign-in page, whatever was wrong. */
function assertRefused({ status, text }: { status: number; text: string }, what: string): void {
  assert.equal(status, 403, what);
  assert.match(text, /The passkey was not accepted/, what);
}

const ruleOfLast = () =>
  service
    .logged()
    .match(/"rule":"([^"]+)"/g)
    ?.at(-1);

suite('signing in with a passkey [threats: Passkeys]', () => {
  let passkey: SoftwarePasskey;
  let visitor: Visitor;
  before(async () => {
    passkey = await registered(service);
  });
  beforeEach(() => {
    visitor = new Visitor(service);
  });

  test('signs in without a user name, and with the name of the account', async () => {
    for (const user_name of ['', 'ada']) {
      const fresh = new Visitor(service);
      assert.equal((await signInWith(fresh, passkey, {}, { user_name })).status, 303);
      assert.match((await fresh.get('/account')).text, /Signed in as ada/);
    }
  });

  test('any passkey of this service is asked for, verified, whoever it is of', async () => {
    await visitor.get('/account/sign-in');
    const { challenge, ...options } = JSON.parse((await visitor.get('/account/sign-in/passkey')).text);
    const rpId = new URL(service.url).hostname;
    assert.deepEqual(options, { timeout: 300_000, rpId, userVerification: 'required' });
    assert.match(challenge, /^[\w-]{22,}$/, 'at least 16 octets');
  });

  test('with the name of another account it is refused', async () => {
    assertRefused(await signInWith(visitor, passkey, {}, { user_name: 'bob' }), 'bob');
  });

  test('goes on with the code that the person came with', async () => {
    const { userCode } = await startCode(service);
    const { headers } = await signInWith(visitor, passkey, {}, { user_code: userCode });
    assert.match(headers.location ?? '', /^\/device\/[\w-]+$/, 'the request, to confirm it');
  });

  test('a replayed challenge is refused: the same answer, a new one, and in another browser', async () => {
    const options = await challengeFor(visitor);
    const answer = passkey.get(options);
    const other = new Visitor(service);
    await other.get('/account/sign-in');
    assertRefused(await other.post('/account/sign-in', { credential: answer }), 'another browser');
    assert.equal(ruleOfLast(), '"rule":"challenge"');
    const thief = new Visitor(service);
    for (const [name, value] of visitor.cookies) thief.cookies.set(name, value);
    thief.formToken = visitor.formToken;
    assert.equal((await visitor.post('/account/sign-in', { credential: answer })).status, 303);
    assertRefused(await thief.post('/account/sign-in', { credential: answer }), 'the same answer');
    assertRefused(await thief.post('/account/sign-in', { credential: passkey.get(options) }), 'a new answer');
  });

  test('of any number of answers to one challenge, one signs in', async () => {
    const options = await challengeFor(visitor);
    const all = await Promise.all(
      Array.from({ length: 8 }, () => visitor.post('/account/sign-in', { credential: passkey.get(options) })),
    );
    assert.equal(all.filter(({ status }) => status === 303).length, 1);
  });

  test('a challenge ends after five minutes, and holds across a restart', async () => {
    const late = new Visitor(service);
    const options = await challengeFor(visitor);
    const ended = await challengeFor(late);
    await service.restart();
    assert.equal((await visitor.post('/account/sign-in', { credential: passkey.get(options) })).status, 303);
    service.advance(300);
    assertRefused(await late.post('/account/sign-in', { credential: passkey.get(ended) }), 'late');
  });

  const LIES: Readonly<Record<string, Lies>> = {
    'a wrong origin': { origin: 'https://tokens.example.net' },
    'the origin with another port': { origin: 'https://localhost:1' },
    'a challenge of nobody': { challenge: Buffer.from('a'.repeat(64)).toString('base64url') },
    "the credential under another account's name": { userHandle: handleOf(BOB) },
    'an account that is none': { userHandle: Buffer.from('local:{x\0}').toString('base64url') },
    'no user verification': { isVerified: false },
    'an answer that is meant for registering': { type: 'webauthn.create' },
  };
  for (const [what, lies] of Object.entries(LIES))
    test(`${what} is refused`, async () => assertRefused(await signInWith(visitor, passkey, lies), what));

  test("another account's credential does not sign in, though its signature is right", async () => {
    const bobs = await registered(service, 'bob');
    assertRefused(await signInWith(visitor, bobs, { userHandle: handleOf(ADA) }), 'as ada');
    assert.equal((await signInWith(new Visitor(service), bobs)).status, 303);
    await forget(BOB);
  });

  test('what is no credential is refused', async () => {
    for (const credential of [
      'x',
      '{}',
      'null',
      '[]',
      '{"response":{"clientDataJSON":7}}',
      '{"id":1,"response":"x"}',
    ]) {
      await visitor.get('/account/sign-in');
      assertRefused(await visitor.post('/account/sign-in', { credential }), credential);
    }
  });

  test('a cloned key is refused with an event once its counter falls behind, and the account shows it', async () => {
    await signInWith(new Visitor(service), passkey);
    const { counter } = passkey;
    assertRefused(await signInWith(visitor, passkey, { counter }), 'the last counter once more');
    const [event] = (await service.store.newestEvents({ count: 1, identityId: ADA.id })).slice(-1);
    assert.ok(event?.type === 'administered' && event.detail.kind === 'passkey');
    assert.equal(event.detail.did, 'copied');
    assert.match((await (await signedIn(service)).get('/account')).text, /Copied passkey refused/);
    assert.equal((await signInWith(new Visitor(service), passkey)).status, 303, 'the real one goes on');
  });

  test('clients that are not signed in store nothing, whatever they send', async () => {
    const tables: AnyTable[] = [assertions, attempts, sessions, passkeys];
    const count = async () =>
      Promise.all(tables.map(async (table) => (await service.store.page(table, { limit: 999 })).length));
    const earlier = await count();
    for (let round = 0; round < 20; round++) {
      await challengeFor(visitor);
      await signInWith(visitor, passkey, { isVerified: false });
      await signInWith(visitor, new SoftwarePasskey(service), { userHandle: handleOf(ADA) });
    }
    assert.deepEqual(await count(), earlier);
  });

  test('a disabled identity does not sign in', async () => {
    accepted(await enableIdentity(ADA.id, false, operator()));
    assertRefused(await signInWith(visitor, passkey), 'disabled');
    accepted(await enableIdentity(ADA.id, true, operator()));
    assert.equal((await signInWith(visitor, passkey)).status, 303);
  });

  test('after an operator has removed it, it signs nobody in, and sessions have ended', async () => {
    await signInWith(visitor, passkey);
    assert.equal((await visitor.get('/account')).status, 200);
    await forget(ADA);
    assertRefused(await signInWith(new Visitor(service), passkey), 'removed');
    assert.equal((await visitor.get('/account')).headers.location, '/account/sign-in');
    assert.equal((await new Visitor(service).signIn()).status, 303, 'the password works');
  });
});

suite('registering a passkey [threats: Passkeys]', () => {
  let visitor: Visitor;
  beforeEach(async () => {
    await forget(BOB);
    visitor = await signedIn(service, 'bob');
  });

  const LIES: Readonly<Record<string, Lies>> = {
    'a wrong origin': { origin: 'https://tokens.example.net' },
    'no user verification': { isVerified: false },
    'an answer that is meant for signing in': { type: 'webauthn.get' },
  };
  for (const [what, lies] of Object.entries(LIES))
    test(`${what} is refused`, async () => {
      assertRefused(await register(visitor, new SoftwarePasskey(service), lies), what);
      assert.deepEqual(await keysOf(BOB), []);
    });

  test('it may vouch for itself, but not by a certificate: whoever wrote that could name addresses to fetch', async () => {
    const created = (lies: Lies) => register(visitor, new SoftwarePasskey(service), lies);
    assertRefused(await created({ attestation: 'certificate' }), 'a certificate');
    assert.equal((await created({ attestation: 'own-key' })).status, 303);
  });

  test('a replayed challenge is refused, and so is one that was drawn before signing in', async () => {
    const early = await challengeFor(new Visitor(service));
    const passkey = new SoftwarePasskey(service);
    await visitor.get('/account/passkeys');
    const options = JSON.parse((await visitor.get('/account/passkeys/options')).text);
    const send = (challenge: string, key: SoftwarePasskey) =>
      visitor.post('/account/passkeys', { name: 'x', credential: key.create({ ...options, challenge }) });
    assertRefused(await send(early.challenge, passkey), 'drawn before');
    assert.equal((await send(options.challenge, passkey)).status, 303);
    assertRefused(await send(options.challenge, new SoftwarePasskey(service)), 'replayed');
    assert.equal((await keysOf(BOB)).length, 1);
  });

  test('an account has 20 at most, however many are registered at once', async () => {
    const first = new SoftwarePasskey(service);
    await register(visitor, first);
    await signInWith(visitor, first);
    for (let count = 1; count < 18; count++) await register(visitor, new SoftwarePasskey(service));
    const all = await Promise.all(Array.from({ length: 5 }, () => register(visitor, new SoftwarePasskey(service))));
    assert.deepEqual(
      all.map(({ status }) => status).toSorted((a, b) => a - b),
      [303, 303, 409, 409, 409],
    );
    assert.equal((await keysOf(BOB)).length, 20);
    assert.match((await visitor.get('/account/passkeys')).text, /You have 20 passkeys, which is the most/);
  });

  test('changes need a sign-in within ten minutes; the password or a passkey does it', async () => {
    const passkey = await registered(service, 'bob');
    const ways = [
      () => visitor.post('/account/sign-in', { user_name: 'bob', password: PASSWORD, go_on: 'passkeys' }),
      () => signInWith(visitor, passkey, {}, { go_on: 'passkeys' }),
    ];
    for (const signInAgain of ways) {
      service.advance(601);
      const [key] = await keysOf(BOB);
      await visitor.get('/account');
      for (const path of [
        `/account/passkeys/${key?.id}/remove`,
        `/account/passkeys/${key?.id}/rename`,
        '/account/passkeys',
      ])
        assert.match(
          (await visitor.post(path, path.endsWith('rename') ? { name: 'x' } : {})).text,
          /to change your passkeys/,
          path,
        );
      assert.match((await visitor.get('/account/passkeys/options')).text, /to change your passkeys/);
      assert.deepEqual(await keysOf(BOB), [key]);
      assert.match((await visitor.get('/account/passkeys')).text, /to change your passkeys/);
      assert.equal((await signInAgain()).headers.location, '/account/passkeys');
      assert.match((await visitor.get('/account/passkeys')).text, /Add a passkey/);
    }
  });

  test('whoever is not signed in goes on to the passkeys, as the quick start promises', async () => {
    const stranger = new Visitor(service);
    assert.match((await stranger.get('/account/passkeys')).text, /name="go_on" value="passkeys"/);
    const { headers } = await stranger.signIn('bob', PASSWORD, { go_on: 'passkeys' });
    assert.equal(headers.location, '/account/passkeys');
  });

  test('a browser is asked for a passkey that it finds by itself, verified, and not one that the account has', async () => {
    const key = await registered(service);
    const ada = await signedIn(service);
    const { challenge, ...options } = JSON.parse((await ada.get('/account/passkeys/options')).text);
    assert.match(challenge, /^[\w-]{43,}$/);
    assert.deepEqual(options, {
      timeout: 300_000,
      rp: { id: 'localhost', name: 'Tessera' },
      user: { id: handleOf(ADA), name: 'ada', displayName: 'ada' },
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
      excludeCredentials: [{ type: 'public-key', id: key.id }],
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      attestation: 'none',
    });
    await forget(ADA);
  });

  test('names are shown as text, without what cannot be seen', async () => {
    const passkey = new SoftwarePasskey(service);
    await register(visitor, passkey);
    await signInWith(visitor, passkey);
    const [key] = await keysOf(BOB);
    await visitor.get('/account/passkeys');
    await visitor.post(`/account/passkeys/${key?.id}/rename`, { name: ' <b>Phone\u202e\u0007 ' });
    assert.equal((await keysOf(BOB))[0]?.name, '<b>Phone');
    assert.match((await visitor.get('/account/passkeys')).text, /&lt;b&gt;Phone/);
  });
});

test('browsers allow passkeys at names with TLS, and at localhost', () => {
  const at = (publicUrl: string) => relyingParty({ publicUrl } as Site);
  assert.deepEqual(at('https://tokens.example:8443'), { id: 'tokens.example', origin: 'https://tokens.example:8443' });
  assert.deepEqual(at('http://localhost:8080'), { id: 'localhost', origin: 'http://localhost:8080' });
  for (const none of ['http://tokens.example', 'https://192.0.2.1', 'https://[2001:db8::1]', 'http://127.0.0.1'])
    assert.equal(at(none), undefined, none);
});

test('at an IP address, where browsers allow none, there are no passkeys, and passwords work', async () => {
  const plain = await startService({ sets: ['publicUrl=https://127.0.0.1:8443'] });
  try {
    const visitor = await signedIn(plain);
    assert.equal((await visitor.get('/account/passkeys')).status, 404);
    assert.doesNotMatch((await new Visitor(plain).get('/account/sign-in')).text, /passkey/);
  } finally {
    await plain.stop();
  }
});

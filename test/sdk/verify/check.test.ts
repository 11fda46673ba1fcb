// The decision about one token: by what is known here, or by asking the service. The parts and the clock are the test's own.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { checkClaims, type Parts } from '../../../sdk/verify/src/check.ts';
import type { Claims } from '../../../sdk/verify/src/claims.ts';
import { Introspection, type Known } from '../../../sdk/verify/src/introspection.ts';
import { Misconfigured, Unavailable } from '../../../sdk/verify/src/service.ts';

const NOW = 1_800_000_000_000;
const CLAIMS: Claims = {
  ...{ identity: 'local:ada', integration: 'sync', scope: ['orders:read'], grant: '018f' },
  ...{ issuedAt: NOW / 1000, expiresAt: NOW / 1000 + 600 },
};
const OTHER: Claims = { ...CLAIMS, identity: 'local:bob' };
const JWT = 'a.b.c';
const OPAQUE = 'tsa_1==';

interface World {
  readonly isFresh?: boolean;
  readonly wasFresh?: boolean;
  readonly onOutage?: 'refuse' | 'trust-until-expiry';
  readonly whenStale?: 'refuse';
  /** What the JWT says; undefined: it is not good. */
  readonly jwt?: Claims | undefined | Error;
  readonly known?: Known;
  readonly answer?: Claims | undefined | Error;
  readonly isRevoked?: boolean;
  readonly mustAsk?: boolean;
  readonly isCovered?: boolean;
}

/** Whose token it is, or why it is refused; and whether the service was asked. */
async function check(token: string, world: World): Promise<string> {
  let asked = '';
  const { isFresh = true, wasFresh = isFresh, onOutage = 'refuse', isRevoked = false, mustAsk = false } = world;
  const settle = <T>(value: T | Error) => (value instanceof Error ? Promise.reject(value) : Promise.resolve(value));
  const parts = {
    settings: { now: () => NOW, cacheFor: 60, maxStale: 30, onOutage, whenStale: world.whenStale },
    feed: { isFresh, wasFresh },
    revocations: {
      whyRevoked: () => (isRevoked ? 'revoked' : undefined),
      needsIntrospection: () => mustAsk,
      covers: () => world.isCovered ?? true,
    },
    jwts: { read: () => settle('jwt' in world ? world.jwt : CLAIMS) },
    introspection: {
      known: () => world.known,
      ask: async () => {
        asked = ', asked';
        return { claims: await settle('answer' in world ? world.answer : CLAIMS), askedAt: NOW };
      },
    },
  } as unknown as Parts;
  const found = await checkClaims(token, parts);
  return `${'ok' in found ? found.reason : found.identity}${asked}`;
}

const AWAY = new Unavailable('away');
const knownFor = (seconds: number, claims: Claims | undefined = CLAIMS): Known => ({
  claims,
  askedAt: NOW - seconds * 1000,
});
const exchanged: Claims = { ...CLAIMS, isExchanged: true };

suite('a JWT', () => {
  const REFUSING: World = { isFresh: false, whenStale: 'refuse' };
  const CASES: readonly (readonly [string, World, string])[] = [
    ['is checked here while the feed is fresh', {}, 'local:ada'],
    ['that is not good is refused', { jwt: undefined }, 'token-invalid'],
    [
      'is not asked about while the last news count, if the settings say so',
      { ...REFUSING, wasFresh: true },
      'local:ada',
    ],
    ['is unavailable after that', { ...REFUSING, wasFresh: false }, 'unavailable'],
    ['is refused even then if it was revoked', { ...REFUSING, wasFresh: true, isRevoked: true }, 'token-invalid'],
    ['that was revoked is refused', { isRevoked: true }, 'token-invalid'],
    ['is asked about while the feed is not fresh', { isFresh: false }, 'local:ada, asked'],
    ['is refused then if it ended', { isFresh: false, answer: undefined }, 'token-invalid, asked'],
    ['is asked about if the feed says too little', { mustAsk: true }, 'local:ada, asked'],
    ['is asked about if it was exchanged', { jwt: exchanged }, 'local:ada, asked'],
    ['is asked about if there are no keys', { jwt: AWAY }, 'local:ada, asked'],
    ['is refused if there are neither keys nor an answer', { jwt: AWAY, answer: AWAY }, 'unavailable, asked'],
    [
      'counts by the last news if the service is away',
      { isFresh: false, wasFresh: true, answer: AWAY },
      'local:ada, asked',
    ],
    ['is unavailable after that', { isFresh: false, wasFresh: false, answer: AWAY }, 'unavailable, asked'],
    [
      'is unavailable if the feed says too little and the service is away',
      { mustAsk: true, answer: AWAY },
      'unavailable, asked',
    ],
    [
      'is trusted if the operator said so',
      { isFresh: false, wasFresh: false, answer: AWAY, onOutage: 'trust-until-expiry' },
      'local:ada, asked',
    ],
    [
      'that was exchanged is not trusted even then',
      { jwt: exchanged, answer: AWAY, onOutage: 'trust-until-expiry' },
      'unavailable, asked',
    ],
    ['is not asked about if it was revoked anyway', { isFresh: false, isRevoked: true }, 'token-invalid'],
    [
      'of a verifier that is no longer accepted',
      { isFresh: false, answer: new Misconfigured('401') },
      'unavailable, asked',
    ],
  ];
  for (const [what, world, expected] of CASES)
    test(what, async () => {
      assert.equal(await check(JWT, world), expected);
    });
});

suite('an opaque token', () => {
  const CASES: readonly (readonly [string, World, string])[] = [
    ['is asked about', {}, 'local:ada, asked'],
    ['is known from an answer of less than a minute', { known: knownFor(59.999) }, 'local:ada'],
    ['is asked about after a minute', { known: knownFor(60), answer: OTHER }, 'local:bob, asked'],
    ['is known for half a minute without the feed', { known: knownFor(29.999), isFresh: false }, 'local:ada'],
    ['is asked about then', { known: knownFor(30), isFresh: false, answer: OTHER }, 'local:bob, asked'],
    ['is asked about if the clock was set back', { known: knownFor(-1), answer: OTHER }, 'local:bob, asked'],
    ['is known from this very moment', { known: knownFor(0) }, 'local:ada'],
    [
      'is asked about if the answer no longer counts',
      { known: knownFor(1), isCovered: false, answer: OTHER },
      'local:bob, asked',
    ],
    [
      'that was not active is not, for 5 seconds',
      { known: { ...knownFor(4.999), claims: undefined } },
      'token-invalid',
    ],
    ['is asked about after that', { known: { ...knownFor(5), claims: undefined } }, 'local:ada, asked'],
    ['that was exchanged is known for 5 seconds', { known: knownFor(4.999, exchanged) }, 'local:ada'],
    ['is asked about after that, too', { known: knownFor(5, exchanged), answer: OTHER }, 'local:bob, asked'],
    ['is refused without asking if it was revoked', { known: knownFor(90), isRevoked: true }, 'token-invalid'],
    ['is unavailable while the service is away', { answer: AWAY }, 'unavailable, asked'],
    [
      'counts by an old answer and the last news if the service is away',
      { known: knownFor(90), isFresh: false, wasFresh: true, answer: AWAY },
      'local:ada, asked',
    ],
    [
      'is unavailable after that',
      { known: knownFor(90), isFresh: false, wasFresh: false, answer: AWAY },
      'unavailable, asked',
    ],
    [
      'is unavailable if the answer no longer counts, and the service is away',
      { known: knownFor(90), isCovered: false, answer: AWAY },
      'unavailable, asked',
    ],
    ['that was exchanged is unavailable then', { known: knownFor(90, exchanged), answer: AWAY }, 'unavailable, asked'],
    [
      'is trusted by an old answer if the operator said so',
      { known: knownFor(90), answer: AWAY, onOutage: 'trust-until-expiry' },
      'local:ada, asked',
    ],
    ['is not trusted without one', { answer: AWAY, onOutage: 'trust-until-expiry' }, 'unavailable, asked'],
  ];
  for (const [what, world, expected] of CASES)
    test(what, async () => {
      assert.equal(await check(OPAQUE, world), expected);
    });

  test('that cannot be one is refused without asking', async () => {
    for (const token of ['', 'a b', 'a\n', '=', 'ä', 'x'.repeat(16_385)])
      assert.equal(await check(token, {}), 'token-invalid');
    assert.equal(await check('x'.repeat(16_384), {}), 'local:ada, asked');
  });

  test('other faults are thrown', async () => {
    await assert.rejects(check(OPAQUE, { answer: new TypeError('a bug') }), /a bug/);
  });
});

suite('answers of the service', () => {
  const GIVEN = { active: true, sub: 'local:ada', client_id: 'sync', iat: 1, exp: NOW / 1000 + 600, jti: '018f.0' };
  function scene(cacheSize = 2) {
    const state = { now: NOW, asked: 0, answer: GIVEN as object };
    const service = {
      introspect: async () => {
        state.asked += 1;
        return state.answer as Record<string, unknown>;
      },
    };
    return { state, cache: new Introspection(service, { cacheSize, now: () => state.now }) };
  }

  test('are shared by those who ask at the same time, and kept', async () => {
    const { state, cache } = scene();
    assert.equal(cache.known('a'), undefined);
    const [one, other] = await Promise.all([cache.ask('a'), cache.ask('a'), cache.ask('b')]);
    assert.equal(one, other);
    assert.equal(state.asked, 2);
    assert.deepEqual([cache.known('a')?.claims?.identity, cache.known('a')?.askedAt], ['local:ada', NOW]);
    await cache.ask('a');
    assert.equal(state.asked, 3, 'nothing is shared afterwards');
  });

  test('are dropped when the token has expired', async () => {
    const { state, cache } = scene();
    await cache.ask('a');
    state.now = GIVEN.exp * 1000 - 1;
    assert.ok(cache.known('a'));
    state.now += 1;
    assert.equal(cache.known('a'), undefined);
    assert.equal(cache.size, 0);
  });

  test('about tokens that are not active, or cannot be read, have no claims', async () => {
    const { state, cache } = scene();
    for (const answer of [{ ...GIVEN, active: false }, { ...GIVEN, active: 'true' }, { active: true }]) {
      state.answer = answer;
      assert.equal((await cache.ask('a')).claims, undefined);
    }
    assert.deepEqual(cache.known('a'), { claims: undefined, askedAt: NOW });
  });

  test('are as many as allowed: the one that was not used for longest is dropped', async () => {
    const { cache } = scene();
    for (const token of ['a', 'b']) await cache.ask(token);
    cache.known('a');
    await cache.ask('c');
    assert.deepEqual(
      ['a', 'b', 'c'].map((token) => cache.known(token) !== undefined),
      [true, false, true],
    );
    await cache.ask('a');
    await cache.ask('d');
    assert.equal(cache.known('c'), undefined, 'an answer that was renewed is the newest');
  });
});

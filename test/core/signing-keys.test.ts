import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  dueSteps,
  livesOf,
  type SigningKeyLife,
  type SigningKeyState,
  signingKeyOf,
  startOf,
  startOfNewKey,
  whyNotRemove,
  whyNotSign,
} from '../../src/core/rules/signing-keys.ts';
import { DEFAULT_SETTINGS, settingsFor } from '../../src/core/settings.ts';
import { type EpochSeconds, epochSeconds, seconds } from '../../src/core/time.ts';
import { anIntegration, NOW } from '../samples.ts';

/** A day, the longest life of a JWT, and five minutes for nodes that read a little late which key signs. */
const TOKENS_ALIVE = 86_400 + 300;
const PUBLISHED_FOR = seconds(100);
const TIMES = { publishedFor: PUBLISHED_FOR, every: seconds(1000) };
const later = (by: number) => epochSeconds(NOW + by);
const aLife = (id: string, state: SigningKeyState, since = NOW): SigningKeyLife => ({ id, state, since });

interface Times {
  readonly id: string;
  readonly publishedAt: EpochSeconds;
  readonly signsFrom?: EpochSeconds;
  readonly removedAt?: EpochSeconds;
}

test('the first key signs at once, a later one is published first', () => {
  assert.equal(startOfNewKey([], NOW), NOW);
  const first = { id: 'a', publishedAt: NOW, signsFrom: NOW };
  assert.equal(startOfNewKey([first], later(5)), undefined);
  assert.equal(startOfNewKey([{ ...first, removedAt: later(1) }], later(5)), later(5), 'no key signs any more');
});

test('the key that began to sign last signs; the others retire when the next one began', () => {
  const keys: Times[] = [
    { id: 'a', publishedAt: NOW, signsFrom: NOW },
    { id: 'b', publishedAt: NOW, signsFrom: later(100), removedAt: later(250) },
    { id: 'c', publishedAt: NOW, signsFrom: later(200) },
    { id: 'd', publishedAt: later(150) },
  ];
  assert.deepEqual(livesOf(keys), [
    aLife('a', 'retiring', later(100)),
    aLife('c', 'signing', later(200)),
    aLife('d', 'published', later(150)),
  ]);
  assert.equal(signingKeyOf(keys)?.id, 'c');
  assert.equal(signingKeyOf([]), undefined);
});

test('two keys never begin at the same moment, even if the clock stands still or runs back', () => {
  const keys: Times[] = [{ id: 'a', publishedAt: NOW, signsFrom: later(50) }];
  assert.equal(startOf(keys, later(50)), later(51));
  assert.equal(startOf(keys, NOW), later(51));
  assert.equal(startOf(keys, later(70)), later(70));
});

test('a key signs once it was published for long enough, to the second', () => {
  const key = aLife('b', 'published');
  assert.equal(whyNotSign(key, PUBLISHED_FOR, later(99)), 'published-too-recently');
  assert.equal(whyNotSign(key, PUBLISHED_FOR, later(100)), undefined);
  assert.equal(whyNotSign(aLife('a', 'signing'), PUBLISHED_FOR, later(100)), 'signs-already');
  assert.equal(whyNotSign(aLife('a', 'retiring'), PUBLISHED_FOR, later(100)), 'retiring');
});

test('a key stays published until the last token that it signed has expired', () => {
  assert.equal(whyNotRemove(aLife('a', 'signing'), later(9 * TOKENS_ALIVE)), 'signs');
  assert.equal(whyNotRemove(aLife('a', 'retiring'), later(TOKENS_ALIVE - 1)), 'tokens-alive');
  assert.equal(whyNotRemove(aLife('a', 'retiring'), later(TOKENS_ALIVE)), undefined);
  assert.equal(whyNotRemove(aLife('a', 'published'), NOW), undefined, 'it has signed nothing');
});

test('what is due: the key published first signs, an old one gets a successor, ended ones are removed', () => {
  const lives = [
    aLife('a', 'retiring'),
    aLife('b', 'signing'),
    aLife('c', 'published', later(10)),
    aLife('d', 'published', later(5)),
  ];
  assert.deepEqual(dueSteps(lives, TIMES, later(40)), []);
  assert.deepEqual(dueSteps(lives, TIMES, later(105)), [{ do: 'sign', id: 'd' }]);
  assert.deepEqual(dueSteps(lives, TIMES, later(TOKENS_ALIVE)), [
    { do: 'sign', id: 'd' },
    { do: 'remove', id: 'a' },
  ]);
  assert.deepEqual(dueSteps([aLife('b', 'signing')], TIMES, later(999)), []);
  assert.deepEqual(dueSteps([aLife('b', 'signing')], TIMES, later(1000)), [{ do: 'add' }]);
});

test('whatever is added and whenever the due steps are taken: one key signs, published in time, removed in time', () => {
  const days = fc.array(fc.record({ wait: fc.nat(40_000), add: fc.boolean() }), { maxLength: 40 });
  fc.assert(
    fc.property(days, (moves) => {
      let [keys, now, count]: [Times[], number, number] = [[], NOW, 0];
      const add = () => {
        const signsFrom = startOfNewKey(keys, epochSeconds(now));
        const times = { publishedAt: epochSeconds(now), ...(signsFrom !== undefined && { signsFrom }) };
        keys = [...keys, { id: `k${count++}`, ...times }];
      };
      const change = (id: string, difference: Partial<Times>) => {
        keys = keys.map((key) => (key.id === id ? { ...key, ...difference } : key));
      };
      for (const { wait, add: isAdded } of moves) {
        now += wait;
        if (isAdded) add();
        const at = epochSeconds(now);
        for (const step of dueSteps(livesOf(keys), TIMES, at)) {
          if (step.do === 'add') {
            add();
            continue;
          }
          const before = livesOf(keys).find(({ id }) => id === step.id) as SigningKeyLife;
          if (step.do === 'sign') {
            assert.ok(before.state === 'published' && now - before.since >= PUBLISHED_FOR);
            change(step.id, { signsFrom: startOf(keys, at) });
          } else {
            assert.ok(before.state === 'retiring' && now - before.since >= 86_400);
            change(step.id, { removedAt: at });
          }
        }
        const signing = livesOf(keys).filter(({ state }) => state === 'signing');
        assert.equal(signing.length, keys.length === 0 ? 0 : 1);
      }
    }),
  );
});

test('a JWT lives for 10 minutes by default, never longer than opaque tokens would, and for a day at most', () => {
  const lifetime = (difference: Parameters<typeof anIntegration>[0], settings = DEFAULT_SETTINGS) =>
    settingsFor(anIntegration({ accessTokenFormat: 'jwt', ...difference }), settings).accessTokenLifetime;
  assert.equal(lifetime({}), 600);
  assert.equal(lifetime({}, { ...DEFAULT_SETTINGS, accessTokenLifetime: seconds(60) }), 60);
  assert.equal(lifetime({ overrides: { accessTokenLifetime: seconds(3600) } }), 3600);
  assert.equal(lifetime({ overrides: { accessTokenLifetime: seconds(90 * 86_400) } }), 86_400);
  assert.equal(lifetime({ accessTokenFormat: 'opaque' }), 90 * 86_400);
});

test('the lifetime follows the format of the grant, not that of the integration today', () => {
  const opaqueToday = anIntegration({ overrides: { accessTokenLifetime: seconds(90 * 86_400) } });
  assert.equal(settingsFor(opaqueToday, DEFAULT_SETTINGS, { format: 'jwt' }).accessTokenLifetime, 86_400);
  const jwtToday = anIntegration({ accessTokenFormat: 'jwt' });
  assert.equal(settingsFor(jwtToday, DEFAULT_SETTINGS, { format: 'opaque' }).accessTokenLifetime, 90 * 86_400);
});

// What each choice does while the service, its feed or its keys are away: the table in sdk/verify/README.md, and its neighbours.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { type Guard, type VerifierOptions, verifier } from '../../../sdk/verify/src/verify.ts';
import { eventually } from '../../eventually.ts';
import { FakeService } from './fake-service.ts';

const CHOICES = ['refuse', 'trust-until-expiry'] as const;
type Choice = (typeof CHOICES)[number];

interface Scene {
  readonly service: FakeService;
  readonly guard: Guard;
  readonly jwt: string;
  /** An opaque token that was checked before, and one that was not. */
  readonly seen: string;
  readonly unseen: string;
}

async function withScene(
  options: Partial<VerifierOptions>,
  play: (scene: Scene) => Promise<void>,
  lifetime = 600,
): Promise<void> {
  const service = await FakeService.start();
  const guard = await verifier({ ...service.options, ...options });
  try {
    await eventually('the stream is open', () => service.followers === 1);
    const exp = service.now + lifetime;
    const [jwt, seen, unseen] = [await service.jwt({ exp }), service.opaque({ exp }), service.opaque({ exp })];
    const scene = { service, guard, jwt, seen, unseen };
    assert.equal(await statusOf(guard, scene.jwt), '200');
    assert.equal(await statusOf(guard, scene.seen), '200');
    await play(scene);
  } finally {
    guard.close();
    await service.leave();
  }
}

async function statusOf(guard: Guard, token: string): Promise<string> {
  const checked = await guard.check(token);
  if (checked.ok) return '200';
  return {
    'token-invalid': '401',
    'token-missing': '401',
    'proof-invalid': '401',
    'proofs-too-many': '429',
    'scope-insufficient': '403',
    unavailable: '503',
  }[checked.reason];
}

async function row({ guard, jwt, seen, unseen }: Scene): Promise<readonly string[]> {
  return [await statusOf(guard, jwt), await statusOf(guard, seen), await statusOf(guard, unseen)];
}

/** What is away → how it is taken away. */
const OUTAGES: Readonly<Record<string, (service: FakeService) => Promise<void>>> = {
  'the service': (service) => service.leave(),
  'the feed': async (service) => {
    service.away.add('feed');
    service.cutStreams();
  },
  'the key set': async (service) => void service.away.add('keys'),
};

/** The rows of the table in the README: JWT, opaque seen before, opaque not seen before. */
const TABLE: readonly (readonly [away: string, when: string, choice: Choice | 'either', results: readonly string[]])[] =
  [
    ['the service', 'up to `maxStale`', 'either', ['200', '200', '503']],
    ['the service', 'later', 'refuse', ['503', '503', '503']],
    ['the service', 'later', 'trust-until-expiry', ['200', '200', '503']],
    ['the service', 'after an hour', 'trust-until-expiry', ['503', '200', '503']],
    ['the feed', 'up to `maxStale`', 'either', ['200', '200', '200']],
    ['the feed', 'later', 'either', ['200', '200', '200']],
    ['the key set', 'at any time', 'either', ['200', '200', '200']],
  ];

suite('the table of outages', () => {
  for (const [away, when, choice, results] of TABLE)
    for (const onOutage of choice === 'either' ? CHOICES : [choice])
      test(`${away} is away, ${when}, ${onOutage}`, () =>
        withScene(
          { onOutage },
          async (scene) => {
            await OUTAGES[away]?.(scene.service);
            scene.service.now += { later: 31, 'after an hour': 3601 }[when] ?? 10;
            assert.deepEqual(await row(scene), results);
          },
          7200,
        ));

  test('is in the README', () => {
    const readme = readFileSync(join(import.meta.dirname, '../../../sdk/verify/README.md'), 'utf8');
    for (const [away, when, choice, results] of TABLE) {
      const line = `| ${[away, when, choice === 'either' ? 'either' : `\`${choice}\``, ...results].join(' | ')} |`;
      assert.ok(readme.includes(line), line);
    }
  });
});

suite('whatever the choice', () => {
  for (const onOutage of CHOICES) {
    test(`${onOutage}: a token that was revoked before the outage stays refused`, () =>
      withScene({ onOutage }, async ({ service, guard, jwt, seen }) => {
        service.tell({ type: 'grant', grant: '018f', keep_until: service.now + 86_400 });
        await eventually('it is refused', async () => (await statusOf(guard, jwt)) === '401');
        await service.leave();
        service.now += 60;
        assert.deepEqual([await statusOf(guard, jwt), await statusOf(guard, seen)], ['401', '401']);
      }));

    test(`${onOutage}: a token that the service has refused stays refused when the service goes away`, () =>
      withScene({ onOutage }, async ({ service, guard, jwt }) => {
        service.away.add('feed');
        service.cutStreams();
        await eventually('the feed is away', () => !guard.isFresh);
        service.active.delete(jwt);
        service.now += 6;
        assert.equal(await statusOf(guard, jwt), '401');
        await service.leave();
        for (const seconds of [1, 6, 30]) {
          service.now += seconds;
          assert.equal(await statusOf(guard, jwt), '401', `${seconds} seconds later`);
        }
      }));

    test(`${onOutage}: an expired token is refused, and never trusted`, () =>
      withScene({ onOutage }, async ({ service, guard, jwt, seen }) => {
        await service.leave();
        service.now += 700;
        assert.deepEqual([await statusOf(guard, jwt), await statusOf(guard, seen)], ['401', '503']);
      }));

    test(`${onOutage}: when the service is back, so is everything, and nothing was missed`, () =>
      withScene({ onOutage }, async (scene) => {
        const { service, guard, jwt } = scene;
        await service.leave();
        service.now += 31;
        service.tell({ type: 'grant', grant: '0190', keep_until: service.now + 86_400 });
        await service.listen();
        const ended = await service.jwt({ jti: '0190.3' });
        await eventually('it is fresh', () => guard.isFresh);
        await eventually('it was told', async () => (await statusOf(guard, ended)) === '401');
        assert.equal(await statusOf(guard, jwt), '200');
      }));
  }

  test('after close(), nothing is sent: what needs the service gets 503', () =>
    withScene({}, async ({ service, guard, jwt, unseen }) => {
      guard.close();
      const before = service.introspections;
      assert.deepEqual([await statusOf(guard, jwt), await statusOf(guard, unseen)], ['200', '503']);
      assert.equal(service.introspections, before);
    }));

  test('a service that is away does not keep an API from starting', async () => {
    const service = await FakeService.start();
    const { options } = service;
    await service.leave();
    const guard = await verifier(options);
    assert.equal(await statusOf(guard, await service.jwt()), '503');
    await service.listen();
    await eventually('it is fresh', () => guard.isFresh);
    assert.equal(await statusOf(guard, await service.jwt()), '200');
    guard.close();
    await service.leave();
  });
});

suite('the clock of the API', () => {
  test('set back: what was heard before is not taken for news', () =>
    withScene({ onOutage: 'refuse' }, async ({ service, guard, jwt }) => {
      await service.leave();
      service.now -= 3600;
      assert.equal(guard.isFresh, false);
      assert.equal(await statusOf(guard, jwt), '503');
    }));
});

suite('the stream', () => {
  test('is resumed after a cut, without a new snapshot', () =>
    withScene({}, async ({ service, guard, jwt }) => {
      service.cutStreams();
      service.tell({ type: 'grant', grant: '018f', keep_until: service.now + 86_400 });
      await eventually('it was told', async () => (await statusOf(guard, jwt)) === '401');
      assert.equal(service.snapshots, 1);
    }));

  test('a cursor that is gone leads to a snapshot; an ended grant is not forgotten', () =>
    withScene({}, async ({ service, guard, jwt }) => {
      service.tell({ type: 'grant', grant: '018f', keep_until: service.now + 86_400 });
      await eventually('it was told', async () => (await statusOf(guard, jwt)) === '401');
      service.forget();
      await eventually('a snapshot was taken', () => service.snapshots === 2);
      await eventually('the stream is open', () => service.followers === 1);
      assert.equal(await statusOf(guard, jwt), '401');
    }));
});

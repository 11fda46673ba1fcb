// What a verifier that says it is fresh knows: every revocation. And what makes it so, and no longer so.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { type Guard, Misconfigured, type VerifierOptions, verifier } from '../../../sdk/verify/src/verify.ts';
import { eventually } from '../../eventually.ts';
import { FakeService } from './fake-service.ts';

interface Scene {
  readonly service: FakeService;
  readonly guard: Guard;
  readonly notices: readonly string[];
}

async function scene(t: TestContext, options: Partial<VerifierOptions> = {}): Promise<Scene> {
  const service = await FakeService.start();
  t.after(() => service.leave());
  const notices: string[] = [];
  const guard = await verifier({ ...service.options, onNotice: (notice) => notices.push(notice), ...options });
  t.after(() => guard.close());
  return { service, guard, notices };
}

async function reasonFor(guard: Guard, token: string): Promise<string> {
  const checked = await guard.check(token);
  return checked.ok ? 'allowed' : checked.reason;
}

const ended = (service: FakeService, grant = '018f') => ({ type: 'grant', grant, keep_until: service.now + 86_400 });

/** The grant ends: introspection and the feed know it. */
function revoke(service: FakeService, token: string): void {
  service.active.delete(token);
  service.tell(ended(service));
}

suite('after a cut', () => {
  test('a token that was revoked meanwhile is refused, however long the backlog takes', async (t) => {
    const { service, guard } = await scene(t);
    const token = await service.jwt();
    assert.equal(await reasonFor(guard, token), 'allowed');
    assert.equal(service.introspections, 0, 'a fresh verifier asks nobody');
    // From now on, a stream sends its first bytes and no more.
    service.backlog = false;
    service.isComplete = false;
    service.cutStreams();
    await eventually('the stream is over', () => !guard.isFresh);
    revoke(service, token);
    await eventually('another stream is open', () => service.followers === 1);
    for (let n = 0; n < 20; n++) {
      service.showLife();
      assert.equal(await reasonFor(guard, token), 'token-invalid');
      assert.equal(guard.isFresh, false, 'signs of life do not make it fresh');
    }
    service.write(`id: c1\ndata: ${JSON.stringify(ended(service))}\n\n`);
    service.catchUp();
    await eventually('it has caught up', () => guard.isFresh);
    assert.equal(await reasonFor(guard, token), 'token-invalid');
  });

  test('it is not fresh while there is no stream, and again fresh once the next one has caught up', async (t) => {
    const { service, guard } = await scene(t);
    assert.equal(guard.isFresh, true);
    service.away.add('feed');
    service.cutStreams();
    await eventually('the stream is over', () => !guard.isFresh);
    service.away.delete('feed');
    await eventually('it is fresh', () => guard.isFresh);
  });

  test('after many failed attempts, the next cut is resumed as fast as the first', async (t) => {
    const { service, guard } = await scene(t);
    service.away.add('feed');
    let failed = 0;
    service.instead.set('/feed', (response) => {
      failed += 1;
      response.writeHead(503).end();
    });
    service.cutStreams();
    await eventually('it has waited longer and longer', () => failed === 5);
    service.instead.delete('/feed');
    service.away.delete('feed');
    await eventually('it is fresh', () => guard.isFresh);
    const resumedAfter = async () => {
      service.cutStreams();
      const began = performance.now();
      await eventually('the stream is over', () => !guard.isFresh);
      await eventually('it is fresh', () => guard.isFresh);
      return performance.now() - began;
    };
    let took = await resumedAfter();
    for (let cut = 1; cut < 4 && took >= 1_500; cut++) took = await resumedAfter(); // a busy machine may be late
    assert.ok(took < 1_500, 'the sixth pause would have been 1.6 s at least');
  });
});

suite('fresh: everything is known that was committed more than two seconds ago', () => {
  test('a stream that falls behind, or is silent: the service is asked about every token until it has caught up again', async (t) => {
    const { service, guard, notices } = await scene(t, { maxStale: 60 });
    const token = await service.jwt();
    service.now += 1.9;
    assert.equal(guard.isFresh, true);
    service.now += 0.1;
    assert.equal(guard.isFresh, false);
    service.active.delete(token); // revoked; the entry comes later
    assert.equal(await reasonFor(guard, token), 'token-invalid');
    service.showLife();
    service.tell(ended(service, '0190'));
    await eventually(
      'it is read',
      async () => (await reasonFor(guard, await service.jwt({ jti: '0190.0' }))) !== 'allowed',
    );
    assert.equal(guard.isFresh, false, 'neither signs of life nor entries make it fresh');
    service.tell(ended(service));
    service.catchUp();
    await eventually('it has caught up', () => guard.isFresh);
    assert.equal(await reasonFor(guard, token), 'token-invalid');
    assert.deepEqual(notices, [], 'for a moment only: nothing that an operator must know');
  });
});

test('a service that never says caught-up (before 0.3): never fresh, every token is introspected, and a notice says so', async (t) => {
  await using service = await FakeService.start();
  service.isComplete = false;
  service.audience = undefined;
  const notices: string[] = [];
  const guard = await verifier({ ...service.options, onNotice: (notice) => notices.push(notice) });
  t.after(() => guard.close());
  const token = await service.jwt();
  assert.equal(guard.isFresh, false);
  assert.equal(await reasonFor(guard, token), 'allowed');
  assert.equal(service.introspections, 1);
  service.tell(ended(service));
  await eventually('an entry still ends a token at once', async () => (await reasonFor(guard, token)) !== 'allowed');
  service.now += 10;
  service.showLife();
  await eventually('a notice', () => notices.some((notice) => /has not sent caught-up/.test(notice)));
});

suite('what the feed does not name', () => {
  test('another audience than the registered one fails at the start', async () => {
    await using service = await FakeService.start();
    service.audience = 'https://stock.example';
    await assert.rejects(verifier(service.options), (fault) => {
      assert.ok(fault instanceof Misconfigured);
      assert.match(fault.message, /registered with the audience https:\/\/stock\.example/);
      return true;
    });
  });
});

test('a service that was away for an hour: 503 meanwhile, then everything again, without a restart', async (t) => {
  const { service, guard } = await scene(t);
  const token = await service.jwt({ exp: service.now + 7200 });
  await service.leave();
  service.now += 3600;
  assert.equal(await reasonFor(guard, token), 'unavailable');
  service.tell(ended(service, '0190'));
  await service.listen();
  await eventually('it is fresh', () => guard.isFresh);
  assert.equal(await reasonFor(guard, token), 'allowed');
  assert.equal(await reasonFor(guard, await service.jwt({ jti: '0190.1' })), 'token-invalid');
});

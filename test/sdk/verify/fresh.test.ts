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

  test('what arrives late counts from when it was true, not from when it arrived', async (t) => {
    const { service, guard } = await scene(t);
    const then = service.now;
    service.now += 5;
    service.catchUp(then + 2.9); // of a slow store, or held up by the network
    service.tell(ended(service, '0190'));
    await eventually(
      'it is read',
      async () => (await reasonFor(guard, await service.jwt({ jti: '0190.0' }))) !== 'allowed',
    );
    assert.equal(guard.isFresh, false);
    service.catchUp(then + 3.1);
    await eventually('this is less than two seconds ago', () => guard.isFresh);
  });

  test('nothing that says less about it makes it fresh', async (t) => {
    const { service, guard } = await scene(t);
    service.now += 5;
    for (const until of ['', ',"until":"soon"', ',"until":null', ',"until":-1']) {
      service.write(`event: caught-up\ndata: {"type":"caught-up"${until}}\n\n`);
      service.tell(ended(service, '0190'));
      await eventually(
        'it is read',
        async () => (await reasonFor(guard, await service.jwt({ jti: '0190.0' }))) !== 'allowed',
      );
      assert.equal(guard.isFresh, false, until);
    }
  });

  test('a stream that was slow to open is replaced, since nothing it says is recent enough', async (t) => {
    const { service, guard } = await scene(t);
    service.openSlowly = 3;
    service.cutStreams();
    await eventually('another stream is open', () => service.streams === 2);
    service.openSlowly = 0;
    for (let second = 0; second < 3; second++) {
      assert.equal(guard.isFresh, false, 'it counts from when the request was sent');
      service.now += 1;
      service.catchUp();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await eventually('it is fresh', () => guard.isFresh);
    assert.equal(service.streams, 3);
  });

  test('a clock that was set back: the stream is replaced', async (t) => {
    const { service, guard } = await scene(t);
    service.now -= 3600;
    assert.equal(guard.isFresh, false);
    const isReplaced = () => {
      if (service.streams === 1) service.catchUp(service.now + 3600); // as it goes on to do
      return guard.isFresh;
    };
    await eventually('it is fresh', isReplaced);
    assert.equal(service.streams, 2);
  });
});

test('a service that never says caught-up (before 0.3): never fresh, every token is introspected, and a notice says so', async (t) => {
  const service = await FakeService.start();
  t.after(() => service.leave());
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
  test('a token of an integration that is not in the feed is introspected', async (t) => {
    const { service, guard } = await scene(t);
    const token = await service.jwt({ client_id: 'unheard-of' });
    assert.equal(await reasonFor(guard, token), 'allowed');
    assert.equal(service.introspections, 1);
    const other = await service.jwt({ client_id: 'unheard-of', jti: '0191.0' });
    service.active.delete(other);
    assert.equal(await reasonFor(guard, other), 'token-invalid');
  });

  test('a token whose integration has nothing left for this API is introspected', async (t) => {
    const { service, guard } = await scene(t);
    const token = await service.jwt();
    service.active.delete(token);
    service.tell({ ...service.integration, scope: '' });
    await eventually('it is refused', async () => (await reasonFor(guard, token)) === 'token-invalid');
  });

  test('another audience than the registered one fails at the start', async (t) => {
    const service = await FakeService.start();
    t.after(() => service.leave());
    service.audience = 'https://stock.example';
    await assert.rejects(verifier(service.options), (fault) => {
      assert.ok(fault instanceof Misconfigured);
      assert.match(fault.message, /registered with the audience https:\/\/stock\.example/);
      return true;
    });
  });
});

test('an identity that may no longer use one integration is refused there, and only there', async (t) => {
  const { service, guard } = await scene(t);
  service.tell({ ...service.integration, client_id: 'kiosk' });
  const [here, elsewhere] = [await service.jwt(), await service.jwt({ client_id: 'kiosk' })];
  const { createHash } = await import('node:crypto');
  const identity = createHash('sha256').update('local:ada').digest('hex');
  const state = { type: 'identity', identity, allowed: true, keep_until: service.now + 86_400 };
  service.tell({ ...state, except: ['orders-sync'] });
  await eventually('it is refused', async () => (await reasonFor(guard, here)) === 'token-invalid');
  assert.equal(await reasonFor(guard, elsewhere), 'allowed');
  service.tell({ ...state, except: [] });
  await eventually('it is allowed again', async () => (await reasonFor(guard, here)) === 'allowed');
});

test('others may use an integration: an answer that was kept no longer counts', async (t) => {
  const { service, guard } = await scene(t);
  const token = service.opaque();
  assert.equal(await reasonFor(guard, token), 'allowed');
  service.active.delete(token);
  assert.equal(await reasonFor(guard, token), 'allowed', 'it is kept');
  service.tell({ ...service.integration, recheck_before: service.now + 5 });
  await eventually('the service is asked again', async () => (await reasonFor(guard, token)) === 'token-invalid');
});

test('a busy node that answers by the old state is asked again soon', async (t) => {
  const { service, guard } = await scene(t);
  const token = await service.jwt();
  service.tell({ ...service.integration, recheck_before: service.now + 5 });
  await eventually('the service is asked', async () => {
    await reasonFor(guard, token);
    return service.introspections > 0;
  });
  service.now += 3;
  service.catchUp();
  await eventually('it has caught up', () => guard.isFresh);
  assert.equal(await reasonFor(guard, token), 'allowed', 'the node has not applied it yet');
  service.active.delete(token);
  service.now += 3;
  assert.equal(await reasonFor(guard, token), 'token-invalid');
});

test('clock set back: an answer that was kept is not used', async (t) => {
  const { service, guard } = await scene(t);
  const token = service.opaque();
  assert.equal(await reasonFor(guard, token), 'allowed');
  service.active.delete(token);
  service.now -= 3600;
  assert.equal(await reasonFor(guard, token), 'token-invalid');
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

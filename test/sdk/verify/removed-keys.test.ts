// Signing keys that are removed: what the feed says about it, and how long a verifier uses the keys it has.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import { type Guard, verifier } from '../../../sdk/verify/src/verify.ts';
import { eventually } from '../../eventually.ts';
import { FakeService } from './fake-service.ts';

interface Scene {
  readonly service: FakeService;
  readonly guard: Guard;
}

async function scene(t: TestContext): Promise<Scene> {
  const service = await FakeService.start();
  t.after(() => service.leave());
  const guard = await verifier(service.options);
  t.after(() => guard.close());
  return { service, guard };
}

async function reasonFor(guard: Guard, token: string): Promise<string> {
  const checked = await guard.check(token);
  return checked.ok ? 'allowed' : checked.reason;
}

suite('keys that are published no longer', () => {
  /** A token of a key that is then removed. Introspection knows: it is not active. */
  async function withRemovedKey(t: TestContext): Promise<Scene & { readonly token: string; readonly good: string }> {
    const found = await scene(t);
    const { service, guard } = found;
    const token = await service.jwt();
    assert.equal(await reasonFor(guard, token), 'allowed');
    await service.rotate('second');
    service.active.delete(token);
    service.removeKey('first');
    return { ...found, token, good: await service.jwt({ jti: '0190.0' }) };
  }

  test('the feed says it: their tokens are refused at once, and the others stay good', async (t) => {
    const { service, guard, token, good } = await withRemovedKey(t);
    service.tell({ type: 'keys', changed: service.now });
    await eventually('it is refused', async () => (await reasonFor(guard, token)) === 'token-invalid');
    service.now += 6;
    service.catchUp();
    await eventually('it has caught up', () => guard.isFresh);
    const before = service.introspections;
    assert.equal(await reasonFor(guard, good), 'allowed');
    assert.equal(service.introspections, before, 'by the new keys');
    assert.equal(await reasonFor(guard, token), 'token-invalid');
  });

  test('the key endpoint is broken: tokens are introspected', async (t) => {
    const { service, guard, token, good } = await withRemovedKey(t);
    service.away.add('keys');
    service.tell({ type: 'keys', changed: service.now });
    await eventually('it is refused', async () => (await reasonFor(guard, token)) === 'token-invalid');
    for (let n = 0; n < 5; n++) {
      service.now += 10;
      service.catchUp();
      await eventually('it has caught up', () => guard.isFresh);
      assert.equal(await reasonFor(guard, token), 'token-invalid');
      assert.equal(await reasonFor(guard, good), 'allowed');
    }
  });
});

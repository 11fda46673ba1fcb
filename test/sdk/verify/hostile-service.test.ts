// What a verifier does with answers that a service never sends, but a proxy, a bug or an attacker may.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { suite, type TestContext, test } from 'node:test';
import { type Guard, Misconfigured, type VerifierOptions, verifier } from '../../../sdk/verify/src/verify.ts';
import { eventually } from '../../eventually.ts';
import { givenUp } from './endless-snapshot.ts';
import { FakeService } from './fake-service.ts';

const METADATA = '/.well-known/oauth-authorization-server';

async function scene(t: TestContext, options: Partial<VerifierOptions> = {}): Promise<[FakeService, Guard]> {
  const service = await FakeService.start();
  const guard = await verifier({ ...service.options, ...options });
  t.after(async () => {
    guard.close();
    await service.leave();
  });
  await eventually('the stream is open', () => service.followers === 1);
  return [service, guard];
}

async function reasonFor(guard: Guard, token: string): Promise<string> {
  const checked = await guard.check(token);
  return checked.ok ? 'allowed' : checked.reason;
}

const sendText = (text: string) => (response: ServerResponse) => void response.writeHead(200).end(text);

for (const name of ['introspection_endpoint', 'revocation_feed_endpoint', 'jwks_uri'])
  for (const address of [undefined, 7, 'nonsense', 'http://tokens.example.com/x'])
    test(`${name} ${address} in the metadata fails at the start`, async () => {
      await using service = await FakeService.start();
      const good = {
        introspection_endpoint: 'https://t/i',
        revocation_feed_endpoint: 'https://t/r',
        jwks_uri: 'https://t/k',
      };
      service.instead.set(METADATA, sendText(JSON.stringify({ issuer: service.issuer, ...good, [name]: address })));
      await assert.rejects(verifier(service.options), (fault) => {
        assert.ok(fault instanceof Misconfigured);
        assert.match(fault.message, new RegExp(name));
        return true;
      });
    });

suite('the feed', () => {
  test('an event that cannot be read hides no revocation: a snapshot is taken', async (t) => {
    const [service, guard] = await scene(t);
    const token = await service.jwt();
    assert.equal(await reasonFor(guard, token), 'allowed');
    service.entries.push({ type: 'grant', grant: '018f', keep_until: service.now + 600 });
    service.write('id: c1\ndata: {"type":\n\n');
    await eventually('the token is refused', async () => (await reasonFor(guard, token)) === 'token-invalid');
    assert.equal(service.snapshots, 2);
  });

  givenUp('repeats a page', 2, () => 'p');

  test('an onNotice that throws ends nothing', async (t) => {
    let notices = 0;
    const [service, guard] = await scene(t, {
      onNotice: () => {
        notices += 1;
        throw new Error('a fault of the API');
      },
    });
    service.away.add('feed');
    service.cutStreams();
    await eventually('it was called', () => notices === 1);
    service.away.delete('feed');
    await eventually('the feed is back', () => notices === 2 && service.followers === 1);
    assert.equal(guard.isFresh, true);
  });
});

suite('answers', () => {
  const answer = (status: number) => (response: ServerResponse) => void response.writeHead(status).end('{}');

  test('an issuer that calls itself otherwise fails at the start', async () => {
    await using service = await FakeService.start();
    const found = await (await fetch(service.issuer + METADATA)).json();
    const other = JSON.stringify({ ...(found as object), issuer: 'https://other.example' });
    service.instead.set(METADATA, (response) => void response.writeHead(200).end(other));
    await assert.rejects(verifier(service.options), (fault) => {
      assert.ok(fault instanceof Misconfigured);
      assert.match(fault.message, /calls itself https:\/\/other\.example/);
      return true;
    });
  });

  test('404 at the start is what an ingress says while the service is away: the API starts, and works when it is there', async (t) => {
    await using service = await FakeService.start();
    service.instead.set(METADATA, answer(404));
    const notices: string[] = [];
    const guard = await verifier({ ...service.options, onNotice: (notice) => notices.push(notice) });
    t.after(() => guard.close());
    assert.match(notices[0] ?? '', /answered 404.*check issuer/);
    assert.equal(await reasonFor(guard, await service.jwt()), 'unavailable');
    service.instead.delete(METADATA);
    await eventually('it is fresh', () => guard.isFresh);
    assert.equal(await reasonFor(guard, await service.jwt()), 'allowed');
  });
});

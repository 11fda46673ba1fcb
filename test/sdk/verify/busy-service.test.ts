// A service that is too busy for all of its followers: each attempt gets them further, and they do not add to its work.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { suite, type TestContext, test } from 'node:test';
import { verifier } from '../../../sdk/verify/src/verify.ts';
import { eventually } from '../../eventually.ts';
import { FakeService } from './fake-service.ts';

async function aService(t: TestContext): Promise<FakeService> {
  const service = await FakeService.start();
  t.after(() => service.leave());
  return service;
}

async function aGuard(service: FakeService, t: TestContext) {
  const guard = await verifier(service.options);
  t.after(() => guard.close());
  return guard;
}

/** Three pages, each with the end of a grant; then whatever the service answers. Returns the pages that were asked for. */
function inPages(
  service: FakeService,
  refuse: (page: string, asked: readonly string[]) => number | undefined,
): string[] {
  const asked: string[] = [];
  service.instead.set('/feed', (response: ServerResponse, { url, headers }) => {
    if (headers.accept === 'text/event-stream') {
      service.instead.delete('/feed');
      return void response.destroy();
    }
    const page = new URL(url ?? '', service.issuer).searchParams.get('page') ?? 'p0';
    asked.push(page);
    const status = refuse(page, asked);
    if (status !== undefined) return void response.writeHead(status).end();
    const number = Number(page.slice(1));
    const grant = { type: 'grant', grant: `019${number}`, keep_until: service.now + 86_400 };
    const next = number < 2 && { next: `p${number + 1}` };
    response.end(JSON.stringify({ cursor: 'c0', entries: [service.integration, grant], ...next }));
  });
  return asked;
}

suite('a snapshot in pages', () => {
  test('goes on at the page that the service refused, and knows what all pages say', async (t) => {
    const service = await aService(t);
    const asked = inPages(service, (page, { length }) => (page !== 'p0' && length % 2 === 0 ? 503 : undefined));
    const guard = await aGuard(service, t);
    assert.deepEqual(asked, ['p0', 'p1', 'p1', 'p2', 'p2']);
    await eventually('it is fresh', () => guard.isFresh);
    for (const page of [0, 1, 2]) {
      const checked = await guard.check(await service.jwt({ jti: `019${page}.0` }));
      assert.equal(!checked.ok && checked.reason, 'token-invalid', `of page ${page}`);
    }
    assert.equal((await guard.check(await service.jwt())).ok, true);
  });

  test('begins anew if the service no longer knows it', async (t) => {
    const service = await aService(t);
    const asked = inPages(service, (page, { length }) => (page === 'p1' && length === 2 ? 410 : undefined));
    await aGuard(service, t);
    assert.deepEqual(asked, ['p0', 'p1', 'p0', 'p1', 'p2']);
  });
});

test('streams that are slow to open are replaced ever less often', async (t) => {
  const service = await aService(t);
  await aGuard(service, t);
  service.openSlowly = 3;
  service.cutStreams();
  let began = 0;
  for (const stream of [2, 3, 4]) {
    began = performance.now();
    await eventually('another stream is open', () => {
      service.now += 3;
      service.catchUp(); // as it goes on to do on the one that is open
      return service.streams === stream;
    });
  }
  assert.ok(performance.now() - began >= 200, 'the third pause is 200 ms at least, the first 150 at most');
});

// How downloads rest, and how nodes share them. The clock and the timers are the test's own.
// Own process: it changes calls of node:timers.
import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import { suite, type TestContext, test } from 'node:test';
import timers from 'node:timers/promises';
import { download, type Fetched } from '../../src/outbound/download.ts';
import { ALONE, fetchUnlessShared, waitAtMost } from '../../src/outbound/shared-download.ts';

/** Time goes by only while somebody sleeps. */
function sleeps(t: TestContext): number[] {
  const slept: number[] = [];
  let now = 1e9;
  t.mock.method(performance, 'now', () => now);
  const { mock } = t.mock.method(timers, 'setTimeout', async (ms: number) => {
    slept.push(ms);
    now += ms;
  });
  syncBuiltinESMExports();
  t.after(() => {
    mock.restore();
    syncBuiltinESMExports();
  });
  return slept;
}

suite('a download', () => {
  const LIMITS = { maxBytes: 1024 * 1024, withinMs: 60_000 };
  const replying = (body: ReadableStream) => async () =>
    ({ ok: true, status: 200, headers: { get: () => null }, body }) as Fetched;

  test('rests 8 ms after every 256 KB, so that a fast server leaves time for other work', async (t) => {
    const slept = sleeps(t);
    const part = new Uint8Array(16 * 1024);
    let parts = 64;
    const body = new ReadableStream({ pull: (to) => (parts-- > 0 ? to.enqueue(part) : to.close()) });
    const { ok } = await download(replying(body), 'http://a.example/', LIMITS);
    assert.deepEqual([ok, slept], [true, [8, 8, 8, 8]]);
  });

  test('is given up at its limit, although its body ignores that', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const cancelled = Promise.withResolvers<unknown>();
    const body = new ReadableStream({ cancel: cancelled.resolve });
    const answer = download(replying(body), 'http://a.example/', LIMITS);
    await new Promise((resolve) => setImmediate(resolve));
    t.mock.timers.tick(60_000);
    assert.deepEqual(await answer, { ok: false, refusal: 'no response: it took longer than 60 s' });
    assert.match(String(await cancelled.promise), /longer than 60 s/);
  });

  test('is of http or https alone', async () => {
    const refused = { ok: false, refusal: 'the address is not http or https' };
    assert.deepEqual(await download(() => assert.fail('it was asked'), 'file:///etc/passwd', LIMITS), refused);
  });
});

suite('what nodes share', () => {
  test('is fetched by one of them, once, even if it is due afterwards', async () => {
    let fetches = 0;
    const fetch = async () => void fetches++;
    await fetchUnlessShared('a', ALONE, async () => true, fetch);
    assert.equal(fetches, 1);
    await fetchUnlessShared('a', ALONE, async () => false, fetch);
    const due = [true, false];
    await fetchUnlessShared('a', ALONE, async () => due.shift() === true, fetch);
    assert.equal(fetches, 1, 'another node has it meanwhile');
  });

  test('is looked for four times a second while another node fetches it', async (t) => {
    const slept = sleeps(t);
    const due = [true, true, false];
    await fetchUnlessShared('a', { byOne: async () => false }, async () => due.shift() === true, assert.fail);
    assert.deepEqual(slept, [250, 250]);
  });

  test('is waited for as long as one may wait; its fault is that of who still waits', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    await assert.rejects(waitAtMost(1_000, Promise.reject(new Error('away'))), /away/);
    let isOver = false;
    const waiting = waitAtMost(1_000, new Promise(() => undefined)).then(() => {
      isOver = true;
    });
    t.mock.timers.tick(999);
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(isOver, false);
    t.mock.timers.tick(1);
    await waiting;
  });
});

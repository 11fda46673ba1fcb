// How documents of clients are fetched and kept, with a fetch and a clock of the test.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ClientUrl, DocumentFlaw } from '../../src/core/client-document.ts';
import { epochSeconds } from '../../src/core/time.ts';
import { ClientDocuments } from '../../src/outbound/client-documents.ts';
import type { Fetch, Fetched } from '../../src/outbound/download.ts';
import { limitedPerHost } from '../../src/outbound/per-minute.ts';
import { NOW } from '../samples.ts';

type Respond = (url: string) => Fetched | Promise<Fetched>;

function response(status: number, body = ''): Fetched {
  return { ok: status === 200, status, headers: { get: () => null }, body: new Response(body).body };
}

/** A good document that may be kept for this long. */
const keptFor =
  (seconds: number): Respond =>
  async (url) => ({
    ...(await good(url)),
    headers: { get: (name) => (name === 'cache-control' ? `max-age=${seconds}` : null) },
  });

const good: Respond = (url) =>
  response(200, JSON.stringify({ client_id: url, redirect_uris: ['http://127.0.0.1/callback'] }));
const never: Respond = () => new Promise(() => undefined);

/** Documents, and what the test changes and sees of them. */
function opened(respond: Respond = good, logRefused: (url: string, flaw: DocumentFlaw) => void = () => undefined) {
  const state = { respond, now: NOW as number, fetched: [] as string[] };
  const now = () => epochSeconds(state.now);
  const fetch: Fetch = async (url) => {
    state.fetched.push(url);
    return state.respond(url);
  };
  const documents = new ClientDocuments({
    fetch: limitedPerHost(fetch, now),
    now,
    allowed: [],
    hosts: [{ host: '*', redirects: 'own' }],
    logRefused,
  });
  const read = async (url: string, person = 'ada') => {
    const outcome = await documents.read(url as ClientUrl, person);
    return outcome.ok ? 'read' : outcome.refusal.reason;
  };
  return { state, read };
}

const AWAY = 'client-document-unavailable';
const URL_OF_CLIENT = 'https://agent.example/client.json';
const isSettled = async (promise: Promise<string>) =>
  (await Promise.race([promise, new Promise((turn) => setImmediate(turn, undefined))])) !== undefined;

suite('a document that never comes', () => {
  test('holds up 16 requests at most, 4 of one person; others are refused at once', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { read } = opened(never);
    const people = Array.from({ length: 20 }, (_, index) => `person ${Math.floor(index / 5)}`);
    const waits = people.map((person) => read(URL_OF_CLIENT, person));
    const late = read('https://other.example/client.json', 'bob');
    assert.equal(await late, AWAY);
    const settled = await Promise.all(waits.map(isSettled));
    const waiting = people.filter((_, index) => !settled[index]);
    assert.equal(waiting.length, 16);
    assert.equal(waiting.filter((person) => person === 'person 0').length, 4);
    t.mock.timers.tick(2_000);
    assert.deepEqual(new Set(await Promise.all(waits)), new Set([AWAY]));
    assert.ok(!(await isSettled(read(URL_OF_CLIENT, 'bob'))), 'and others may wait then');
  });
});

test('who has got a document makes room for one more request, not for two', async () => {
  const slow = Promise.withResolvers<Fetched>();
  const { read } = opened((url) => (url === URL_OF_CLIENT ? slow.promise : never(url)));
  const first = read(URL_OF_CLIENT);
  for (let each = 0; each < 3; each++) void read(`https://never.example/${each}.json`);
  assert.equal(await read('https://never.example/more.json'), AWAY);
  slow.resolve(await good(URL_OF_CLIENT));
  assert.equal(await first, 'read');
  const next = [read('https://never.example/more.json'), read('https://never.example/most.json')];
  assert.deepEqual(await Promise.all(next.map(isSettled)), [false, true]);
});

test('a thousand documents are kept', async () => {
  const { state, read } = opened();
  const of = (n: number) => read(`https://agent-${n}.example/c.json`, `person ${n}`);
  for (let each = 0; each <= 1_000; each++) await of(each);
  await of(1);
  assert.equal(state.fetched.length, 1_001);
  await of(0);
  assert.equal(state.fetched.length, 1_002, 'the oldest made room');
});

suite('fetches', () => {
  test('are 10 a minute for one person, so that the clients of others still work', async () => {
    const { state, read } = opened(() => response(404));
    for (let each = 0; each < 15; each++) await read(`https://agent.example/${each}.json`, 'bob');
    assert.equal(state.fetched.length, 10);
    state.respond = good;
    assert.equal(await read(URL_OF_CLIENT, 'ada'), 'read');
    state.now += 60;
    assert.equal(await read('https://agent.example/more.json', 'bob'), 'read');
  });

  test('are 20 a minute for one host, on all its ports together', async () => {
    const { state, read } = opened();
    for (let each = 0; each < 25; each++) await read(`https://agent.example:${8000 + each}/c.json`, `person ${each}`);
    assert.equal(state.fetched.length, 20);
    assert.equal(await read('https://other.example/c.json'), 'read');
  });
});

suite('a document that was read', () => {
  test('is used for a day while it cannot be fetched again, and no longer', async () => {
    const { state, read } = opened();
    await read(URL_OF_CLIENT);
    state.now += 3_601;
    for (const respond of [() => response(503), () => Promise.reject(new Error('refused'))] satisfies Respond[]) {
      state.respond = respond;
      assert.equal(await read(URL_OF_CLIENT), 'read');
    }
    for (let each = 0; each < 20; each++) await read(URL_OF_CLIENT);
    assert.equal(state.fetched.length, 11, 'the rate counts, too');
    state.now = NOW + 24 * 3_600 - 1;
    assert.equal(await read(URL_OF_CLIENT), 'read');
    state.now += 1;
    assert.equal(await read(URL_OF_CLIENT), AWAY);
  });

  test('is not used any more if its server says that it is gone, or it is wrong now', async () => {
    for (const respond of [() => response(404), () => response(302), () => response(200, '{}')]) {
      const { state, read } = opened();
      await read(URL_OF_CLIENT);
      state.now += 3_601;
      state.respond = respond;
      assert.equal(await read(URL_OF_CLIENT), 'client-document-refused');
    }
  });
});

suite('a document that cannot be read', () => {
  for (const [status, expected] of [
    [300, 'refused'],
    [404, 'refused'],
    [499, 'refused'],
    [429, 'unavailable'],
    [500, 'unavailable'],
    [503, 'unavailable'],
  ] as const)
    test(`${status}: ${expected}`, async () => {
      const { read } = opened(() => response(status));
      assert.equal(await read(URL_OF_CLIENT), `client-document-${expected}`);
    });

  test('too large or malformed: refused, and an operator learns why', async () => {
    const text = JSON.stringify({ client_id: URL_OF_CLIENT, redirect_uris: ['http://127.0.0.1/callback'] });
    assert.equal(await opened(() => response(200, text.padEnd(5 * 1024))).read(URL_OF_CLIENT), 'read');
    const why: string[] = [];
    for (const body of ['x'.repeat(5 * 1024 + 1), '{']) {
      const { read } = opened(
        () => response(200, body),
        (_, flaw) => why.push(flaw.why),
      );
      assert.equal(await read(URL_OF_CLIENT), 'client-document-refused');
    }
    assert.equal(why.length, 2);
    assert.equal(why[0], 'it has more than 5120 octets');
  });
});

test('a document is fetched again when its server says so, within an hour and a day', async () => {
  const { state, read } = opened(keptFor(7_200));
  await read(URL_OF_CLIENT);
  state.now += 7_199;
  await read(URL_OF_CLIENT);
  assert.equal(state.fetched.length, 1);
  state.now += 1;
  await Promise.all([read(URL_OF_CLIENT), read(URL_OF_CLIENT, 'bob')]);
  assert.equal(state.fetched.length, 2, 'requests at the same time share one');
});

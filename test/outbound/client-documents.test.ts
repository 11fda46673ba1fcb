// How documents of clients are fetched and kept, with a fetch and a clock of the test.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ClientUrl } from '../../src/core/client-document.ts';
import { epochSeconds } from '../../src/core/time.ts';
import { ClientDocuments } from '../../src/outbound/client-documents.ts';
import type { Fetched } from '../../src/outbound/download.ts';
import { NOW } from '../samples.ts';

type Respond = (url: string) => Fetched | Promise<Fetched>;

function response(status: number, body = ''): Fetched {
  return { ok: status === 200, status, headers: { get: () => null }, body: new Response(body).body };
}

const good: Respond = (url) =>
  response(200, JSON.stringify({ client_id: url, redirect_uris: ['http://127.0.0.1/callback'] }));
const never: Respond = () => new Promise(() => undefined);

/** Documents, and what the test changes and sees of them. */
function opened(respond: Respond = good) {
  const state = { respond, now: NOW as number, fetched: [] as string[] };
  const documents = new ClientDocuments({
    fetch: async (url) => {
      state.fetched.push(url);
      return state.respond(url);
    },
    now: () => epochSeconds(state.now),
    allowed: [],
    logRefused: () => undefined,
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
    assert.equal(settled.filter((is) => !is).length, 16);
    t.mock.timers.tick(2_000);
    assert.deepEqual(new Set(await Promise.all(waits)), new Set([AWAY]));
    assert.ok(!(await isSettled(read(URL_OF_CLIENT, 'bob'))), 'and others may wait then');
  });
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
    state.now += 23 * 3_600;
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

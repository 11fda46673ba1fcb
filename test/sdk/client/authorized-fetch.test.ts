import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { authorizedFetch } from '../../../sdk/client/src/authorized-fetch.ts';

/** An API that accepts only this token. */
async function anApi(t: TestContext, accepted: string): Promise<{ url: string; seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    const { authorization = '' } = request.headers;
    seen.push(`${request.method} ${authorization}`);
    response.writeHead(authorization === `Bearer ${accepted}` ? 200 : 401).end('done');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, seen };
}

const from = (first: string, other: string | undefined) => ({ get: async () => first, replace: async () => other });

test('a request carries the token, and keeps its own headers and method', async (t) => {
  const { url, seen } = await anApi(t, 'A1');
  const response = await authorizedFetch(url, { method: 'PUT', body: 'x' }, from('A1', undefined));
  assert.equal(response.status, 200);
  assert.deepEqual(seen, ['PUT Bearer A1']);
});

test('a 401 is repeated once with another token', async (t) => {
  const { url, seen } = await anApi(t, 'A2');
  assert.equal((await authorizedFetch(url, { method: 'POST', body: 'x' }, from('A1', 'A2'))).status, 200);
  assert.equal((await authorizedFetch(url, undefined, from('A1', 'A3'))).status, 401);
  assert.deepEqual(seen, ['POST Bearer A1', 'POST Bearer A2', 'GET Bearer A1', 'GET Bearer A3']);
});

test('a 401 is passed on if there is no other token, or if the body was a stream', async (t) => {
  const { url, seen } = await anApi(t, 'A2');
  assert.equal((await authorizedFetch(url, undefined, from('A1', undefined))).status, 401);
  const stream = { method: 'POST', body: new Blob(['x']).stream(), duplex: 'half' } as RequestInit;
  assert.equal((await authorizedFetch(url, stream, from('A1', 'A2'))).status, 401);
  assert.equal(seen.length, 2);
});

test('a token is not sent over plain HTTP to another machine', async () => {
  await assert.rejects(
    authorizedFetch('http://orders.example/', undefined, from('A1', undefined)),
    /not an https address/,
  );
});

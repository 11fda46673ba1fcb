// TLS to the target itself: the name that is sent and checked, and the authorities that are trusted.
import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { download } from '../../src/outbound/download.ts';
import { guardedFetch } from '../../src/outbound/guarded-fetch.ts';
import { makeAuthority } from '../authority.ts';

const authority = makeAuthority();
const { pem: cert, key } = authority.issue({ dnsNames: ['a.example'], usages: ['1.3.6.1.5.5.7.3.1'] });
const names: string[] = [];
const server = createServer(
  {
    ...{ cert, key },
    SNICallback: (name, done) => {
      names.push(name);
      done(null);
    },
  },
  ({ headers, url }, response) => void response.end(`${headers.host} ${url}`),
);
let port = 0;
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
after(() => server.close());

async function get(host: string, authorities?: string): Promise<string> {
  names.length = 0;
  const fetch = guardedFetch({ resolve: async () => ['127.0.0.1'], environment: {} });
  const limits = { maxBytes: 1000, withinMs: 60_000, allowed: ['127.0.0.1'], ...(authorities && { authorities }) };
  const got = await download(fetch, `https://${host}:${port}/x?y=1`, limits);
  return got.ok ? Buffer.from(got.value).toString() : got.refusal;
}

test('a name is sent and checked, wherever it leads', async () => {
  assert.equal(await get('a.example', authority.pem), `a.example:${port} /x?y=1`);
  assert.deepEqual(names, ['a.example']);
  assert.match(await get('b.example', authority.pem), /b\.example/);
});

test('an IP address is not sent as a name [RFC 6066 3]', async () => {
  assert.match(await get('127.0.0.1', authority.pem), /IP: 127.0.0.1 is not in the cert's list/);
  assert.deepEqual(names, []);
});

test('the usual authorities are trusted, or those of the operator alone', async () => {
  assert.match(await get('a.example'), /certificate/);
  assert.match(await get('a.example', makeAuthority().pem), /certificate/);
});

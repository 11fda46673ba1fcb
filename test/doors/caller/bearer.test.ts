// How a request carries its access token (RFC 6750 2.1).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { bearerToken } from '../../../src/doors/caller/bearer.ts';

const read = (authorization: string | undefined, url = '/Verify') => {
  const found = bearerToken({ url, headers: { authorization } } as FastifyRequest);
  return found.ok ? found.value : found.refusal.reason;
};

test('a token comes alone, in the header, after the scheme in any letter case', () => {
  for (const header of ['Bearer tsa_x==', 'bearer tsa_x==', 'BEARER   tsa_x=='])
    assert.equal(read(header), 'tsa_x==', header);
  for (const header of [undefined, '', 'Bearer', 'Bearer ', 'Basic tsa_x==', 'xBearer tsa_x=='])
    assert.equal(read(header), 'access-token-missing', header);
  for (const header of ['Bearer tsa_x== y', 'Bearer tsa_x== '])
    assert.equal(read(header), 'access-token-not-authentic', header);
});

test('a token in the address is refused, also beside one in the header [RFC 6750 2.3]', () => {
  for (const url of ['/Verify?access_token=x', '/Verify?a=b&Access_Token=x'])
    for (const header of [undefined, 'Bearer tsa_x==']) assert.equal(read(header, url), 'access-token-in-query', url);
  assert.equal(read('Bearer tsa_x==', '/Verify?no_access_token=x'), 'tsa_x==');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { dropCookie, readCookie, writeCookie } from '../../../src/doors/pages/parts/cookies.ts';

function requestWith(cookie: string): FastifyRequest {
  return { headers: { cookie } } as FastifyRequest;
}

test('a cookie has the __Host- prefix and Secure over TLS, and neither over plain HTTP, where browsers refuse both', () => {
  assert.equal(writeCookie('session', 'x', true), '__Host-tessera=x; Path=/; HttpOnly; SameSite=Lax; Secure');
  assert.equal(writeCookie('session', 'x', false), 'tessera=x; Path=/; HttpOnly; SameSite=Lax');
  assert.match(dropCookie('visitor', true), /^__Host-tessera-visitor=;.*Max-Age=0$/);
});

test('a cookie is found among others by its exact name', () => {
  const request = requestWith('a=1; __Host-tessera-visitor=v; __Host-tessera=s; tessera=plain');
  assert.equal(readCookie(request, 'session', true), 's');
  assert.equal(readCookie(request, 'visitor', true), 'v');
  assert.equal(readCookie(request, 'session', false), 'plain');
});

test('a duplicate cookie is ignored, since one of the two was planted', () => {
  assert.equal(readCookie(requestWith('__Host-tessera=a; __Host-tessera=b'), 'session', true), undefined);
});

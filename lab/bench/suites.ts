import type { LoadKind } from './contestant.ts';
import type { Name } from './stable.ts';

/** One load and the contestants compared under it. The first is the reference. */
export interface Suite {
  readonly name: string;
  readonly title: string;
  readonly load: LoadKind;
  readonly lanes: readonly [SuiteLane, ...SuiteLane[]];
}

/** A contestant, or one under another load. */
export type SuiteLane = Name | { readonly of: Name; readonly load: LoadKind };

const JWTS = ['Tessera, SQLite, ES256', 'Tessera, SQLite, EdDSA', 'Tessera, SQLite, RS256'] as const;

export const SUITES: readonly Suite[] = [
  {
    name: 'refresh',
    title: 'Refresh, 64 connections, each walking its own chain',
    load: 'refresh',
    lanes: [
      'fastify echo',
      'node:http echo',
      'bare refresh, SQLite',
      'bare refresh, PostgreSQL',
      'Tessera, SQLite',
      'Tessera, SQLite, log off',
      'Tessera, PostgreSQL',
      'oidc-provider, in memory',
    ],
  },
  {
    name: 'retried',
    title: 'Refresh, one in ten sent twice',
    load: 'refresh-retried',
    lanes: ['fastify echo', 'Tessera, SQLite'],
  },
  {
    name: 'certificate',
    title: 'Authorize by certificate, kept-alive TLS',
    load: 'certificate',
    lanes: ['fastify echo', 'node:http echo', 'Tessera, SQLite'],
  },
  {
    name: 'handshake',
    title: 'Authorize by certificate, a new connection each',
    load: 'certificate-fresh',
    lanes: ['fastify echo', 'node:http echo', 'Tessera, SQLite'],
  },
  {
    name: 'assertion',
    title: 'Authorize by assertion (RS256, reusable) at the oauth door, beside a certificate, kept-alive TLS',
    load: 'assertion',
    lanes: ['fastify echo', { of: 'Tessera, SQLite, opaque', load: 'certificate' }, 'Tessera, SQLite, opaque'],
  },
  {
    name: 'verify',
    title: 'Verify an access token',
    load: 'verify',
    lanes: ['fastify echo', 'node:http echo', 'Tessera, SQLite'],
  },
  {
    name: 'oauth-refresh',
    title: 'Refresh at the oauth door, opaque and JWT, beside the authsvc door',
    load: 'oauth-refresh',
    lanes: ['fastify echo', { of: 'Tessera, SQLite, opaque', load: 'refresh' }, 'Tessera, SQLite, opaque', ...JWTS],
  },
  {
    name: 'introspect',
    title: 'Introspect an access token, opaque and JWT, as a resource server with a secret, beside Verify',
    load: 'introspect',
    lanes: ['fastify echo', { of: 'Tessera, SQLite, opaque', load: 'verify' }, 'Tessera, SQLite, opaque', ...JWTS],
  },
  {
    name: 'poll',
    title: 'Poll for a device authorization',
    load: 'poll',
    lanes: ['fastify echo', 'Tessera, SQLite'],
  },
  {
    name: 'revoke',
    title: 'Revoke, a grant with every request',
    load: 'revoke',
    lanes: ['fastify echo', 'Tessera, SQLite'],
  },
  {
    name: 'mixed',
    title: 'All of these mixed, kept-alive TLS',
    load: 'mixed',
    lanes: ['fastify echo', 'Tessera, SQLite'],
  },
  {
    name: 'many',
    title: 'Refresh with many grants in the store',
    load: 'refresh',
    lanes: ['Tessera, SQLite', 'Tessera, SQLite, many grants'],
  },
  {
    name: 'spread',
    title: 'Refresh, each time of another of many grants',
    load: 'refresh-spread',
    lanes: ['fastify echo', 'Tessera, SQLite, many grants'],
  },
  {
    name: 'busy',
    title: 'Refresh while the sweep runs, and while events are followed',
    load: 'refresh',
    lanes: ['Tessera, SQLite, log off', 'Tessera, SQLite, sweeping', 'Tessera, SQLite, events followed'],
  },
  {
    name: 'workers',
    title: 'Refresh with one worker and two, all cores shared with the generator',
    load: 'refresh',
    lanes: [
      'fastify echo, 1 worker',
      'fastify echo, 2 workers',
      'Tessera, SQLite, 1 worker',
      'Tessera, SQLite, 2 workers',
      'Tessera, PostgreSQL, 1 worker',
      'Tessera, PostgreSQL, 2 workers',
    ],
  },
];

import type { LoadKind } from './contestant.ts';
import type { Name } from './stable.ts';

/** One load and the contestants compared under it. The first is the reference. */
export interface Suite {
  readonly name: string;
  readonly title: string;
  readonly load: LoadKind;
  readonly lanes: readonly [Name, ...Name[]];
}

const BESIDE_ECHO = ['fastify echo', 'Tessera, SQLite'] as const;

export const SUITES: readonly Suite[] = [
  {
    name: 'refresh',
    title: 'Refresh, 64 connections, each walking its own chain',
    load: 'refresh',
    lanes: [
      'fastify echo',
      'bare refresh, SQLite',
      'bare, same rows, same log, SQLite',
      'bare refresh, PostgreSQL',
      'bare, same rows, same log, PostgreSQL',
      'Tessera, SQLite',
      'Tessera, PostgreSQL',
    ],
  },
  {
    name: 'certificate',
    title: 'Authorize by certificate, kept-alive TLS',
    load: 'certificate',
    lanes: BESIDE_ECHO,
  },
  {
    name: 'handshake',
    title: 'Authorize by certificate, a new connection each',
    load: 'certificate-fresh',
    lanes: BESIDE_ECHO,
  },
  { name: 'verify', title: 'Verify an access token', load: 'verify', lanes: BESIDE_ECHO },
  { name: 'poll', title: 'Poll for a device authorization', load: 'poll', lanes: BESIDE_ECHO },
  { name: 'revoke', title: 'Revoke, a grant with every request', load: 'revoke', lanes: BESIDE_ECHO },
  { name: 'mixed', title: 'All of these mixed, kept-alive TLS', load: 'mixed', lanes: BESIDE_ECHO },
  {
    name: 'spread',
    title: 'Refresh, each time of another of many grants',
    load: 'refresh-spread',
    lanes: ['fastify echo', 'Tessera, SQLite, many grants'],
  },
  {
    name: 'workers',
    title: 'Refresh with one worker and two, all cores shared with the generator',
    load: 'refresh',
    lanes: ['fastify echo, 1 worker', 'Tessera, SQLite, 1 worker', 'Tessera, SQLite, 2 workers'],
  },
];

// A platform on loopback that publishes its keys, for the tests of one file.
import assert from 'node:assert/strict';
import { after, before, beforeEach } from 'node:test';
import type { KeySource } from '../../src/core/key-source.ts';
import type { TokenIssuer } from '../../src/core/token-issuer.ts';
import { guardedFetch, type OutboundPorts } from '../../src/outbound/guarded-fetch.ts';
import { aTokenIssuer, type PlatformKey, type PlatformServer, platformKey, platformServer } from '../platform.ts';

const LOOPBACK = ['127.0.0.1'];

/** Begins anew for each test. */
export function platformForTests() {
  const at = {} as { server: PlatformServer; first: PlatformKey; second: PlatformKey };
  before(async () => {
    [at.first, at.second] = await Promise.all([platformKey('k1'), platformKey('k2')]);
    at.server = await platformServer();
  });
  after(() => at.server.close());
  beforeEach(() => {
    at.server.keys = [at.first];
    at.server.issuer = at.server.url;
    at.server.asked.length = 0;
    at.server.odd.clear();
  });
  return at;
}

/** Names are resolved as the test says; no packet leaves the machine. */
export function fetching(ports: Partial<OutboundPorts> = {}) {
  return guardedFetch({ resolve: async () => assert.fail('no name to resolve'), environment: {}, ...ports });
}

/** With its keys at this address. */
export function tokenIssuerAt(issuer: string, keys: Partial<KeySource> = {}): TokenIssuer {
  const source = { from: 'discovery', allowedAddresses: LOOPBACK, ...keys } as KeySource;
  return aTokenIssuer({ issuer, keys: source });
}

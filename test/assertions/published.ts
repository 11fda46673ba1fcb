// A server on loopback that publishes the keys of a token issuer.
import assert from 'node:assert/strict';
import { after, beforeEach } from 'node:test';
import type { KeySource } from '../../src/core/key-source.ts';
import type { TokenIssuer } from '../../src/core/token-issuer.ts';
import { guardedFetch, type OutboundPorts } from '../../src/outbound/guarded-fetch.ts';
import { aTokenIssuer, type PlatformKey, type PlatformServer, platformServer } from '../platform.ts';

export const LOOPBACK = ['127.0.0.1'];

/** Names are resolved as the test says; no packet leaves the machine. */
export function fetching(ports: Partial<OutboundPorts> = {}) {
  return guardedFetch({ resolve: async () => assert.fail('no name to resolve'), environment: {}, ...ports });
}

interface Publisher {
  readonly server: PlatformServer;
  readonly tokenIssuer: (keys?: Partial<KeySource>) => TokenIssuer;
}

/** Before each test it has this key, and no odd replies. */
export async function publisher(key: PlatformKey): Promise<Publisher> {
  const server = await platformServer();
  after(() => server.close());
  beforeEach(() => {
    server.keys = [key];
    server.issuer = server.url;
    server.asked.length = 0;
    server.odd.clear();
  });
  const tokenIssuer = (keys: Partial<KeySource> = {}) => {
    const source = { from: 'discovery', allowedAddresses: LOOPBACK, ...keys } as KeySource;
    return aTokenIssuer({ issuer: server.url, keys: source });
  };
  return { server, tokenIssuer };
}

// A token source with a server of its own and a file of its own, and pairs of several ages.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { assertion } from '../../../sdk/client/src/by/assertion.ts';
import type { Way } from '../../../sdk/client/src/by/way.ts';
import type { TokenFailure } from '../../../sdk/client/src/failure.ts';
import { type TokenSource, tokenSource } from '../../../sdk/client/src/token-source.ts';
import { type FakeServer, startFake } from './fake-server.ts';
import { fileFor, storePair } from './token-file.ts';

export const EXPIRED = { obtained: -600, expires: -1 };
export const DUE = { obtained: -590, expires: 10 };
export const FRESH = { obtained: 0, expires: 600 };

export interface Scene {
  readonly fake: FakeServer;
  readonly file: string;
  readonly source: (by: Way, more?: { timeoutSeconds?: number; retryWindowSeconds?: number }) => TokenSource;
}

/** A server at generation 1, and a file with the pair of that generation. */
export async function scene(t: TestContext, pair?: Parameters<typeof storePair>[2]): Promise<Scene> {
  const fake = await startFake(t);
  const file = fileFor(t);
  if (pair) storePair(file, fake.url, pair);
  if (pair) fake.generation = 1;
  const source: Scene['source'] = (by, more = {}) =>
    tokenSource({ server: fake.url, clientId: 'orders-sync', by, store: file, timeoutSeconds: 5, ...more });
  return { fake, file, source };
}

export const alone = () => assertion({ assertion: () => 'eyJ' });

export function failsWith(reason: TokenFailure['reason'], message: RegExp) {
  return (error: unknown) => {
    assert.equal((error as TokenFailure).reason, reason, String(error));
    assert.match((error as TokenFailure).message, message);
    return true;
  };
}

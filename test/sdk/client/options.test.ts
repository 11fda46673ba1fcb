// The options of a token source: mistakes are found at once, by name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { stored } from '../../../sdk/client/src/by/stored.ts';
import { memoryStore } from '../../../sdk/client/src/store/memory-store.ts';
import { type TokenSourceOptions, tokenSource } from '../../../sdk/client/src/token-source.ts';
import { failsWith } from './token-scene.ts';

const GOOD: TokenSourceOptions = {
  server: 'https://tokens.example.com',
  clientId: 'orders-sync',
  by: stored(),
  store: memoryStore(),
};

const WRONG: readonly (readonly [named: RegExp, difference: object])[] = [
  [/^server is missing/, { server: undefined }],
  [/^server is not an https address: tokens/, { server: 'tokens.example.com' }],
  [/^clientId is missing/, { clientId: '' }],
  [/^by is missing/, { by: undefined }],
  [/^by is missing/, { by: 'certificate' }],
  [/^by is missing/, { by: stored }],
  [/^store is neither/, { store: {} }],
  [/^store is neither/, { store: null }],
  [/^store is neither/, { store: 7 }],
  [/^timeoutSeconds is not/, { timeoutSeconds: Number.NaN }],
  [/^timeoutSeconds is not/, { timeoutSeconds: '5' }],
  [/^retryWindowSeconds is not/, { retryWindowSeconds: Number.NaN }],
  [/^retryWindowSeconds is not/, { retryWindowSeconds: -1 }],
];

for (const [named, difference] of WRONG)
  test(`${inspect(difference, { depth: 0 })} is refused`, () => {
    const options = { ...GOOD, ...difference } as TokenSourceOptions;
    assert.throws(() => tokenSource(options), failsWith('usage', named));
  });

test('no options at all are refused', () => {
  assert.throws(
    () => tokenSource(undefined as unknown as TokenSourceOptions),
    failsWith('usage', /^server is missing/),
  );
});

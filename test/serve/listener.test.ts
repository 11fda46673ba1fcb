import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withEveryAddress } from '../../src/serve/listener.ts';

test('a listener on every address is not logged as one on loopback', () => {
  assert.equal(withEveryAddress('https://127.0.0.1:8443', '0.0.0.0'), 'https://0.0.0.0:8443');
  assert.equal(withEveryAddress('https://[::1]:8443', '::'), 'https://[::]:8443');
  assert.equal(withEveryAddress('http://127.0.0.1:9464', '127.0.0.1'), 'http://127.0.0.1:9464');
});

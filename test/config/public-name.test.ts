import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadConfig } from '../../src/config/load.ts';
import { publicNameOf } from '../../src/config/served-doors.ts';

function namesWith(...sets: readonly string[]): readonly (string | undefined)[] {
  const config = loadConfig({ sets, env: {} });
  return config.listeners.map((listener) => publicNameOf(listener, config));
}

test('callers connect to the name of publicUrl, or to that of the listener', () => {
  const listeners = 'listeners=[{ port: 1 }, { port: 2, publicUrl: "https://mtls.example:2" }]';
  assert.deepEqual(namesWith('publicUrl=https://a.example', listeners), ['a.example', 'mtls.example']);
  assert.deepEqual(namesWith('publicUrl=https://[2001:db8::1]:8443', 'listeners=[{}]'), ['2001:db8::1']);
});

test('the certificate may have any name where only proxies or monitoring connect', () => {
  assert.deepEqual(namesWith('listeners=[{ doors: [ops] }]'), [undefined]);
  assert.deepEqual(namesWith('proxies.addresses=[127.0.0.1]', 'listeners=[{}]'), [undefined]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { examineAddress } from '../../src/cli/doctor/examine.ts';
import { loadConfig } from '../../src/config/load.ts';

async function warnings(...sets: string[]): Promise<string[]> {
  const found = await examineAddress(loadConfig({ env: {}, sets }));
  return found.filter(({ verdict }) => verdict !== 'good').map(({ says }) => says);
}

test('a public address whose port no listener has is reported', async () => {
  assert.deepEqual(await warnings('publicUrl=https://localhost'), [
    'leads to port 443, and the service listens on 8443',
  ]);
  assert.deepEqual(await warnings('publicUrl=https://localhost:8443'), []);
  assert.deepEqual(await warnings('publicUrl=https://localhost', 'listeners.0.port=443'), []);
});

test('a listener for monitoring alone does not count', async () => {
  const listeners = 'listeners=[{port: 443, doors: [ops]}, {port: 8080, doors: [authsvc]}]';
  assert.deepEqual(await warnings('publicUrl=https://localhost', listeners), [
    'leads to port 443, and the service listens on 8080',
  ]);
});

test('an address of publicUrl is printed once', async () => {
  for (const publicUrl of ['https://192.0.2.7:8443', 'https://[2001:db8::7]:8443']) {
    const [found] = await examineAddress(loadConfig({ env: {}, sets: [`publicUrl=${publicUrl}`] }));
    assert.equal(found?.says, publicUrl);
  }
});

test('behind a proxy the ports may differ', async () => {
  assert.deepEqual(await warnings('publicUrl=https://localhost', 'proxies.addresses=[10.0.0.0/24]'), []);
});

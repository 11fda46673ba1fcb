import assert from 'node:assert/strict';
import { test } from 'node:test';
import { examineHandshakes } from '../../src/cli/doctor/examine.ts';
import { loadConfig } from '../../src/config/load.ts';
import { chainOf } from '../../src/doors/caller/presented-certificate.ts';
import { trySelf } from '../../src/serve/this-node.ts';

test('a handshake with itself finds out whether Node shows the intermediates of callers', async () => {
  assert.equal(await trySelf(), true, process.version);
  const leafAlone: typeof chainOf = (socket) => chainOf(socket).slice(0, 1);
  assert.equal(await trySelf(leafAlone), false);
});

const TLS = ['publicUrl=https://localhost:8443', 'listeners.0.tls.certificate=a.crt', 'listeners.0.tls.key=a.key'];
const BEHIND_PROXY = ['listeners.0.behindProxy=true', 'proxies.addresses=[192.0.2.7]'];

async function foundWith(more: readonly string[], sees = true) {
  const config = loadConfig({ file: undefined, env: {}, sets: [...TLS, ...more] });
  return (await examineHandshakes(config, async () => sees)).map(({ verdict, about }) => `${verdict} ${about}`);
}

test('doctor says what an older Node cannot do for callers with certificates, and the remedy', async () => {
  assert.deepEqual(await foundWith([], false), ['poor Node']);
  assert.deepEqual(await foundWith(['listeners.0.clientCertificates=off'], false), []);
  assert.deepEqual(await foundWith([]), []);
});

test('doctor says that a listener which requests certificates of anybody is for networks of one’s own [threats: Edges]', async () => {
  for (const host of ['0.0.0.0', '10.1.2.3', '::']) {
    const found = ['poor client certificates'];
    assert.deepEqual(await foundWith([`listeners.0.host=${host}`]), found, host);
    assert.deepEqual(await foundWith([`listeners.0.host=${host}`, 'listeners.0.clientCertificates=off']), [], host);
    assert.deepEqual(await foundWith([`listeners.0.host=${host}`, ...BEHIND_PROXY]), [], 'listed proxies only');
  }
  for (const host of ['127.0.0.1', 'localhost', '::1'])
    assert.deepEqual(await foundWith([`listeners.0.host=${host}`]), [], host);
});

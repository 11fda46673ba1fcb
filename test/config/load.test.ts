import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import { loadConfig, settingsOf } from '../../src/config/load.ts';
import { parseDuration } from '../../src/core/duration.ts';
import { DEFAULT_SETTINGS } from '../../src/core/settings.ts';
import { fileWith, load } from './configured.ts';

suite('how a configuration is assembled', () => {
  test('an empty file gives the same defaults as the rules', () => {
    assert.deepEqual(settingsOf(load('')), DEFAULT_SETTINGS);
  });

  test('a missing file gives the defaults', () => {
    assert.equal(loadConfig({ env: {} }).publicUrl, 'https://localhost:8443');
  });

  test('paths are relative to the file, and may start with the data folder', () => {
    const file = fileWith('dataFolder: kept\nkeyring: <dataFolder>/keys/ring.json\nstore: sqlite:here.db');
    const config = loadConfig({ file, env: {} });
    const folder = dirname(file);
    assert.equal(config.dataFolder, join(folder, 'kept'));
    assert.deepEqual(config.keyring, { from: 'file', path: join(folder, 'kept/keys/ring.json') });
    assert.deepEqual(config.store, { kind: 'sqlite', path: join(folder, 'here.db') });
  });

  test('the environment overrides the file, and flags override both', () => {
    const env = { TESSERA_TOKENS_GRANT_LIFETIME: '30d', TESSERA_LOG_LEVEL: 'warn' };
    const config = load('tokens: { grantLifetime: 10d, refresh: false }', env, ['log.level=debug']);
    assert.equal(config.tokens.grantLifetime, 30 * 86_400);
    assert.equal(config.tokens.refresh, false);
    assert.equal(config.log.level, 'debug');
  });

  test('TESSERA_CONFIG names the file, and --config overrides it', () => {
    const [one, two] = [fileWith('log: { level: warn }'), fileWith('log: { level: error }')];
    assert.equal(loadConfig({ env: { TESSERA_CONFIG: one } }).log.level, 'warn');
    assert.equal(loadConfig({ file: two, env: { TESSERA_CONFIG: one } }).log.level, 'error');
    assert.equal(loadConfig({ env: { TESSERA_CONFIG: '' } }).log.level, 'info', 'an empty one counts as not set');
  });

  test('a flag can set one item of a list, starting from the default list', () => {
    const { listeners } = load('', {}, ['listeners.0.port=9443']);
    assert.equal(listeners[0]?.port, 9443);
    assert.match(listeners[0]?.tls?.certificate ?? '', /server\.crt$/);
    const [, second] = load('', {}, ['listeners.1={port: 9444}']).listeners;
    assert.deepEqual(second, {
      host: '127.0.0.1',
      port: 9444,
      sharePort: false,
      clientCertificates: 'request',
      behindProxy: false,
    });
  });

  test('the environment can hold a list as YAML', () => {
    const config = load('', { TESSERA_PROXIES_ADDRESSES: '[10.0.0.1, "fd00::/8"]' });
    assert.deepEqual(config.proxies.addresses, ['10.0.0.1', 'fd00::/8']);
  });

  test('a string setting stays a string, even if YAML would read a number or boolean', () => {
    assert.equal(load('', {}, ['pages.name=true: #1']).pages.name, 'true: #1');
  });

  test('durations are a number with a unit, or seconds', () => {
    const { tokens } = load('tokens: { accessTokenLifetime: 12h, grantLifetime: 7200, refreshRetryWindow: 0 }');
    assert.deepEqual([tokens.accessTokenLifetime, tokens.grantLifetime, tokens.refreshRetryWindow], [43_200, 7200, 0]);
  });

  test('malformed durations are rejected', () => {
    for (const text of [
      '1e3s',
      '1e3',
      '0x10s',
      '0x10',
      '+1s',
      '-1s',
      '1.5h',
      '1 h',
      ' 1h',
      '1h ',
      '1h\n',
      '1hs',
      'h',
      '',
      '١s',
    ])
      assert.equal(parseDuration(text), undefined, JSON.stringify(text));
    for (const number of [1.5, -1, Number.NaN, Number.POSITIVE_INFINITY, 50 * 365 * 86_400 + 1])
      assert.equal(parseDuration(number), undefined, `${number}`);
    assert.equal(parseDuration('18250d'), 50 * 365 * 86_400);
    assert.equal(parseDuration('18251d'), undefined);
  });

  test('a section with every setting commented out gets its defaults', () => {
    assert.equal(load('log:\n  # level: debug\n').log.level, 'info');
  });

  test('a password in the store address cannot be printed', () => {
    const { store } = load('store: postgres://tessera:canary-7@db/tessera');
    assert.ok(!JSON.stringify(store).includes('canary-7'));
    assert.equal(store.kind === 'postgres' && store.url.reveal(), 'postgres://tessera:canary-7@db/tessera');
  });

  test('a loaded configuration is immutable', () => {
    const config = load('');
    assert.throws(() => Object.assign(config.tokens, { refresh: false }), TypeError);
    assert.throws(() => Object.assign(config.listeners[0] ?? {}, { port: 1 }), TypeError);
  });

  test('variables that Kubernetes injects for a service named tessera are ignored', () => {
    assert.ok(
      load('', { TESSERA_PORT: 'tcp://10.0.0.1:443', TESSERA_SERVICE_HOST: '10.0.0.1', TESSERA_KEYRING: '{}' }),
    );
  });
});

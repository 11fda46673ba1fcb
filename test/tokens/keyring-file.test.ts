import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { addKey, firstKey, Keyring, KeyringFault } from '../../src/tokens/keyring.ts';
import { readKeyringFile, writeKeyringFile } from '../../src/tokens/keyring-file.ts';
import { parseKeyring } from '../../src/tokens/keyring-text.ts';

const path = () => join(mkdtempSync(join(tmpdir(), 'tessera-keyring-')), 'keyring.json');

test('a keyring file is 0600, whole, and reads back as written', () => {
  const file = path();
  const keys = addKey(firstKey(), 2);
  writeKeyringFile(file, keys);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(readKeyringFile(file), keys);
  assert.deepEqual(readdirSync(join(file, '..')), ['keyring.json'], 'nothing is left beside it');
});

test('no file is said as such, so that the caller can tell first start from loss', () => {
  assert.equal(readKeyringFile(path()), undefined);
});

test('a keyring that others may read is refused with the command that mends it', () => {
  const file = path();
  writeKeyringFile(file, firstKey());
  chmodSync(file, 0o640);
  assert.throws(() => readKeyringFile(file), /chmod 600/);
});

test('damage gives a clear fault that shows nothing of the keys', () => {
  const file = path();
  writeKeyringFile(file, firstKey());
  const text = readFileSync(file, 'utf8');
  const secret = /"secret": "([^"]+)"/.exec(text)?.[1] ?? '';
  const damages = [
    '',
    text.slice(0, text.length / 2),
    text.replace('minting', 'sleeping'),
    text.replace(secret, secret.slice(4)),
    text.replace('"id": 1', '"id": 0'),
    text.replace('"version": 1', '"version": 2'),
    '[]',
    'null',
    '{"version":1,"keys":[7]}',
  ];
  for (const damage of damages) {
    writeFileSync(file, damage);
    assert.throws(
      () => readKeyringFile(file),
      (error: Error) => {
        assert.ok(error instanceof KeyringFault);
        assert.match(error.message, /damaged.*no key is made anew/);
        assert.ok(!error.message.includes(secret.slice(0, 8)));
        return true;
      },
    );
  }
});

test('a keyring has exactly one minting key and no id twice', () => {
  const [key] = firstKey();
  assert.ok(key);
  assert.throws(() => new Keyring([]), /exactly one/);
  assert.throws(() => new Keyring([key, key]), /same id/);
  assert.throws(() => new Keyring([{ ...key, state: 'retiring' }]), /exactly one/);
  assert.throws(() => new Keyring([key, { ...key, id: 2 }]), /exactly one/);
});

test('two keys under one id have different fingerprints, the same key has the same', () => {
  const keys = firstKey();
  assert.equal(new Keyring(keys).minting.fingerprint, new Keyring(keys).minting.fingerprint);
  assert.notEqual(new Keyring(keys).minting.fingerprint, new Keyring(firstKey()).minting.fingerprint);
});

test('a keyring can come as text, from the environment', () => {
  const file = path();
  writeKeyringFile(file, firstKey());
  assert.deepEqual(parseKeyring(readFileSync(file, 'utf8'), 'TESSERA_KEYRING'), readKeyringFile(file));
});

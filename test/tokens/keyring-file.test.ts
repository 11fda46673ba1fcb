import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { addKey, firstKey, Keyring, KeyringFault } from '../../src/tokens/keyring.ts';
import { readKeyringFile, writeKeyringFile } from '../../src/tokens/keyring-file.ts';
import { formatKeyring, parseKeyring } from '../../src/tokens/keyring-text.ts';
import { openFilesIn } from '../open-files.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const path = () => join(temporaryFolder('keyring'), 'keyring.json');

test('a keyring file has mode 0600 and reads back as written', () => {
  const file = path();
  const keys = addKey(firstKey(), 2);
  writeKeyringFile(file, keys);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.deepEqual(readKeyringFile(file), keys);
  assert.equal(readFileSync(file, 'utf8'), formatKeyring(keys), 'without the space that was reserved');
  assert.deepEqual(readdirSync(join(file, '..')), ['keyring.json'], 'nothing is left beside it');
  assert.deepEqual(openFilesIn(dirname(file)), []);
});

test('a keyring that cannot be written leaves no keys behind', () => {
  const file = path();
  mkdirSync(file); // so that the last step fails
  assert.throws(() => writeKeyringFile(file, firstKey()), /EISDIR|ENOTEMPTY|EEXIST/);
  assert.deepEqual(readdirSync(join(file, '..')), ['keyring.json']);
  assert.deepEqual(openFilesIn(dirname(file)), []);
});

test('a missing keyring is reported as missing, so that the caller can tell first start from loss', () => {
  assert.equal(readKeyringFile(path()), undefined);
});

test('a keyring readable by others is refused, with the command that fixes it', () => {
  const file = path();
  writeKeyringFile(file, firstKey());
  chmodSync(file, 0o640);
  assert.throws(() => readKeyringFile(file), /\(mode 640\)\. Do: chmod 600/);
});

test('a damaged keyring gives a clear fault without any key material', () => {
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

test('a keyring has exactly one minting key and no duplicate id', () => {
  const [key] = firstKey();
  assert.ok(key);
  assert.throws(() => new Keyring([]), /exactly one/);
  assert.throws(() => new Keyring([key, key]), /same id/);
  assert.throws(() => new Keyring([{ ...key, state: 'retiring' }]), /exactly one/);
  assert.throws(() => new Keyring([key, { ...key, id: 2 }]), /exactly one/);
});

test('fingerprints differ for two keys under one id and are stable for one key', () => {
  const keys = firstKey();
  assert.equal(new Keyring(keys).minting.fingerprint, new Keyring(keys).minting.fingerprint);
  assert.notEqual(new Keyring(keys).minting.fingerprint, new Keyring(firstKey()).minting.fingerprint);
});

test('a keyring can come from the environment as text', () => {
  const file = path();
  writeKeyringFile(file, firstKey());
  assert.deepEqual(parseKeyring(readFileSync(file, 'utf8'), 'TESSERA_KEYRING'), readKeyringFile(file));
});

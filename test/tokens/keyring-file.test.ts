import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { addKey, firstKey, Keyring, KeyringFault } from '../../src/tokens/keyring.ts';
import { NextKeyringFile, readKeyringFile, writeKeyringFile } from '../../src/tokens/keyring-file.ts';
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
  for (const mode of ['640', '604', '601']) {
    chmodSync(file, mode);
    assert.throws(() => readKeyringFile(file), new RegExp(`\\(mode ${mode}\\)\\. Do: chmod 600`));
  }
});

test('a folder in its place is named as such', () => {
  const file = path();
  mkdirSync(file);
  assert.throws(() => readKeyringFile(file), /cannot be read \(EISDIR\)\. It is a folder: put the file there/);
});

test('what a killed command has left is replaced; a folder is not', () => {
  const file = path();
  writeFileSync(`${file}.new`, 'left');
  writeKeyringFile(file, firstKey());
  assert.equal(readKeyringFile(file)?.length, 1);
  mkdirSync(`${file}.new`);
  assert.throws(() => writeKeyringFile(file, firstKey()), { code: 'EISDIR' });
});

test('a change has room for the keyring and another key, and is discarded even if its file is gone', () => {
  const file = path();
  for (const keys of [firstKey(), addKey(firstKey(), 2)]) {
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    const next = new NextKeyringFile(file);
    assert.equal(statSync(`${file}.new`).size, size + 16_384);
    rmSync(`${file}.new`);
    next.discard();
    writeKeyringFile(file, keys);
  }
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
  const fixed = new Keyring([{ kind: 'mac', id: 1, state: 'minting', secret: Buffer.alloc(32, 7) }]);
  assert.equal(fixed.minting.fingerprint, '9bdfdf58a9b71dbe', 'the store has it, also from earlier releases');
});

test('a keyring can come from the environment as text', () => {
  const file = path();
  writeKeyringFile(file, firstKey());
  assert.deepEqual(parseKeyring(readFileSync(file, 'utf8'), 'TESSERA_KEYRING'), readKeyringFile(file));
});

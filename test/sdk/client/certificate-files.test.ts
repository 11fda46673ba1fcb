// Certificates, keys and CAs that cannot be used: every one is a TokenFailure that names the option, before anything is sent.
import assert from 'node:assert/strict';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { assertion } from '../../../sdk/client/src/by/assertion.ts';
import { certificate } from '../../../sdk/client/src/by/certificate.ts';
import { stored } from '../../../sdk/client/src/by/stored.ts';
import type { Way } from '../../../sdk/client/src/by/way.ts';
import { TokenFailure } from '../../../sdk/client/src/failure.ts';
import { memoryStore } from '../../../sdk/client/src/store/memory-store.ts';
import { tokenSource } from '../../../sdk/client/src/token-source.ts';
import { makeAuthority } from '../../authority.ts';
import { temporaryFolder } from '../../temporary-folder.ts';
import { fileFor, storePair } from './token-file.ts';
import { EXPIRED } from './token-scene.ts';

/** Nothing listens there. */
const SERVER = 'https://127.0.0.1:1';
const authority = makeAuthority({ name: 'Example Root' });
const [own, other] = [authority.issue({ commonName: 'ada' }), authority.issue({ commonName: 'bob' })];
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' });
const cipher = { cipher: 'aes-256-cbc', passphrase: 'secret' };
const encrypted = String(createPrivateKey(own.key).export({ type: 'pkcs8', format: 'pem', ...cipher }));
const encryptedRsa = String(createPrivateKey(rsa).export({ type: 'pkcs1', format: 'pem', ...cipher }));
const BROKEN = own.pem.replace(/\n.{20}/, '\nAAAAAAAAAAAAAAAAAAAA');
const WITHOUT_LINES = own.key.replace(/-----.*-----/g, '').trim();

const folder = temporaryFolder('certificate-files');
after(() => rmSync(folder, { recursive: true }));
const path = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const missing = join(folder, 'missing.pem');
const unreadable = path('unreadable.pem', own.key);
chmodSync(unreadable, 0o000);

type Given = { certificate?: unknown; key?: unknown; ca?: unknown };
const WRONG: Readonly<Record<string, readonly [given: Given, message: RegExp]>> = {
  'a key of another certificate': [{ key: other.key }, /^The key does not belong to the certificate\. /],
  'a key of another kind': [{ key: rsa }, /^The key does not belong to the certificate\. /],
  'files of two certificates': [
    { certificate: path('own.pem', own.pem), key: path('other.key', other.key) },
    /^The key \S+other\.key does not belong to the certificate \S+own\.pem\. /,
  ],
  'a certificate that was cut off': [{ certificate: own.pem.slice(0, 200) }, /^The certificate cannot be read: /],
  'a certificate with wrong bytes': [{ certificate: BROKEN }, /^The certificate cannot be read: /],
  'an intermediate with wrong bytes': [{ certificate: own.pem + BROKEN }, /^The certificate cannot be read: /],
  'a key instead of a certificate': [{ certificate: own.key }, /^The certificate cannot be read: .*no certificate/],
  'a certificate instead of a key': [{ key: own.pem }, /^The key cannot be read: /],
  'a key that was cut off': [{ key: own.key.slice(0, 60) }, /^The key cannot be read: /],
  'an encrypted key (PKCS #8)': [{ key: encrypted }, /^The key is encrypted\. .*without a passphrase/],
  'an encrypted key (PKCS #1)': [{ key: path('rsa.key', encryptedRsa) }, /^The key \S+rsa\.key is encrypted\. /],
  'a key without its first and last line': [{ key: WITHOUT_LINES }, /^The key is not PEM\. /],
  'the same after an empty line': [{ key: `\n${WITHOUT_LINES}` }, /^The key is not PEM\. /],
  'the same in quotes, on one line': [{ key: `"${WITHOUT_LINES.replaceAll('\n', '')}"` }, /^The key is not PEM\. /],
  'a certificate file that is missing': [
    { certificate: missing },
    /^Cannot read the certificate \S+: there is no such/,
  ],
  'a key file that is missing': [{ key: missing }, /^Cannot read the key \S+missing\.pem: there is no such file/],
  'an empty certificate file': [{ certificate: path('empty.pem', '') }, /^The certificate \S+empty\.pem is empty\. /],
  'an empty key file': [{ key: path('blank.pem', ' \n') }, /^The key \S+blank\.pem is empty\. /],
  'a file with something else': [
    { certificate: path('other.txt', 'hello') },
    /^The certificate \S+other\.txt cannot be/,
  ],
  'a folder': [{ key: folder }, /^Cannot read the key \S+: EISDIR/],
  'no certificate': [{ certificate: undefined }, /^certificate is missing\. /],
  'no key': [{ key: '' }, /^key is missing\. /],
  'a CA file that is missing': [{ ca: missing }, /^Cannot read the CA \S+missing\.pem: there is no such file/],
  'an empty CA file': [{ ca: path('empty-ca.pem', '') }, /^The CA \S+empty-ca\.pem is empty\. /],
  'a CA with wrong bytes': [{ ca: BROKEN }, /^The CA cannot be read: /],
  'a CA file with a key': [{ ca: path('ca.key', own.key) }, /^The CA \S+ca\.key cannot be read: .*no certificate/],
};

function failsBefore(message: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof TokenFailure, String(error));
    assert.equal(error.reason, 'usage', error.message);
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /PRIVATE KEY|MIG|MHc/, 'it holds no secret');
    return true;
  };
}

const good = { certificate: own.pem, key: own.key };
const options = { server: SERVER, clientId: 'orders-sync', timeoutSeconds: 0 };

for (const [name, [given, message]] of Object.entries(WRONG)) {
  const { ca, ...differences } = given as { ca?: string };
  const pair = { ...good, ...differences } as typeof good;
  suite(name, () => {
    for (const method of ['get', 'login'] as const)
      test(`${method}() says so`, async () => {
        const tokens = tokenSource({ ...options, ca, by: certificate(pair), store: memoryStore() });
        await assert.rejects(tokens[method](), failsBefore(message));
      });

    test('get() with stored({ certificate, key }) says so', async (t) => {
      const store = fileFor(t);
      storePair(store, SERVER, EXPIRED);
      await assert.rejects(tokenSource({ ...options, ca, by: stored(pair), store }).get(), failsBefore(message));
    });
  });
}

test('a file that this user may not read', {
  skip: process.getuid?.() === 0 && 'root may read every file',
}, async () => {
  const by = certificate({ ...good, key: unreadable });
  await assert.rejects(
    tokenSource({ ...options, by, store: memoryStore() }).get(),
    failsBefore(/^Cannot read the key \S+: this user may not read it/),
  );
});

suite('is used as it is', () => {
  const FINE: Readonly<Record<string, typeof good>> = {
    'a certificate and its key': good,
    'one file with both': { certificate: own.key + own.pem, key: own.pem + own.key },
    'a chain, with texts between': { certificate: `subject=ada\n${own.pem}\nissuer\n${authority.pem}`, key: own.key },
  };
  for (const [name, pair] of Object.entries(FINE))
    test(name, () => {
      assert.deepEqual(certificate(pair).tls(), { cert: pair.certificate, key: pair.key });
    });
});

suite('an assertion', () => {
  const wrong = (by: Way, message: RegExp) =>
    assert.rejects(tokenSource({ ...options, by, store: memoryStore() }).get(), failsBefore(message));

  test('whose file is missing, or not named at all', async () => {
    await wrong(assertion({ assertion: missing }), /^Cannot read the assertion \S+: there is no such file/);
    await wrong(assertion({ assertion: undefined as unknown as string }), /^assertion is missing\. /);
  });

  test('whose function returns nothing', async () => {
    for (const nothing of [undefined, 7])
      await wrong(assertion({ assertion: () => nothing as unknown as string }), /^assertion did not return a text\. /);
  });
});

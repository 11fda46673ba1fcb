// The certificates of the quick start: a CA for one level, a server and callers below it.
import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { suite, test } from 'node:test';
import { readPem } from '../../src/pki/der/pem.ts';
import { type KeyedCertificate, makeDevelopmentAuthority } from '../../src/pki/development-authority.ts';
import { isCritical } from '../../src/pki/path/rule.ts';
import { type Certificate, readCertificate } from '../../src/pki/x509/certificate.ts';
import { EXTENSION } from '../../src/pki/x509/extensions.ts';
import { ecKeys } from '../signed-der.ts';
import { approve, NOW, verdict } from './approved.ts';

const DAY = 86_400;
const authority = makeDevelopmentAuthority(new Date(NOW * 1000), (length) => new Uint8Array(length).fill(0xff));
const root = contentOf(authority);

function derOf({ certificate }: KeyedCertificate): Uint8Array {
  return readPem(certificate, 'CERTIFICATE')[0] ?? assert.fail();
}

function contentOf(keyed: KeyedCertificate): Certificate {
  const read = readCertificate(derOf(keyed));
  assert.ok(new X509Certificate(keyed.certificate).checkPrivateKey(createPrivateKey(keyed.key)));
  return read.ok ? read.value : assert.fail();
}

suite('the development authority', () => {
  test('makes callers that pass the strict profile', () => {
    const issuers = [approve({ certificate: derOf(authority) }, { profile: 'strict' })];
    assert.equal(verdict({ chain: [derOf(authority.issueClient('nina'))], issuers }), 'accepted nina');
    const keys = ecKeys();
    const { publicKey } = new X509Certificate(authority.issueClient('nina', keys).certificate);
    assert.ok(publicKey.equals(keys.publicKey));
  });

  test('is an authority for one level, and its leaves are none', () => {
    assert.deepEqual(root.known.basicConstraints, { ca: true, pathLength: 0 });
    assert.deepEqual([...(root.known.keyUsage ?? [])], [5, 6]);
    assert.ok(isCritical(root, EXTENSION.basicConstraints) && isCritical(root, EXTENSION.keyUsage));
    const leaf = contentOf(authority.issueClient('nina'));
    assert.deepEqual([...(leaf.known.keyUsage ?? [])], [0]);
    assert.deepEqual([leaf.known.basicConstraints, isCritical(leaf, EXTENSION.extendedKeyUsage)], [undefined, false]);
    assert.deepEqual(leaf.known.extendedKeyUsage, ['1.3.6.1.5.5.7.3.2']);
    assert.equal(leaf.known.subjectKeyIdentifier?.length, 20);
    assert.deepEqual(leaf.known.authorityKeyIdentifier?.key, root.known.subjectKeyIdentifier);
  });

  test('makes certificates that are valid from yesterday, for 825 days from now', () => {
    for (const { version, notBefore, notAfter } of [root, contentOf(authority.issueClient('nina'))])
      assert.deepEqual([version, notBefore - NOW, notAfter - NOW], [3, -DAY, 825 * DAY]);
  });

  test('makes servers with host names and addresses', () => {
    const { subject, known } = contentOf(authority.issueServer(['tessera.test', '127.0.0.1']));
    assert.equal(subject.rdns[0]?.[0]?.value, 'tessera.test');
    assert.deepEqual(known.subjectAltName, [
      { kind: 'dns', value: 'tessera.test' },
      { kind: 'ip', octets: new Uint8Array([127, 0, 0, 1]) },
    ]);
    assert.deepEqual(known.extendedKeyUsage, ['1.3.6.1.5.5.7.3.1']);
  });

  test('makes positive serial numbers of 16 octets, whatever is drawn', () => {
    const serialOf = (octet: number) => {
      const drawn = makeDevelopmentAuthority(new Date(NOW * 1000), (length) => new Uint8Array(length).fill(octet));
      return Buffer.from(contentOf(drawn).serial).toString('hex');
    };
    assert.deepEqual([0, 0xff].map(serialOf), [`40${'00'.repeat(15)}`, `7f${'ff'.repeat(15)}`]);
  });
});

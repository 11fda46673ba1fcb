// Signature algorithms with parameters: which are accepted, and what makes a certificate unreadable.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { TAG } from '../../src/pki/der/der.ts';
import { write, writeContext, writeOid, writeSequence } from '../../src/pki/der/der-write.ts';
import { type Authority, makeAuthority } from '../authority.ts';
import { integer, rsaKeys } from '../signed-der.ts';
import { approve, verdict } from './approved.ts';
import { spkiOf } from './keys.ts';

const root = makeAuthority({ name: 'Root' });
const REFUSED = (rule: string) => `certificate-refused-by-policy: ${rule}`;
const UNREADABLE = 'certificate-unreadable: readable';

suite('RSA-PSS (RFC 4055 3.1 and 3.3)', () => {
  const PSS = '1.2.840.113549.1.1.10';
  const SHA = { sha1: '1.3.14.3.2.26', sha256: '2.16.840.1.101.3.4.2.1', sha384: '2.16.840.1.101.3.4.2.2' } as const;
  type Digest = keyof typeof SHA;
  interface Parameters {
    readonly digest?: Digest;
    readonly mask?: Digest;
    readonly generator?: string;
    readonly salt?: number;
    readonly trailer?: number;
    readonly more?: readonly Uint8Array[];
    readonly digestMore?: readonly Uint8Array[];
    readonly maskMore?: readonly Uint8Array[];
  }
  const hashOf = (digest: Digest, more: readonly Uint8Array[] = []) =>
    writeSequence(writeOid(SHA[digest]), write(TAG.null), ...more);
  const parametersOf = ({
    digest = 'sha256',
    mask = digest,
    generator = '1.2.840.113549.1.1.8',
    ...rest
  }: Parameters) =>
    writeSequence(
      writeContext(0, hashOf(digest, rest.digestMore)),
      writeContext(1, writeSequence(writeOid(generator), hashOf(mask), ...(rest.maskMore ?? []))),
      writeContext(2, integer(Uint8Array.of(rest.salt ?? 32))),
      ...(rest.trailer === undefined ? [] : [writeContext(3, integer(Uint8Array.of(rest.trailer)))]),
      ...(rest.more ?? []),
    );
  const algorithm = (parameters: Parameters, ...more: Uint8Array[]) =>
    writeSequence(writeOid(PSS), parametersOf(parameters), ...more);

  const pssRoot = makeAuthority({ name: 'PSS', keys: rsaKeys() });
  const signedWith = (written: Uint8Array, digest = 'sha256', saltLength = 32) =>
    verdict({
      chain: pssRoot.issue({ algorithm: written, pss: { digest, saltLength } }).chain,
      issuers: [approve(pssRoot)],
    });

  test('SHA-256 is accepted, with an explicit trailer too', () => {
    assert.equal(signedWith(algorithm({})), 'accepted caller');
    assert.equal(signedWith(algorithm({ trailer: 1 })), 'accepted caller');
  });

  test('SHA-1 is refused as weak, explicit or by default', () => {
    const WEAK = REFUSED('signature-algorithm-strong');
    assert.equal(signedWith(algorithm({ digest: 'sha1', salt: 20 }), 'sha1', 20), WEAK);
    assert.equal(signedWith(writeSequence(writeOid(PSS), writeSequence()), 'sha1', 20), WEAK);
  });

  for (const [what, written] of [
    ['another digest in the mask', algorithm({ mask: 'sha384' })],
    ['another mask than MGF1', algorithm({ generator: '1.2.840.113549.1.1.9' })],
    ['another trailer', algorithm({ trailer: 2 })],
    ['a field behind the parameters', algorithm({ more: [write(TAG.null)] })],
    ['a field behind the digest', algorithm({ digestMore: [write(TAG.null)] })],
    ['a field behind the mask', algorithm({ maskMore: [write(TAG.null)] })],
    ['a field behind the algorithm', algorithm({}, write(TAG.null))],
    ['no parameters', writeSequence(writeOid(PSS))],
    ['NULL as parameters', writeSequence(writeOid(PSS), write(TAG.null))],
  ] as const) {
    test(`${what} makes the certificate unreadable`, () => assert.equal(signedWith(written), UNREADABLE));
  }

  test('a salt of another length than declared does not verify', () => {
    assert.equal(signedWith(algorithm({ salt: 20 })), 'certificate-issuer-not-approved: issuer-approved');
  });

  test('a key limited to SHA-384 cannot sign with another digest', () => {
    const jwk = pssRoot.keys.publicKey.export({ format: 'jwk' });
    const number = (text = '') => integer(Buffer.concat([Uint8Array.of(0), Buffer.from(text, 'base64url')]));
    const key = writeSequence(number(jwk.n), integer(Buffer.from(jwk.e ?? '', 'base64url')));
    const limitedTo = (digest: Digest) => {
      const spki = spkiOf([writeOid(PSS), parametersOf({ digest })], key);
      return makeAuthority({
        name: 'Limited',
        keys: pssRoot.keys,
        spki,
        algorithm: algorithm({}),
        pss: { digest: 'sha256', saltLength: 32 },
      });
    };
    const issue = (authority: Authority) => {
      const chain = authority.issue({ algorithm: algorithm({}), pss: { digest: 'sha256', saltLength: 32 } }).chain;
      return verdict({ chain, issuers: [approve(authority)] });
    };
    assert.equal(issue(limitedTo('sha256')), 'accepted caller');
    assert.equal(issue(limitedTo('sha384')), 'certificate-issuer-not-approved: issuer-approved');
  });
});

test('signature algorithms with foreign parameters are refused (RFC 5758 3.2, RFC 8410 3)', () => {
  const ecdsa = writeOid('1.2.840.10045.4.3.2');
  const issuers = [approve(root)];
  for (const algorithm of [writeSequence(ecdsa, write(TAG.null)), writeSequence(ecdsa, writeSequence())]) {
    assert.equal(verdict({ chain: root.issue({ algorithm }).chain, issuers }), UNREADABLE);
  }
  const rsaRoot = makeAuthority({ name: 'RSA', keys: rsaKeys() });
  const filled = writeSequence(writeOid('1.2.840.113549.1.1.11'), write(TAG.null, Uint8Array.of(1)));
  assert.equal(verdict({ chain: rsaRoot.issue({ algorithm: filled }).chain, issuers: [approve(rsaRoot)] }), UNREADABLE);
});

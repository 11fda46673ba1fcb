// Which name violates which constraint, and how much work the comparison of names may be.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { TAG } from '../../src/pki/der/der.ts';
import { write, writeContext, writeSequence } from '../../src/pki/der/der-write.ts';
import { violatedConstraint } from '../../src/pki/path/name-constraints.ts';
import { type Certificate, readCertificate } from '../../src/pki/x509/certificate.ts';
import { EXTENSION } from '../../src/pki/x509/extensions.ts';
import { type CertificateOptions, makeAuthority } from '../authority.ts';
import { attribute, extension, nameOf } from '../signed-der.ts';
import { dns, email, ip, uri } from './corpus/pieces.ts';

const directory = (name: string) => writeContext(4, nameOf(name));
const subtrees = (number: number, names: readonly Uint8Array[]) =>
  names.length > 0 ? [writeContext(number, ...names.map((name) => writeSequence(name)))] : [];
const keys = makeAuthority().keys;

interface Scene {
  readonly permitted?: readonly Uint8Array[];
  readonly excluded?: readonly Uint8Array[];
  readonly leaf: CertificateOptions;
}

function violation({ permitted = [], excluded = [], leaf }: Scene, work = { comparisons: 0 }): string {
  const value = writeSequence(...subtrees(0, permitted), ...subtrees(1, excluded));
  const authority = makeAuthority({ keys, extensions: [extension(EXTENSION.nameConstraints, value, true)] });
  const path = [authority, authority.issue({ keys, ...leaf })].map(certificateOf);
  return violatedConstraint(path, 'rfc5280', work) ?? 'none';
}

function certificateOf({ certificate }: { readonly certificate: Uint8Array }): Certificate {
  const read = readCertificate(certificate);
  return read.ok ? read.value : assert.fail();
}

const named = (...alternativeNames: Uint8Array[]): CertificateOptions => ({ alternativeNames });
const outside = (kind: string) => `a name of kind ${kind} is outside the permitted subtrees`;
const excludes = (kind: string) => `a name of kind ${kind} is in an excluded subtree`;
const MAPPED = [...Array<number>(10).fill(0), 255, 255];

test('a violation names the kind of name', () => {
  const permitted = [dns('x.com'), email('a@x.com'), uri('x.com'), ip(10, 0, 0, 0, 255, 0, 0, 0)];
  for (const [names, found] of [
    [[dns('a.x.com'), email('a@x.com'), uri('https://x.com/'), ip(10, 1, 2, 3)], 'none'],
    [[dns('a.x.com'), dns('y.com')], outside('dns')],
    [[email('b@x.com')], outside('email')],
    [[email('a@y.com')], outside('email')],
    [[uri('https://a.x.com/')], outside('uri')],
    [[ip(11, 0, 0, 1)], outside('ip')],
  ] as const)
    assert.equal(violation({ permitted, leaf: named(...names) }), found);
  const excluded = [dns('x.com'), email('.x.com'), uri('.x.com'), directory('Evil')];
  for (const [names, found] of [
    [[dns('y.com'), email('a@x.com'), uri('https://x.com/'), directory('Good')], 'none'],
    [[dns('a.x.com')], excludes('dns')],
    [[email('a@b.x.com')], excludes('email')],
    [[uri('https://a.x.com/')], excludes('uri')],
    [[directory('evil')], excludes('directory')],
  ] as const)
    assert.equal(violation({ excluded, leaf: named(...names) }), found);
});

test('a network that is wider than that of mapped addresses holds no IPv4 address', () => {
  const mask = [...Array<number>(11).fill(255), 254, 0, 0, 0, 0];
  const excluded = [ip(...MAPPED.slice(0, 11), 254, 0, 0, 0, 0, ...mask)];
  assert.equal(violation({ excluded, leaf: named(ip(10, 1, 2, 3)) }), 'none');
  assert.equal(violation({ excluded, leaf: named(ip(...MAPPED, 10, 1, 2, 3)) }), excludes('ip'));
});

test('an intermediate is constrained as well, unless it has the name of its issuer (RFC 5280 6.1.3 b)', () => {
  const only = writeSequence(...subtrees(0, [directory('Allowed')]));
  const root = makeAuthority({ name: 'Root', keys, extensions: [extension(EXTENSION.nameConstraints, only, true)] });
  const below = (name: string) => {
    const intermediate = root.makeIntermediate({ name });
    const leaf = intermediate.issue({ subject: nameOf('Allowed'), keys });
    return violatedConstraint([root, intermediate, leaf].map(certificateOf), 'rfc5280', { comparisons: 0 }) ?? 'none';
  };
  assert.deepEqual(['Allowed', 'Root', 'Other'].map(below), ['none', 'none', outside('directory')]);
});

suite('the comparisons of names', () => {
  const scene = { permitted: [dns('x.com')], excluded: [email('y.com')], leaf: { dnsNames: ['x.com', 'a.x.com'] } };

  test('are as many as there are constraints for each name, of the subject too', () => {
    const work = { comparisons: 5 };
    assert.equal(violation(scene, work), 'none');
    assert.equal(work.comparisons, 5 + 3 * 2);
  });

  test('count each address of the subject, and eight for each character to be normalised', () => {
    const mailbox = attribute('1.2.840.113549.1.9.1', write(TAG.ia5, Buffer.from('a@x.com')));
    for (const [leaf, count] of [
      [{ subject: nameOf('j\u00f6rg') }, 2 + 4 * 8],
      [{ subject: writeSequence(write(TAG.set, mailbox)) }, 2 * 2],
      [{ subject: writeSequence(), dnsNames: ['x.com'] }, 2],
    ] as const) {
      const work = { comparisons: 0 };
      violation({ ...scene, leaf }, work);
      assert.equal(work.comparisons, count);
    }
    const work = { comparisons: 0 };
    violation({ excluded: [directory('\u00e4\u00f6'), directory('\u00fc')], leaf: {} }, work);
    assert.equal(work.comparisons, 2 + 3 * 8);
  });

  test('are 20,000 at most, over all paths that were tried', () => {
    assert.equal(violation(scene, { comparisons: 20_000 - 6 }), 'none');
    const more = 'more than 20000 name comparisons would be needed';
    assert.equal(violation(scene, { comparisons: 20_001 - 6 }), more);
  });
});

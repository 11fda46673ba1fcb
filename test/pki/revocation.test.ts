// Revocation by CRL: enforced, fail closed, by issuer and serial.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { childrenOf, contextTag, readElement, TAG } from '../../src/pki/der/der.ts';
import { write, writeContext, writeSequence } from '../../src/pki/der/der-write.ts';
import { readRevocationList } from '../../src/pki/revocation/crl.ts';
import { marksOf, revokingLists } from '../../src/pki/revocation/revocation.ts';
import { EXTENSION } from '../../src/pki/x509/extensions.ts';
import { makeAuthority } from '../authority.ts';
import { attribute, ecKeys, extension } from '../signed-der.ts';
import { approve, CRL_REQUIRED, judge, verdict } from './approved.ts';
import { point } from './corpus/list-case.ts';

const root = makeAuthority({ name: 'Root' });
const caller = root.issue();
const required = [approve(root, { revocation: CRL_REQUIRED })];
const REVOKED = 'certificate-revoked: crl-revoked';
const UNKNOWN = 'certificate-revocation-unknown: crl-unknown';

const scope = (...fields: Uint8Array[]) =>
  extension(EXTENSION.issuingDistributionPoint, writeSequence(...fields), true);
const withCrl = (...crls: Uint8Array[]) => verdict({ chain: caller.chain, issuers: required, crls });

suite('a CRL', () => {
  test('that is older refuses a certificate that a newer one has released from hold', () => {
    const held = root.crl({ revoked: [caller.serial], thisUpdate: '2026-11-15T10:00:00Z' });
    const released = root.crl({ thisUpdate: '2026-11-15T11:00:00Z' });
    assert.equal(withCrl(held, released), REVOKED);
    assert.equal(withCrl(released), 'accepted caller');
  });

  test('of the certificate’s distribution point counts, by URL or by name', () => {
    const relative = write(TAG.set, attribute('2.5.4.3', 'CRL 1'));
    const nameOfPoint = writeSequence(...childrenOf(readElement(root.subject)).map(({ whole }) => whole), relative);
    const byName = writeContext(0, writeContext(0, writeContext(4, nameOfPoint)));
    const byRelative = writeContext(0, write(contextTag(1, 'constructed'), attribute('2.5.4.3', 'CRL 1')));
    for (const [own, lists] of [
      [point('http://crl.test/1'), point('http://crl.test/1')],
      [byName, byRelative],
      [byRelative, byName],
    ] as const) {
      const points = extension(EXTENSION.crlDistributionPoints, writeSequence(writeSequence(own)));
      const { chain } = root.issue({ extensions: [points] });
      const ask = (field: Uint8Array) =>
        verdict({ chain, issuers: required, crls: [root.crl({ extensions: [scope(field)] })] });
      assert.equal(ask(lists), 'accepted caller');
      assert.equal(ask(point('http://crl.test/2')), UNKNOWN);
    }
  });

  test('for some reasons only never proves a certificate good', () => {
    const some = write(contextTag(3, 'primitive'), Uint8Array.of(6, 0x40));
    const others = write(contextTag(3, 'primitive'), Uint8Array.of(7, 0x3f, 0x80));
    assert.equal(withCrl(root.crl({ extensions: [scope(some)] })), UNKNOWN);
    assert.equal(
      withCrl(root.crl({ extensions: [scope(some)] }), root.crl({ extensions: [scope(others)] })),
      'accepted caller',
    );
  });

  test('with a number that is negative, longer than 20 octets or malformed, or an empty scope, revokes but proves nothing good', () => {
    const numbered = (octets: Uint8Array) => extension(EXTENSION.crlNumber, write(TAG.integer, octets));
    const emptyScope = extension(EXTENSION.issuingDistributionPoint, writeSequence(), true);
    for (const [what, odd] of Object.entries({
      negative: { withoutNumber: true, extensions: [numbered(Uint8Array.of(0x80))] },
      empty: { withoutNumber: true, extensions: [numbered(Uint8Array.of())] },
      'not a number': {
        withoutNumber: true,
        extensions: [extension(EXTENSION.crlNumber, write(TAG.octetString, Uint8Array.of(1)))],
      },
      'with something after it': {
        withoutNumber: true,
        extensions: [extension(EXTENSION.crlNumber, Buffer.from([TAG.integer, 1, 1, 0]))],
      },
      long: { withoutNumber: true, extensions: [numbered(Buffer.alloc(21, 1))] },
      'an empty scope': { extensions: [emptyScope] },
    })) {
      assert.equal(withCrl(root.crl(odd)), UNKNOWN, what);
      assert.equal(withCrl(root.crl({ ...odd, revoked: [caller.serial] })), REVOKED, what);
    }
    for (const octets of [Buffer.alloc(20, 1), Uint8Array.of(0x7f)])
      assert.equal(withCrl(root.crl({ withoutNumber: true, extensions: [numbered(octets)] })), 'accepted caller');
  });
});

suite('revocation along the path', () => {
  const intermediate = root.makeIntermediate();
  const chain = intermediate.issue().chain;

  test('a separate key for CRLs must be certified under the same approved issuer', () => {
    const keys = ecKeys();
    const crlSign = extension(EXTENSION.keyUsage, write(TAG.bitString, Uint8Array.of(1, 0x02)), true);
    const signer = root.makeIntermediate({ subject: intermediate.subject, keys, extensions: [crlSign] });
    const crls = [root.crl(), intermediate.crl({ keys })];
    assert.equal(verdict({ chain, issuers: required, crls }), UNKNOWN);
    assert.equal(verdict({ chain: [...chain, signer.certificate], issuers: required, crls }), 'accepted caller');
    const leaf = root.issue({ subject: intermediate.subject, keys, extensions: [crlSign] });
    assert.equal(
      verdict({ chain: [...chain, leaf.certificate], issuers: required, crls }),
      UNKNOWN,
      'no authority, for all its name',
    );
    const stranger = makeAuthority({ name: 'Stranger' }).makeIntermediate({
      subject: intermediate.subject,
      keys,
      extensions: [crlSign],
    });
    assert.equal(verdict({ chain: [...chain, stranger.certificate], issuers: required, crls }), UNKNOWN);
    const revoked = [root.crl({ revoked: [signer.serial] }), intermediate.crl({ keys })];
    assert.equal(verdict({ chain: [...chain, signer.certificate], issuers: required, crls: revoked }), UNKNOWN);
  });

  test('a separate key for CRLs is found below an intermediate, among thousands of registered ones', () => {
    const between = root.makeIntermediate();
    const keys = ecKeys();
    const signer = between.makeIntermediate({ subject: between.subject, keys });
    const other = root.makeIntermediate({ name: 'Other' }).certificate;
    const intermediates = [...Array.from({ length: 4_000 }, () => other), between.certificate, signer.certificate];
    const issuers = [approve(root, { intermediates, revocation: CRL_REQUIRED })];
    const leaf = between.issue();
    const crls = [root.crl(), between.crl({ keys, revoked: [leaf.serial] })];
    assert.equal(verdict({ chain: leaf.chain, issuers, crls }), REVOKED);
  });
});

suite('the fingerprints of revoked certificates', () => {
  const revokedMarks = (...given: Parameters<typeof revokingLists>) =>
    revokingLists(...given).flatMap((revoking) => [...marksOf(revoking)]);

  test('match those stored with grants, so that a new list ends them', () => {
    const intermediate = root.makeIntermediate();
    const below = intermediate.issue();
    const issuer = approve(root, { intermediates: [intermediate.certificate], revocation: CRL_REQUIRED });
    const lists = [root.crl({ revoked: [caller.serial] }), intermediate.crl({ revoked: [below.serial] })].map(listOf);
    const marks = [...revokedMarks(lists, [issuer])].map((mark) => Buffer.from(mark).toString('hex'));
    for (const { chain } of [caller, below]) {
      const { mark } = judge({ chain, issuers: [approve(root)] });
      assert.ok(marks.includes(Buffer.from(mark?.certificate ?? []).toString('hex')));
    }
    assert.equal(marks.length, 2);
  });

  test('are only the new ones if an earlier list was already applied', () => {
    const [former, list] = [[caller.serial], [caller.serial, Uint8Array.of(5)]].map((revoked) =>
      listOf(root.crl({ revoked })),
    ) as [ReturnType<typeof listOf>, ReturnType<typeof listOf>];
    const [revoking] = revokingLists([list], [approve(root, { revocation: CRL_REQUIRED })]);
    assert.ok(revoking);
    assert.equal([...marksOf(revoking)].length, 2);
    assert.equal([...marksOf(revoking, [former])].length, 1);
  });

  test('are not taken from a list of a CA with the same name', () => {
    const forged = makeAuthority({ name: 'Root' }).crl({ revoked: [caller.serial] });
    assert.deepEqual([...revokedMarks([listOf(forged)], [approve(root, { revocation: CRL_REQUIRED })])], []);
  });

  test('are empty for issuers that ignore lists or keep grants', () => {
    const lists = [listOf(root.crl({ revoked: [caller.serial] }))];
    for (const difference of [{ crl: 'off' }, { endGrants: false }] as const) {
      assert.deepEqual(
        [...revokedMarks(lists, [approve(root, { revocation: { ...CRL_REQUIRED, ...difference } })])],
        [],
      );
    }
  });
});

function listOf(crl: Uint8Array) {
  const list = readRevocationList(crl);
  return list.ok ? list.value : assert.fail(list.refusal);
}

// Why an OCSP response is not used, in the words of the step that operators see, and when it is used to the second.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { epochSeconds, isoTime } from '../../src/core/time.ts';
import { contextTag, TAG } from '../../src/pki/der/der.ts';
import { write, writeContext, writeOid, writeSequence } from '../../src/pki/der/der-write.ts';
import { checkResponses, readOcspResponse, responderOf } from '../../src/pki/revocation/ocsp.ts';
import { type Certificate, readCertificate } from '../../src/pki/x509/certificate.ts';
import { EXTENSION } from '../../src/pki/x509/extensions.ts';
import { makeAuthority } from '../authority.ts';
import { ecKeys, extension, integer } from '../signed-der.ts';
import { NOW } from './approved.ts';
import { uri } from './corpus/pieces.ts';

const root = makeAuthority({ name: 'Root' });
const issuer = certificateOf(root.certificate);
const caller = root.issue();
const certificate = certificateOf(caller.certificate);
const GOOD = 'its OCSP responder says good';

function certificateOf(der: Uint8Array): Certificate {
  const read = readCertificate(der);
  return read.ok ? read.value : assert.fail();
}

type OcspOptions = Parameters<typeof root.ocsp>[1];

function responseOf(options: OcspOptions, authority = root) {
  const read = readOcspResponse(authority.ocsp(caller.serial, options));
  return read.ok ? read.value : assert.fail(read.refusal);
}

function answer(options: OcspOptions, more: { trustedUntil?: number; doubt?: string } = {}) {
  const { trustedUntil, doubt } = more;
  const until = trustedUntil === undefined ? {} : { trustedUntil: epochSeconds(trustedUntil) };
  return checkResponses({ certificate, issuer }, [{ ...responseOf(options), ...until }], () => doubt, NOW);
}

const at = (seconds: number) => new Date((NOW + seconds) * 1000).toISOString();

suite('an OCSP response that is not used says why', () => {
  const delegate = root.issue({ usages: ['1.3.6.1.5.5.7.3.9'] });

  test('because of who signed it', () => {
    const namesake = makeAuthority({ name: 'Root' });
    const stranger = { keys: ecKeys(), certificate: delegate.certificate };
    for (const [options, words] of [
      [{}, GOOD],
      [{ state: 'unknown' }, 'its OCSP responder says unknown'],
      [{ digest: 'sha1' }, 'the OCSP response is signed with ECDSA with sha1'],
      [{ responder: stranger }, 'the OCSP response is not signed by the issuer or its delegate'],
      [{ responder: namesake.issue() }, 'the OCSP responder is not certified by the issuer'],
      [{ responder: root.makeIntermediate().issue() }, 'the OCSP responder is not certified by the issuer'],
      [{ responder: root.issue() }, 'the OCSP responder lacks the key usage OCSPSigning'],
      [{ responder: delegate }, GOOD],
    ] as const)
      assert.equal(answer(options).words, words);
    assert.equal(answer({ responder: delegate }, { doubt: 'revoked' }).words, 'revoked');
  });

  test('because it is about another certificate, or another issuer', () => {
    const none = { state: 'unknown', words: 'there is no OCSP response for it' };
    const [renamed, rekeyed] = [makeAuthority({ name: 'Other', keys: root.keys }), makeAuthority({ name: 'Root' })];
    for (const authority of [renamed, rekeyed])
      assert.deepEqual(
        checkResponses({ certificate, issuer }, [responseOf({}, authority)], () => undefined, NOW),
        none,
      );
    const other = certificateOf(root.issue().certificate);
    assert.deepEqual(
      checkResponses({ certificate: other, issuer }, [responseOf({})], () => undefined, NOW),
      none,
    );
  });

  test('because of its dates, with five minutes for clocks that differ', () => {
    const stale = 'the OCSP response is stale';
    for (const [thisUpdate, nextUpdate, words] of [
      [300, 900, GOOD],
      [301, 900, `the OCSP response is not valid before ${isoTime(epochSeconds(NOW + 301))}`],
      [-900, -300, GOOD],
      [-900, -301, stale],
      [-900, null, GOOD],
      [-901, null, stale],
    ] as const) {
      const options = { thisUpdate: at(thisUpdate), nextUpdate: nextUpdate === null ? null : at(nextUpdate) };
      assert.equal(answer(options).words, words, `${thisUpdate} ${nextUpdate}`);
    }
    assert.equal(answer({}, { trustedUntil: NOW }).words, GOOD);
    assert.equal(answer({}, { trustedUntil: NOW - 1 }).words, 'the OCSP response has no nonce and is too old');
    assert.equal(answer({ state: 'revoked', nextUpdate: at(-9_000) }, { trustedUntil: NOW - 1 }).state, 'revoked');
  });
});

test('an OCSP response counts until its next update, for ten minutes without one, or as long as it is trusted', () => {
  const untilOf = (...question: Parameters<typeof answer>) => Number(answer(...question).until) - NOW;
  assert.equal(untilOf({ thisUpdate: at(0), nextUpdate: at(50) }), 50);
  assert.equal(untilOf({ thisUpdate: at(-10), nextUpdate: null }), 590);
  assert.equal(untilOf({ thisUpdate: at(0), nextUpdate: at(50) }, { trustedUntil: NOW + 49 }), 49);
});

test('of several OCSP responses, one that revokes counts, then one that is trusted', () => {
  const [good, revoked] = [responseOf({}), responseOf({ state: 'revoked' })];
  const [unknown, stale] = [responseOf({ state: 'unknown' }), responseOf({ nextUpdate: at(-301) })];
  const stateOf = (...responses: (typeof good)[]) =>
    checkResponses({ certificate, issuer }, responses, () => undefined, NOW).state;
  for (const order of [
    [good, revoked, unknown],
    [unknown, revoked, good],
    [revoked, stale, good],
  ])
    assert.equal(stateOf(...order), 'revoked');
  const both = checkResponses({ certificate, issuer }, [stale, unknown], () => undefined, NOW);
  assert.equal(both.words, 'the OCSP response is stale', 'the first of equal ones');
  for (const order of [
    [good, unknown],
    [stale, good],
  ])
    assert.equal(stateOf(...order), 'good');
});

test('an OCSP response that cannot be read says why', () => {
  const whyNot = (...parts: Uint8Array[]) => {
    const read = readOcspResponse(writeSequence(...parts));
    return read.ok ? 'read' : read.refusal.replace('the OCSP response cannot be read: ', '');
  };
  const status = (code: number) => write(TAG.enumerated, Uint8Array.of(code));
  const basic = (oid: string, content: Uint8Array) =>
    writeContext(0, writeSequence(writeOid(oid), write(TAG.octetString, content)));
  assert.equal(whyNot(status(6)), 'the responder answered with status 6');
  assert.equal(whyNot(status(0), basic('1.2.3', writeSequence())), 'it is not a basic OCSP response');
  assert.match(whyNot(status(0), basic('1.3.6.1.5.5.7.48.1.1', writeSequence())), /missing/);
  const date = write(TAG.generalizedTime, Buffer.from('20261115000000Z'));
  const good = write(contextTag(0, 'primitive'));
  const idBy = (digest: string) =>
    writeSequence(
      writeSequence(writeOid(digest)),
      ...[1, 2].map((octet) => write(TAG.octetString, Uint8Array.of(octet))),
      integer(Uint8Array.of(5)),
    );
  const id = idBy('1.3.14.3.2.26');
  const whyNotAnswer = (answer: Uint8Array, ...version: Uint8Array[]) => {
    const body = writeSequence(...version, writeContext(1, root.subject), date, writeSequence(answer));
    const algorithm = writeSequence(writeOid('1.2.840.10045.4.3.2'));
    const signed = writeSequence(body, algorithm, write(TAG.bitString, Uint8Array.of(0)));
    return whyNot(status(0), basic('1.3.6.1.5.5.7.48.1.1', signed));
  };
  const withExtension = (critical: boolean) =>
    writeSequence(id, good, date, writeContext(1, writeSequence(extension('1.2.3', date, critical))));
  assert.equal(whyNotAnswer(writeSequence(id, good, date)), 'read');
  assert.equal(whyNotAnswer(writeSequence(id, good, date), writeContext(0, integer(Uint8Array.of(0)))), 'read');
  assert.equal(whyNotAnswer(withExtension(false)), 'read');
  assert.equal(whyNotAnswer(withExtension(true)), 'an answer has the critical extension 1.2.3');
  assert.equal(whyNotAnswer(writeSequence(id, write(contextTag(3, 'primitive')), date)), 'unknown certificate status');
  assert.equal(whyNotAnswer(writeSequence(idBy('1.2.3'), good, date)), 'unknown digest in a certificate id');
});

test('the responder of a certificate is the first address for OCSP', () => {
  const dns = write(contextTag(2, 'primitive'), Buffer.from('ocsp.test'));
  const [issuers, ocsp] = ['1.3.6.1.5.5.7.48.2', '1.3.6.1.5.5.7.48.1'];
  const of = (...entries: (readonly [string, Uint8Array])[]) => {
    const access = writeSequence(...entries.map(([method, place]) => writeSequence(writeOid(method), place)));
    return responderOf(
      certificateOf(root.issue({ extensions: [extension(EXTENSION.authorityInfoAccess, access)] }).certificate),
    );
  };
  assert.equal(
    of([issuers, uri('http://a')], [ocsp, dns], [ocsp, uri('http://b')], [ocsp, uri('http://c')]),
    'http://b',
  );
  assert.equal(of([issuers, uri('http://a')], [ocsp, dns]), undefined);
  assert.equal(responderOf(certificate), undefined);
});

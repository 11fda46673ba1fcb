// A list revokes the certificates it names, even if it is irregular. An irregular list never proves that a certificate is good.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { contextTag, MalformedDer, TAG } from '../../src/pki/der/der.ts';
import { write, writeContext, writeSequence } from '../../src/pki/der/der-write.ts';
import { RevokedSerials, scanEntries } from '../../src/pki/revocation/crl-entries.ts';
import { EXTENSION } from '../../src/pki/x509/extensions.ts';
import { makeAuthority } from '../authority.ts';
import { revokedEntry } from '../authority-lists.ts';
import { extension, integer, nameOf, rsaKeys } from '../signed-der.ts';
import { approve, CRL_REQUIRED, verdict } from './approved.ts';

const REASON_CODE = '2.5.29.21';
const CERTIFICATE_ISSUER = '2.5.29.29';
const ACCEPTED = 'accepted caller';
const REVOKED = 'certificate-revoked: crl-revoked';
const UNKNOWN = 'certificate-revocation-unknown: crl-unknown';

const root = makeAuthority({ name: 'Root' });
const caller = root.issue();
const required = [approve(root, { revocation: CRL_REQUIRED })];
const ifAvailable = [approve(root, { revocation: { ...CRL_REQUIRED, crl: 'if-available' } })];
const ask = (issuers: typeof required, ...crls: Uint8Array[]) => verdict({ chain: caller.chain, issuers, crls });

const flag = (number: number) => write(contextTag(number, 'primitive'), Uint8Array.of(0xff));
const point = (url: string) => writeContext(0, writeContext(0, write(contextTag(6, 'primitive'), Buffer.from(url))));
const scope = (...fields: Uint8Array[]) =>
  extension(EXTENSION.issuingDistributionPoint, writeSequence(...fields), true);
const directory = (name: Uint8Array) => writeContext(4, name);
const reason = (code: number) => extension(REASON_CODE, write(TAG.enumerated, Uint8Array.of(code)));
const ofIssuer = (name: Uint8Array) => extension(CERTIFICATE_ISSUER, writeSequence(directory(name)), true);
const delta = extension(EXTENSION.deltaCrlIndicator, integer(Uint8Array.of(1)), true);
const unknownCritical = extension('1.2.3', writeSequence(), true);

type CrlOptions = NonNullable<Parameters<typeof root.crl>[0]>;

const ODD: Readonly<Record<string, CrlOptions>> = {
  'of version 1': { version: 1 },
  'without a number': { withoutNumber: true },
  'with a critical number': {
    withoutNumber: true,
    extensions: [extension(EXTENSION.crlNumber, integer(Uint8Array.of(1)), true)],
  },
  'with an unknown critical extension': { extensions: [unknownCritical] },
  'with an extension twice': { extensions: [extension('1.2.3', writeSequence()), extension('1.2.3', writeSequence())] },
  'with a scope that cannot be read': {
    extensions: [extension(EXTENSION.issuingDistributionPoint, Buffer.from([5, 0]), true)],
  },
  'with an unknown critical extension of an entry': { entries: [revokedEntry(Uint8Array.of(5), unknownCritical)] },
  'with an entry without a date': { entries: [writeSequence(integer(Uint8Array.of(5)))] },
  'with an entry of a date that does not exist': {
    entries: [writeSequence(integer(Uint8Array.of(5)), write(TAG.utcTime, Buffer.from('241301000000Z')))],
  },
  'that is a delta': { extensions: [delta] },
  'that is indirect': { extensions: [scope(flag(4))] },
  'about authorities only': { extensions: [scope(flag(2))] },
  'of another distribution point': { extensions: [scope(point('http://crl.test/other'))] },
  'of some reasons only': { extensions: [scope(write(contextTag(3, 'primitive'), Uint8Array.of(6, 0x40)))] },
  'that has not begun': { thisUpdate: '2027-01-01' },
  'that is stale': { nextUpdate: '2026-01-01' },
};

suite('a list of the issuer', () => {
  for (const [what, options] of Object.entries(ODD)) {
    test(`${what} revokes its entries, even under if-available`, () => {
      assert.equal(ask(ifAvailable, root.crl({ ...options, revoked: [caller.serial] })), REVOKED);
      assert.equal(ask(required, root.crl(), root.crl({ ...options, revoked: [caller.serial] })), REVOKED);
    });

    test(`${what} never proves a certificate good (RFC 5280 6.3.3)`, () => {
      const list = root.crl({ ...options, revoked: [Uint8Array.of(7)] });
      // Month 13: the date of an entry is not checked, because nothing depends on it.
      const expected = what.includes('does not exist') ? ACCEPTED : UNKNOWN;
      assert.equal(ask(required, list), expected);
      assert.equal(ask(ifAvailable, list), ACCEPTED);
    });
  }

  test('matches serial numbers by value, ignoring padding', () => {
    const padded = Buffer.concat([Uint8Array.of(0), caller.serial]);
    assert.equal(ask(required, root.crl({ entries: [revokedEntry(padded)] })), REVOKED);
  });

  test('finds each of many entries and nothing else', () => {
    const serials = Array.from({ length: 3000 }, (_, index) => Uint8Array.of(1, index >> 8, index & 0xff));
    const few = serials.slice(0, 20).map((serial) => root.issue({ serial, keys: caller.keys }));
    const list = root.crl({ revoked: serials });
    for (const { chain } of few) assert.equal(verdict({ chain, issuers: required, crls: [list] }), REVOKED);
    assert.equal(ask(required, list), ACCEPTED);
    assert.equal(ask(required, root.crl({ revoked: [...serials, caller.serial] })), REVOKED);
  });

  test('of attribute certificates does not apply, since those have their own serial numbers', () => {
    assert.equal(ask(required, root.crl({ revoked: [caller.serial], extensions: [scope(flag(5))] })), UNKNOWN);
  });

  test('signed with SHA-1, or with different inner and outer algorithms, is ignored', () => {
    const rsa = makeAuthority({ name: 'RSA', keys: rsaKeys() });
    const { chain, serial } = rsa.issue();
    const issuers = (crl: 'required' | 'if-available') => [approve(rsa, { revocation: { ...CRL_REQUIRED, crl } })];
    for (const digests of [{ digest: 'sha1' }, { digest: 'sha256', claimedDigest: 'sha1' }] as const) {
      assert.equal(verdict({ chain, issuers: issuers('required'), crls: [rsa.crl(digests)] }), UNKNOWN);
      const naming = [rsa.crl({ ...digests, revoked: [serial] })];
      assert.equal(verdict({ chain, issuers: issuers('if-available'), crls: naming }), ACCEPTED);
    }
    assert.equal(verdict({ chain, issuers: issuers('required'), crls: [rsa.crl()] }), ACCEPTED);
  });
});

suite('the entries of a list', () => {
  const serialsIn = (list: Uint8Array) => {
    const { own, odd } = scanEntries(list, false);
    const serials = new RevokedSerials(list, own);
    const found = [...serials].map((serial) => Buffer.from(serial).toString('hex')).sort();
    for (const hex of found) assert.ok(serials.has(Buffer.from(hex, 'hex')), hex);
    assert.equal(serials.has(Uint8Array.of(0x66)), false);
    assert.equal(serials.size, found.length);
    return { found, odd };
  };

  test('are found behind entries of every length', () => {
    const lengths = [...Array.from({ length: 260 }, (_, length) => length), 65_500, 65_536];
    for (const length of lengths) {
      const long = revokedEntry(Uint8Array.of(5), extension('1.2.3', Buffer.alloc(length)));
      const list = Buffer.concat([long, revokedEntry(Uint8Array.of(9)), revokedEntry(Uint8Array.of(5))]);
      assert.deepEqual(serialsIn(list), { found: ['05', '09'], odd: undefined }, `${length}`);
    }
  });

  test('have serial numbers that count without padding, also zero and negative ones', () => {
    for (const [hex, expected] of [
      ['00', '00'],
      ['0000', '00'],
      ['000080', '0080'],
      ['ff', 'ff'],
      ['ffff80', '80'],
      ['ff7f', 'ff7f'],
    ] as const)
      assert.deepEqual(serialsIn(revokedEntry(Buffer.from(hex, 'hex'))).found, [expected]);
  });

  test('begin with a serial number of 1 to 127 octets', () => {
    const entry = (...parts: Uint8Array[]) => writeSequence(...parts, write(TAG.utcTime, Buffer.from('241101000000Z')));
    for (const length of [1, 127])
      assert.deepEqual(serialsIn(entry(integer(Buffer.alloc(length, 1)))).found, ['01'.repeat(length)]);
    const pastTheEnd = Uint8Array.of(TAG.sequence, 3, TAG.integer, 2, 5, 6);
    const noSerials = [
      write(TAG.octetString, Uint8Array.of(5)),
      integer(Buffer.alloc(0)),
      integer(Buffer.alloc(128, 1)),
    ];
    for (const list of [pastTheEnd, ...noSerials.map((serial) => entry(serial))])
      assert.throws(() => scanEntries(list, false), /does not begin with a serial number/);
  });

  test('may have a GeneralizedTime', () => {
    const date = write(TAG.generalizedTime, Buffer.from('20241101000000Z'));
    assert.equal(serialsIn(writeSequence(integer(Uint8Array.of(5)), date)).odd, undefined);
  });

  test('are of at most 256 other issuers', () => {
    const entry = (_: unknown, index: number) => revokedEntry(Uint8Array.of(5), ofIssuer(nameOf(`CA ${index}`)));
    const { others, odd } = scanEntries(Buffer.concat(Array.from({ length: 256 }, entry)), false);
    assert.deepEqual([others.length, odd], [256, undefined]);
    const more = scanEntries(Buffer.concat([...Array.from({ length: 257 }, entry), entry(0, 0)]), false);
    assert.equal(more.others.length, 256);
    assert.match(more.odd ?? '', /more than 256 issuers/);
  });

  test('are odd if a date has something else than digits', () => {
    for (const date of [
      '/41101000000Z',
      ':41101000000Z',
      '24110100000/Z',
      '24110100000:Z',
      '2411010000000',
      '2411010000Z',
    ]) {
      const entry = writeSequence(integer(Uint8Array.of(5)), write(TAG.utcTime, Buffer.from(date)));
      assert.match(serialsIn(entry).odd ?? '', /date/, date);
    }
  });

  test('are no DER if a length is indefinite, not minimal, oversized or runs past the end, or the tag is another', () => {
    const rest = [...revokedEntry(Uint8Array.of(5))].slice(2);
    for (const length of [[0x80], [0x81, rest.length], [0x85, 0, 0, 0, 0, rest.length], [rest.length + 1]])
      assert.throws(() => scanEntries(Uint8Array.of(TAG.sequence, ...length, ...rest), false), MalformedDer);
    assert.throws(() => scanEntries(Uint8Array.of(TAG.set, rest.length, ...rest), false), /expected tag 48, found 49/);
    for (const start of [[TAG.sequence], [TAG.sequence, 0x82, 1]])
      assert.throws(() => scanEntries(Uint8Array.from(start), false), MalformedDer);
  });
});

suite('removeFromCRL (RFC 5280 5.3.1)', () => {
  const removal = revokedEntry(caller.serial, reason(8));

  test('in a delta neither revokes nor overrides a complete list', () => {
    const changes = root.crl({ extensions: [delta], entries: [removal] });
    assert.equal(ask(required, root.crl(), changes), ACCEPTED);
    assert.equal(ask(required, root.crl({ revoked: [caller.serial] }), changes), REVOKED);
  });

  test('is invalid in a complete list, whose entry still revokes', () => {
    assert.equal(ask(required, root.crl({ entries: [removal] })), REVOKED);
    assert.equal(ask(required, root.crl({ entries: [revokedEntry(caller.serial, reason(6))] })), REVOKED);
  });

  test('is no other extension of the same length, nor another reason', () => {
    const same = extension('1.2.3.4', write(TAG.enumerated, Uint8Array.of(8)));
    for (const kept of [same, reason(6), reason(9)])
      assert.equal(
        ask(required, root.crl(), root.crl({ extensions: [delta], entries: [revokedEntry(caller.serial, kept)] })),
        REVOKED,
      );
  });

  test('is found among other entry extensions', () => {
    const invalid = extension('2.5.29.24', write(TAG.generalizedTime, Buffer.from('20240101000000Z')));
    const entries = (code: number) => [revokedEntry(caller.serial, reason(code), invalid)];
    assert.equal(ask(required, root.crl(), root.crl({ extensions: [delta], entries: entries(8) })), ACCEPTED);
    assert.equal(ask(required, root.crl(), root.crl({ extensions: [delta], entries: entries(6) })), REVOKED);
    assert.equal(ask(required, root.crl({ entries: entries(8) })), REVOKED, 'in a complete list');
  });
});

suite('an indirect list (RFC 5280 5.2.5, 5.3.3)', () => {
  const publisher = root.makeIntermediate({ name: 'List Publisher' });
  const crlIssuer = (name: Uint8Array) =>
    extension(
      EXTENSION.crlDistributionPoints,
      writeSequence(writeSequence(point('http://crl.test/1'), write(contextTag(2, 'constructed'), directory(name)))),
    );
  const leaf = root.issue({ extensions: [crlIssuer(publisher.subject)] });
  const issuers = [approve(root, { intermediates: [publisher.certificate], revocation: CRL_REQUIRED })];
  const indirect = (...entries: Uint8Array[]) => publisher.crl({ extensions: [scope(flag(4))], entries });
  const judged = (...crls: Uint8Array[]) => verdict({ chain: leaf.chain, issuers, crls });

  test('of the authority that the certificate names decides, by issuer and serial number', () => {
    const other = revokedEntry(Uint8Array.of(9), ofIssuer(root.subject));
    assert.equal(judged(indirect(other)), ACCEPTED);
    assert.equal(judged(indirect(revokedEntry(leaf.serial, ofIssuer(root.subject)))), REVOKED);
    assert.equal(judged(indirect(other, revokedEntry(leaf.serial))), REVOKED, 'the issuer named before still counts');
  });

  test('does not revoke a certificate of another issuer with the same serial number', () => {
    assert.equal(judged(indirect(revokedEntry(leaf.serial))), ACCEPTED, 'it is one of the publisher itself');
    const foreign = revokedEntry(leaf.serial, ofIssuer(nameOf('Somebody')));
    assert.equal(judged(indirect(foreign)), ACCEPTED);
    assert.equal(
      ask(required, root.crl(), root.crl({ entries: [revokedEntry(caller.serial, ofIssuer(nameOf('X')))] })),
      ACCEPTED,
    );
  });

  test('with an entry of an issuer that has no directory name proves nothing good', () => {
    const uri = write(contextTag(6, 'primitive'), Buffer.from('http://issuer.test'));
    const ofUri = extension(CERTIFICATE_ISSUER, writeSequence(uri), true);
    assert.equal(judged(indirect(revokedEntry(Uint8Array.of(9), ofUri))), UNKNOWN);
  });

  test('of an authority that the certificate does not name is ignored', () => {
    const crls = [root.crl(), indirect(revokedEntry(caller.serial, ofIssuer(root.subject)))];
    assert.equal(verdict({ chain: caller.chain, issuers, crls }), ACCEPTED);
    const stranger = makeAuthority({ name: 'List Publisher' });
    assert.equal(judged(stranger.crl({ extensions: [scope(flag(4))] })), UNKNOWN);
  });

  test('must be marked as indirect; a complete list of the issuer itself counts too (RFC 5280 6.3.3)', () => {
    assert.equal(judged(root.crl()), ACCEPTED);
    assert.equal(judged(root.crl({ revoked: [leaf.serial] })), REVOKED);
    assert.equal(judged(publisher.crl()), UNKNOWN);
  });
});

test('an entry without a date is reported as such, wherever it is in the list', () => {
  const [dateless, plain] = [writeSequence(integer(Uint8Array.of(5))), revokedEntry(Uint8Array.of(6))];
  for (const entries of [[dateless], [dateless, plain], [plain, dateless]])
    assert.equal(scanEntries(Buffer.concat(entries), false).odd, 'an entry has no date');
  assert.equal(scanEntries(plain, false).odd, undefined);
});

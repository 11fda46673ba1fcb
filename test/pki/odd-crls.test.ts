// A list revokes the certificates it names, even if it is irregular. An irregular list never proves that a certificate is good.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { MalformedDer, TAG } from '../../src/pki/der/der.ts';
import { write, writeSequence } from '../../src/pki/der/der-write.ts';
import { RevokedSerials, scanEntries } from '../../src/pki/revocation/crl-entries.ts';
import { EXTENSION } from '../../src/pki/x509/extensions.ts';
import { makeAuthority } from '../authority.ts';
import { revokedEntry } from '../authority-lists.ts';
import { extension, integer, nameOf } from '../signed-der.ts';
import { approve, CRL_REQUIRED, verdict } from './approved.ts';
import { directory } from './corpus/pieces.ts';

const REASON_CODE = '2.5.29.21';
const CERTIFICATE_ISSUER = '2.5.29.29';
const ACCEPTED = 'accepted caller';
const REVOKED = 'certificate-revoked: crl-revoked';

const root = makeAuthority({ name: 'Root' });
const caller = root.issue();
const required = [approve(root, { revocation: CRL_REQUIRED })];
const ask = (issuers: typeof required, ...crls: Uint8Array[]) => verdict({ chain: caller.chain, issuers, crls });

const reason = (code: number) => extension(REASON_CODE, write(TAG.enumerated, Uint8Array.of(code)));
const ofIssuer = (name: Uint8Array) => extension(CERTIFICATE_ISSUER, writeSequence(directory(name)), true);
const delta = extension(EXTENSION.deltaCrlIndicator, integer(Uint8Array.of(1)), true);

suite('a list of the issuer', () => {
  test('finds each of many entries and nothing else', () => {
    const serials = Array.from({ length: 3000 }, (_, index) => Uint8Array.of(1, index >> 8, index & 0xff));
    const few = serials.slice(0, 20).map((serial) => root.issue({ serial, keys: caller.keys }));
    const list = root.crl({ revoked: serials });
    for (const { chain } of few) assert.equal(verdict({ chain, issuers: required, crls: [list] }), REVOKED);
    assert.equal(ask(required, list), ACCEPTED);
    assert.equal(ask(required, root.crl({ revoked: [...serials, caller.serial] })), REVOKED);
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

test('an entry without a date is reported as such, wherever it is in the list', () => {
  const [dateless, plain] = [writeSequence(integer(Uint8Array.of(5))), revokedEntry(Uint8Array.of(6))];
  for (const entries of [[dateless], [dateless, plain], [plain, dateless]])
    assert.equal(scanEntries(Buffer.concat(entries), false).odd, 'an entry has no date');
  assert.equal(scanEntries(plain, false).odd, undefined);
});

// Names compare by RFC 5280 7.1 and RFC 4518, whatever their encoding, and no value is mistaken for another name.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { readElement, TAG } from '../../src/pki/der/der.ts';
import { write, writeContext, writeSequence } from '../../src/pki/der/der-write.ts';
import {
  foldedCharacters,
  isInSetOrder,
  isNameWithin,
  mayBeSame,
  prepareText,
  printName,
  readName,
  readText,
  sameName,
} from '../../src/pki/x509/distinguished-name.ts';
import { EXTENSION } from '../../src/pki/x509/extensions.ts';
import { makeAuthority } from '../authority.ts';
import { attribute, extension, nameOf } from '../signed-der.ts';
import { approve, verdict } from './approved.ts';

const ORGANISATION = '2.5.4.10';
const rdn = (...attributes: Uint8Array[]) => write(TAG.set, ...attributes);
const organisation = (value: string | Uint8Array) => writeSequence(rdn(attribute(ORGANISATION, value)));
const utf32 = (text: string) =>
  Buffer.concat(
    Array.from(text, (character) => Buffer.from((character.codePointAt(0) ?? 0).toString(16).padStart(8, '0'), 'hex')),
  );
const utf16 = (text: string) => Buffer.from(text, 'utf16le').swap16();
const nameIn = (der: Uint8Array) => readName(readElement(der));
const same = (a: Uint8Array, b: Uint8Array) => sameName(nameIn(a), nameIn(b));

/** The same four letters in every string type that a directory name may have (X.520 DirectoryString, and those before it). */
const ENCODINGS: Readonly<Record<string, Uint8Array>> = {
  UTF8String: write(TAG.utf8, Buffer.from('EVIL')),
  PrintableString: write(TAG.printable, Buffer.from('Evil')),
  IA5String: write(TAG.ia5, Buffer.from('evil')),
  BMPString: write(TAG.bmp, utf16('Evil')),
  UniversalString: write(TAG.universal, utf32('Evil')),
  GeneralString: write(TAG.general, Buffer.from('Evil')),
  TeletexString: write(TAG.teletex, Buffer.from('Evil')),
  VideotexString: write(TAG.videotex, Buffer.from('Evil')),
  GraphicString: write(TAG.graphic, Buffer.from('Evil')),
  VisibleString: write(TAG.visible, Buffer.from('Evil')),
};

suite('RFC 4518: strings are prepared before they are compared', () => {
  const ALIKE: Readonly<Record<string, readonly [string, string]>> = {
    'soft hyphen (2.2)': ['Ev\u00adil', 'evil'],
    'zero width space, joiners, word joiner, BOM (2.2)': ['E\u200bv\u200ci\u200d\u2060l\ufeff', 'evil'],
    'combining grapheme joiner and Mongolian separators (2.2)': ['Ev\u034fi\u180bl\u180e', 'evil'],
    'variation selectors (2.2)': ['Evil\ufe0f\u{e0100}', 'evil'],
    'bidi marks and overrides (2.2)': ['\u202eEvil\u202c\u200e', 'evil'],
    'object replacement character and tags (2.2)': ['Evil\ufffc\u{e0041}', 'evil'],
    'control characters (2.2)': ['Ev\0\u0001il\u007f', 'evil'],
    'Hangul filler': ['Evil\u3164\u115f', 'evil'],
    'spaces of every kind (2.2, 2.6.1)': ['\u00a0Evil\u2003 \t\r\n\u0085\u3000Org\u2028', 'evil org'],
    'ß and its kin (RFC 3454 B.2)': ['Stra\u00dfe STRA\u1e9eE', 'STRASSE strasse'],
    'long s and final sigma (RFC 3454 B.2)': ['E\u017fil \u03bf\u03c2', 'ESIL \u039f\u03a3'],
    'ligatures and full width letters (2.3)': ['\ufb01\uff45', 'FIE'],
    'composed and decomposed letters (2.3)': ['\u00c9', 'e\u0301'],
    'Kelvin and Ångström signs (2.3)': ['\u212a\u212b', 'k\u00e5'],
    'dotted capital I (RFC 3454 B.2)': ['\u0130', 'i\u0307'],
  };
  for (const [what, [one, other]] of Object.entries(ALIKE)) {
    test(what, () => {
      assert.equal(prepareText(one), prepareText(other));
      assert.equal(same(organisation(one), organisation(other)), true);
    });
  }

  test('homographs stay different', () => {
    for (const [one, other] of [
      ['evil', '\u0435vil'], // Cyrillic е
      ['\u0131', 'i'], // dotless ı
      ['evil', 'ev\u0131l'],
      ['a b', 'ab'],
      ['e', '\u00e9'],
    ] as const)
      assert.notEqual(prepareText(one), prepareText(other));
  });

  test('every letter is folded as Unicode case folding defines', () => {
    for (let point = 0x80; point < 0x20000; point++) {
      const letter = String.fromCodePoint(point);
      if (!/\p{L}/u.test(letter) || prepareText(letter) === undefined) continue;
      for (const other of [letter.toLowerCase(), letter.toUpperCase()]) {
        if (other === letter) continue; // most letters have no case
        const isAlike = Array.from(other).length === 1 && new RegExp(`^${other}$`, 'iu').test(letter);
        if (isAlike) assert.equal(prepareText(other), prepareText(letter), point.toString(16));
      }
    }
  });

  test('a run of more than 30 combining marks is not prepared at all (UAX #15, Stream-Safe Text Format)', () => {
    assert.equal(prepareText(`a${'\u0301'.repeat(31)}`), undefined);
    assert.notEqual(prepareText(`a${'\u0301'.repeat(30)}`), undefined);
  });
});

suite('every string type compares with every other', () => {
  for (const [type, encoded] of Object.entries(ENCODINGS)) {
    test(type, () => {
      for (const other of Object.values(ENCODINGS))
        assert.equal(same(organisation(encoded), organisation(other)), true);
    });
  }

  test('characters beyond 16 bits, in UniversalString and UTF8String', () => {
    assert.equal(same(organisation(write(TAG.universal, utf32('\u{10400}'))), organisation('\u{10428}')), true);
    assert.equal(same(organisation(write(TAG.universal, utf32('\u{10ffff}'))), organisation('\u{10ffff}')), true);
  });

  test('bytes that are invalid in their string type equal only themselves', () => {
    const broken = [
      write(TAG.universal, Buffer.from('Evi')),
      write(TAG.universal, Buffer.from('00110000', 'hex')),
      write(TAG.bmp, Buffer.from('Evi')),
      write(TAG.utf8, Buffer.from('45ff', 'hex')),
      write(TAG.octetString, Buffer.from('Evil')),
    ];
    for (const value of broken) {
      assert.equal(same(organisation(value), organisation(value)), true);
      for (const other of Object.values(ENCODINGS)) assert.equal(same(organisation(value), organisation(other)), false);
    }
  });
});

suite('no attribute value can imitate the structure of a name', () => {
  test('a value that contains the attribute separator', () => {
    const two = writeSequence(rdn(attribute('2.5.4.10', 'a'), attribute('2.5.4.11', 'b')));
    for (const joint of ['\u0001', '\u0002', ',', '+', '4:', '\u00002.5.4.11=']) {
      const one = organisation(`a${joint}2.5.4.11=b`);
      assert.equal(same(one, two), false);
      const spelt = organisation(`A10:2.5.4.11=B`);
      assert.equal(same(spelt, two), false);
    }
  });

  test('characters with the same bytes as another value', () => {
    const octets = write(TAG.octetString, Buffer.from('1'));
    const hex = Buffer.from(attribute(ORGANISATION, octets)).toString('hex');
    for (const text of [`#${hex}`, hex, `#${hex.toUpperCase()}`])
      assert.equal(same(organisation(text), organisation(octets)), false);
  });

  test('two attributes in one relative name are not two relative names', () => {
    const parts = [attribute('2.5.4.10', 'a'), attribute('2.5.4.11', 'b')] as const;
    assert.equal(same(writeSequence(rdn(...parts)), writeSequence(rdn(parts[0]), rdn(parts[1]))), false);
    assert.equal(same(writeSequence(rdn(...parts)), writeSequence(rdn(parts[1], parts[0]))), true);
  });

  test('a name lies within a subtree by whole relative names only (RFC 5280 4.2.1.10)', () => {
    const name = nameIn(writeSequence(rdn(attribute('2.5.4.10', 'ab')), rdn(attribute('2.5.4.3', 'c'))));
    const within = (subtree: Uint8Array) => isNameWithin(name, nameIn(subtree));
    assert.equal(within(organisation('AB')), true);
    assert.equal(within(organisation('a')), false);
    assert.equal(within(writeSequence()), true);
  });
});

suite('an excluded subtree cannot be escaped by encoding (RFC 5280 4.2.1.10)', () => {
  const subtree = writeSequence(writeContext(4, organisation('Evil')));
  const constraints = extension(EXTENSION.nameConstraints, writeSequence(writeContext(1, subtree)), true);
  const authority = makeAuthority({ extensions: [constraints] });
  const of = (value: string | Uint8Array) => {
    const subject = writeSequence(rdn(attribute(ORGANISATION, value)), rdn(attribute('2.5.4.3', 'caller')));
    return verdict({ chain: authority.issue({ subject }).chain, issuers: [approve(authority)] });
  };
  const OUTSIDE = 'certificate-refused-by-policy: name-constraints';

  test('a value that cannot be decoded counts as excluded', () => {
    for (const value of [
      write(TAG.utf8, Buffer.from('45ff', 'hex')),
      write(TAG.bmp, Buffer.from('odd')),
      write(TAG.universal, Buffer.from('odd')),
      write(TAG.octetString, Buffer.from('Evil')),
      write(TAG.utf8, Buffer.from(`evil${'\u0301'.repeat(31)}`)),
    ])
      assert.equal(of(value), OUTSIDE);
  });

  test('other names are not excluded', () => {
    for (const text of ['Good', 'Evil Twin', '\u0435vil', 'evil\ue000']) assert.equal(of(text), 'accepted caller');
  });
});

suite('names that are too large', () => {
  const root = makeAuthority();
  const of = (subject: Uint8Array) => verdict({ chain: root.issue({ subject }).chain, issuers: [approve(root)] });

  test('the limits are 4 KiB, 64 relative names and 16 attributes in each', () => {
    const relative = (count: number) =>
      writeSequence(...Array.from({ length: count }, (_, n) => rdn(attribute(n ? ORGANISATION : '2.5.4.3', 'x'))));
    assert.equal(of(relative(64)), 'accepted x');
    assert.equal(of(relative(65)), 'certificate-unreadable: readable');
    const attributes = (count: number) =>
      writeSequence(rdn(...Array.from({ length: count }, (_, n) => attribute(n ? ORGANISATION : '2.5.4.3', 'x'))));
    assert.equal(of(attributes(16)), 'accepted x');
    assert.equal(of(attributes(17)), 'certificate-unreadable: readable');
    const around = organisation('x'.repeat(4_000)).length - 4_000;
    assert.equal(nameIn(organisation('x'.repeat(4_096 - around))).der.length, 4_096);
    assert.throws(() => nameIn(organisation('x'.repeat(4_097 - around))), /longer than 4096 octets/);
  });
});

test('text outside the alphabet of its string type has no type, so it names nobody (X.680 41.4)', () => {
  const typeOf = (tag: number, text: string) => readText(readElement(write(tag, Buffer.from(text)))).type;
  assert.deepEqual(
    [typeOf(TAG.utf8, 'jörg@x'), typeOf(TAG.printable, 'John 7'), typeOf(TAG.ia5, 'j@x')],
    ['utf8', 'printable', 'ia5'],
  );
  for (const [tag, text] of [
    [TAG.printable, 'j@x'],
    [TAG.printable, 'j*'],
    [TAG.ia5, 'j\u00e9'],
    [TAG.teletex, 'john'],
  ] as const)
    assert.equal(typeOf(tag, text), 'other', text);
});

suite('what is cheap to know about a name', () => {
  const of = (...types: string[]) => nameIn(writeSequence(...types.map((oid) => rdn(attribute(oid, 'x')))));
  const both = (...oids: string[]) => nameIn(writeSequence(rdn(...oids.map((oid) => attribute(oid, 'x')))));

  test('how many characters must be normalised', () => {
    for (const [text, count] of [
      ['Plain Text 7', 0],
      ['j\u00f6rg', 4],
      ['a  b', 4],
      [' a', 2],
    ] as const)
      assert.equal(foldedCharacters(nameIn(organisation(text))), count, text);
    assert.equal(foldedCharacters(nameIn(nameOf(['\u00f6', 'plain', '\u00e4\u00e4']))), 3);
    assert.equal(foldedCharacters(nameIn(organisation(write(TAG.octetString, Buffer.from('\u00f6'))))), 0);
  });

  test('whether it can be the same as another: the types of its attributes', () => {
    assert.equal(mayBeSame(of('2.5.4.3', '2.5.4.10'), of('2.5.4.3', '2.5.4.10')), true);
    assert.equal(mayBeSame(both('2.5.4.3', '2.5.4.10'), both('2.5.4.10', '2.5.4.3')), true);
    for (const other of [of('2.5.4.3'), of('2.5.4.3', '2.5.4.11'), of('2.5.4.3', '2.5.4.10', '2.5.4.10')])
      assert.equal(mayBeSame(of('2.5.4.3', '2.5.4.10'), other), false);
    assert.equal(mayBeSame(both('2.5.4.3'), both('2.5.4.3', '2.5.4.10')), false);
  });

  test('whether the attributes of a relative name are sorted by encoding (X.690 11.6)', () => {
    const isSorted = (...values: string[]) =>
      nameIn(writeSequence(rdn(...values.map((value) => attribute(ORGANISATION, value))))).rdns.every(isInSetOrder);
    for (const values of [['a'], ['a', 'a'], ['a', 'b', 'c']]) assert.equal(isSorted(...values), true, `${values}`);
    for (const values of [
      ['b', 'a'],
      ['a', 'c', 'b'],
    ])
      assert.equal(isSorted(...values), false, `${values}`);
  });
});

test('names are printed as OpenSSL does, with at most 16 relative names', () => {
  const many = (count: number) => printName(nameIn(nameOf(Array(count).fill('x'))));
  assert.equal(printName(nameIn(writeSequence())), '(empty name)');
  assert.equal(many(16), Array(16).fill('CN=x').join(', '));
  assert.equal(many(18), `${many(16)}, and 2 more`);
  const two = rdn(attribute('2.5.4.6', 'DE'), attribute('1.2.3', 'y'));
  assert.equal(printName(nameIn(writeSequence(two))), 'C=DE+1.2.3=y');
});

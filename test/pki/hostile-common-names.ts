import { TAG } from '../../src/pki/der/der.ts';
import { write, writeSequence } from '../../src/pki/der/der-write.ts';
import { attribute } from '../signed-der.ts';
import type { Hostile } from './hostile.ts';

const ascii = (text: string) => Buffer.from(text, 'latin1');
const printable = (text: string) => write(TAG.printable, ascii(text));
const ia5 = (text: string) => write(TAG.ia5, ascii(text));
const bmp = (text: string) => write(TAG.bmp, Buffer.from(text, 'utf16le').swap16());
const teletex = (text: string) => write(0x14, ascii(text));
const universal = (text: string) => write(0x1c, ...Array.from(ascii(text), (letter) => Uint8Array.of(0, 0, 0, letter)));
const twoInOneRelativeName = writeSequence(write(TAG.set, attribute('2.5.4.3', 'john'), attribute('2.5.4.3', 'root')));

const AMBIGUOUS = 'certificate-name-ambiguous';
const MALFORMED = 'certificate-name-malformed';
const MISSING = 'certificate-name-missing';

/** Hostile common names, and text that looks like structure. */
export const HOSTILE_COMMON_NAMES: readonly Hostile[] = [
  {
    what: 'two common names',
    from: 'common-name',
    made: { commonName: ['john', 'root'] },
    verdict: `${AMBIGUOUS}: common-name`,
  },
  {
    what: 'the same common name twice',
    from: 'common-name',
    made: { commonName: ['john', 'john'] },
    verdict: `${AMBIGUOUS}: common-name`,
  },
  {
    what: 'two common names in one relative name',
    from: 'common-name',
    made: { subject: twoInOneRelativeName },
    verdict: `${AMBIGUOUS}: common-name`,
  },
  {
    what: 'a NUL inside the common name',
    from: 'common-name',
    made: { commonName: 'john\0.evil' },
    verdict: `${MALFORMED}: common-name`,
  },
  {
    what: 'a NUL inside a PrintableString',
    from: 'common-name',
    made: { commonName: printable('john\0') },
    verdict: `${MALFORMED}: common-name`,
  },
  {
    what: 'a line break in the common name',
    from: 'common-name',
    made: { commonName: 'john\r\nSet-Cookie: a' },
    verdict: `${MALFORMED}: common-name`,
  },
  {
    what: 'an escape sequence in the common name',
    from: 'common-name',
    made: { commonName: 'john\u001b[2J' },
    verdict: `${MALFORMED}: common-name`,
  },
  {
    what: 'a right-to-left override',
    from: 'common-name',
    made: { commonName: 'john\u202etoor' },
    verdict: `${MALFORMED}: common-name`,
  },
  {
    what: 'a zero-width space',
    from: 'common-name',
    made: { commonName: 'jo\u200bhn' },
    verdict: `${MALFORMED}: common-name`,
  },
  {
    what: 'a byte order mark before the name',
    from: 'common-name',
    made: { commonName: '\ufeffjohn' },
    verdict: `${MALFORMED}: common-name`,
  },
  {
    what: 'a line separator',
    from: 'common-name',
    made: { commonName: 'john\u2028' },
    verdict: `${MALFORMED}: common-name`,
  },
  {
    what: 'a private-use character',
    from: 'common-name',
    made: { commonName: 'john\ue000' },
    verdict: `${MALFORMED}: common-name`,
  },
  { what: 'an empty common name', from: 'common-name', made: { commonName: '' }, verdict: `${MALFORMED}: common-name` },
  {
    what: 'a common name of spaces',
    from: 'common-name',
    made: { commonName: '   ' },
    verdict: `${MALFORMED}: common-name`,
  },
  {
    what: 'a space before the name',
    from: 'common-name',
    made: { commonName: ' john' },
    verdict: `${MALFORMED}: common-name`,
  },
  {
    what: 'a common name of 300 letters',
    from: 'common-name',
    made: { commonName: 'j'.repeat(300) },
    verdict: `${MALFORMED}: common-name`,
  },
  { what: 'a BMPString', from: 'common-name', made: { commonName: bmp('john') }, verdict: `${MALFORMED}: common-name` },
  {
    what: 'a TeletexString',
    from: 'common-name',
    made: { commonName: teletex('john') },
    verdict: `${MALFORMED}: common-name`,
  },
  {
    what: 'a UniversalString',
    from: 'common-name',
    made: { commonName: universal('john') },
    verdict: `${MALFORMED}: common-name`,
  },
  {
    what: 'an IA5String',
    from: 'common-name',
    made: { commonName: ia5('john') },
    verdict: `${MALFORMED}: common-name`,
  },
  {
    what: 'an OCTET STRING',
    from: 'common-name',
    made: { commonName: write(TAG.octetString, ascii('john')) },
    verdict: `${MALFORMED}: common-name`,
  },
  {
    what: 'an INTEGER',
    from: 'common-name',
    made: { commonName: write(TAG.integer, ascii('john')) },
    verdict: `${MALFORMED}: common-name`,
  },
  {
    what: 'octets that are not UTF-8',
    from: 'common-name',
    made: { commonName: write(TAG.utf8, Buffer.from([0x6a, 0xff])) },
    verdict: `${MALFORMED}: common-name`,
  },
  {
    what: 'overlong UTF-8',
    from: 'common-name',
    made: { commonName: write(TAG.utf8, Buffer.from([0xc1, 0xaa])) },
    verdict: `${MALFORMED}: common-name`,
  },
  {
    what: 'a surrogate in UTF-8',
    from: 'common-name',
    made: { commonName: write(TAG.utf8, Buffer.from([0xed, 0xa0, 0x80])) },
    verdict: `${MALFORMED}: common-name`,
  },
  {
    what: 'a character that PrintableString has not',
    from: 'common-name',
    made: { commonName: printable('john@x') },
    verdict: `${MALFORMED}: common-name`,
  },
  {
    what: 'no common name',
    from: 'common-name',
    made: { subject: writeSequence(write(TAG.set, attribute('2.5.4.10', 'john'))) },
    verdict: `${MISSING}: common-name`,
  },
  {
    what: 'the name in another attribute',
    from: 'common-name',
    made: { subject: writeSequence(write(TAG.set, attribute('2.5.4.4', 'john'))) },
    verdict: `${MISSING}: common-name`,
  },
  // text that looks like structure is kept as text
  {
    what: 'a relative name injected as text',
    from: 'common-name',
    made: { commonName: 'john/CN=root' },
    verdict: 'accepted john/CN=root',
  },
  {
    what: 'a second line of Node’s printed subject',
    from: 'common-name',
    made: {
      subject: writeSequence(
        write(TAG.set, attribute('2.5.4.10', 'x\nCN=root')),
        write(TAG.set, attribute('2.5.4.3', 'john')),
      ),
    },
    verdict: 'accepted john',
  },
  { what: 'a Cyrillic а', from: 'common-name', made: { commonName: 'аdmin' }, verdict: 'accepted аdmin' },
  {
    what: 'a path',
    from: 'common-name',
    made: { commonName: '../../etc/passwd' },
    verdict: 'accepted ../../etc/passwd',
  },
  { what: 'SQL', from: 'common-name', made: { commonName: "' OR 1=1 --" }, verdict: "accepted ' OR 1=1 --" },
  { what: 'an LDAP filter', from: 'common-name', made: { commonName: '*)(uid=*' }, verdict: 'accepted *)(uid=*' },
  { what: 'letter case', from: 'common-name', made: { commonName: 'John' }, verdict: 'accepted John' },
];

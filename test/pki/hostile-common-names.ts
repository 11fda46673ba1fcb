import { TAG } from '../../src/pki/der/der.ts';
import { write, writeSequence } from '../../src/pki/der/der-write.ts';
import { attribute } from '../signed-der.ts';
import { type Hostile, hostileFrom } from './hostile.ts';

const ascii = (text: string) => Buffer.from(text, 'latin1');
const printable = (text: string) => write(TAG.printable, ascii(text));
const ia5 = (text: string) => write(TAG.ia5, ascii(text));
const bmp = (text: string) => write(TAG.bmp, Buffer.from(text, 'utf16le').swap16());
const teletex = (text: string) => write(0x14, ascii(text));
const universal = (text: string) => write(0x1c, ...Array.from(ascii(text), (letter) => Uint8Array.of(0, 0, 0, letter)));
const twoInOneRelativeName = writeSequence(write(TAG.set, attribute('2.5.4.3', 'john'), attribute('2.5.4.3', 'root')));

const AMBIGUOUS = 'certificate-name-ambiguous: common-name';
const MALFORMED = 'certificate-name-malformed: common-name';
const MISSING = 'certificate-name-missing: common-name';

/** Hostile common names, and text that looks like structure. */
export const HOSTILE_COMMON_NAMES: readonly Hostile[] = hostileFrom('common-name', [
  ['two common names', { commonName: ['john', 'root'] }, AMBIGUOUS],
  ['the same common name twice', { commonName: ['john', 'john'] }, AMBIGUOUS],
  ['two common names in one relative name', { subject: twoInOneRelativeName }, AMBIGUOUS],
  ['a NUL inside the common name', { commonName: 'john\0.evil' }, MALFORMED],
  ['a NUL inside a PrintableString', { commonName: printable('john\0') }, MALFORMED],
  ['a line break in the common name', { commonName: 'john\r\nSet-Cookie: a' }, MALFORMED],
  ['an escape sequence in the common name', { commonName: 'john\u001b[2J' }, MALFORMED],
  ['a right-to-left override', { commonName: 'john\u202etoor' }, MALFORMED],
  ['a zero-width space', { commonName: 'jo\u200bhn' }, MALFORMED],
  ['a byte order mark before the name', { commonName: '\ufeffjohn' }, MALFORMED],
  ['a line separator', { commonName: 'john\u2028' }, MALFORMED],
  ['a private-use character', { commonName: 'john\ue000' }, MALFORMED],
  ['an empty common name', { commonName: '' }, MALFORMED],
  ['a common name of spaces', { commonName: '   ' }, MALFORMED],
  ['a space before the name', { commonName: ' john' }, MALFORMED],
  ['a common name of 300 letters', { commonName: 'j'.repeat(300) }, MALFORMED],
  ['a BMPString', { commonName: bmp('john') }, MALFORMED],
  ['a TeletexString', { commonName: teletex('john') }, MALFORMED],
  ['a UniversalString', { commonName: universal('john') }, MALFORMED],
  ['an IA5String', { commonName: ia5('john') }, MALFORMED],
  ['an OCTET STRING', { commonName: write(TAG.octetString, ascii('john')) }, MALFORMED],
  ['an INTEGER', { commonName: write(TAG.integer, ascii('john')) }, MALFORMED],
  ['octets that are not UTF-8', { commonName: write(TAG.utf8, Buffer.from([0x6a, 0xff])) }, MALFORMED],
  ['overlong UTF-8', { commonName: write(TAG.utf8, Buffer.from([0xc1, 0xaa])) }, MALFORMED],
  ['a surrogate in UTF-8', { commonName: write(TAG.utf8, Buffer.from([0xed, 0xa0, 0x80])) }, MALFORMED],
  ['a character that PrintableString has not', { commonName: printable('john@x') }, MALFORMED],
  ['no common name', { subject: writeSequence(write(TAG.set, attribute('2.5.4.10', 'john'))) }, MISSING],
  ['the name in another attribute', { subject: writeSequence(write(TAG.set, attribute('2.5.4.4', 'john'))) }, MISSING],
  // text that looks like structure is kept as text
  ['a relative name injected as text', { commonName: 'john/CN=root' }, 'accepted john/CN=root'],
  [
    'a second line of Node’s printed subject',
    {
      subject: writeSequence(
        write(TAG.set, attribute('2.5.4.10', 'x\nCN=root')),
        write(TAG.set, attribute('2.5.4.3', 'john')),
      ),
    },
    'accepted john',
  ],
  ['a Cyrillic а', { commonName: 'аdmin' }, 'accepted аdmin'],
  ['a path', { commonName: '../../etc/passwd' }, 'accepted ../../etc/passwd'],
  ['SQL', { commonName: "' OR 1=1 --" }, "accepted ' OR 1=1 --"],
  ['an LDAP filter', { commonName: '*)(uid=*' }, 'accepted *)(uid=*'],
  ['letter case', { commonName: 'John' }, 'accepted John'],
]);

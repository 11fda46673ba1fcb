import type { IdentitySource } from '../../src/core/certificate.ts';
import { contextTag, TAG } from '../../src/pki/der/der.ts';
import { write, writeContext, writeOid, writeSequence } from '../../src/pki/der/der-write.ts';
import { attribute, type CertificateOptions, otherName, utf8 } from '../authority.ts';

const UPN = '1.3.6.1.4.1.311.20.2.3';
const SMTP_UTF8_MAILBOX = '1.3.6.1.5.5.7.8.9';

const ascii = (text: string) => Buffer.from(text, 'latin1');
const printable = (text: string) => write(TAG.printable, ascii(text));
const ia5 = (text: string) => write(TAG.ia5, ascii(text));
const bmp = (text: string) => write(TAG.bmp, Buffer.from(text, 'utf16le').swap16());
const teletex = (text: string) => write(0x14, ascii(text));
const universal = (text: string) => write(0x1c, ...Array.from(ascii(text), (letter) => Uint8Array.of(0, 0, 0, letter)));
const twoInOneRelativeName = writeSequence(write(TAG.set, attribute('2.5.4.3', 'john'), attribute('2.5.4.3', 'root')));

export interface Hostile {
  readonly what: string;
  readonly from: IdentitySource | readonly IdentitySource[];
  readonly made: CertificateOptions;
  readonly verdict: string;
}

const AMBIGUOUS = 'certificate-name-ambiguous';
const MALFORMED = 'certificate-name-malformed';
const MISSING = 'certificate-name-missing';
const FORM = 'certificate-refused-by-policy: identity-names-well-formed';
const UNREADABLE_NAMES = 'certificate-refused-by-policy: extensions-well-formed';

export const HOSTILE_NAMES: readonly Hostile[] = [
  // common name
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
  // text that poses as structure stays text
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
  // e-mail
  {
    what: 'two e-mail names',
    from: 'email-san',
    made: { emails: ['john@x.com', 'root@x.com'] },
    verdict: `${AMBIGUOUS}: email-san`,
  },
  { what: 'a NUL inside the e-mail name', from: 'email-san', made: { emails: ['john\0@x.com'] }, verdict: FORM },
  { what: 'an e-mail name with two @', from: 'email-san', made: { emails: ['john@x.com@y.com'] }, verdict: FORM },
  {
    what: 'a display name around the address',
    from: 'email-san',
    made: { emails: ['John <john@x.com>'] },
    verdict: FORM,
  },
  {
    what: 'an e-mail name of UTF-8 octets',
    from: 'email-san',
    made: { emails: ['jöhn@x.com'] },
    verdict: UNREADABLE_NAMES,
  },
  {
    what: 'a header injected into the e-mail name',
    from: 'email-san',
    made: { emails: ['john@x.com\r\nBcc: y'] },
    verdict: FORM,
  },
  { what: 'an empty e-mail name', from: 'email-san', made: { emails: [''] }, verdict: FORM },
  { what: 'an address without a domain', from: 'email-san', made: { emails: ['john@'] }, verdict: FORM },
  {
    what: 'SmtpUTF8Mailbox instead of an e-mail name',
    from: 'email-san',
    made: { alternativeNames: [otherName(SMTP_UTF8_MAILBOX, utf8('john@x.com'))] },
    verdict: `${MISSING}: email-san`,
  },
  {
    what: 'the e-mail in the subject only',
    from: 'email-san',
    made: { subject: writeSequence(write(TAG.set, attribute('1.2.840.113549.1.9.1', ia5('john@x.com')))) },
    verdict: `${MISSING}: email-san`,
  },
  {
    what: 'an e-mail written as a DNS name',
    from: 'email-san',
    made: { dnsNames: ['john.x.com'] },
    verdict: `${MISSING}: email-san`,
  },
  {
    what: 'SAN text injected into a URI',
    from: 'email-san',
    made: { alternativeNames: [write(contextTag(6, 'primitive'), ascii('http://x/,email:root@x.com'))] },
    verdict: `${MISSING}: email-san`,
  },
  {
    what: 'the case of the domain',
    from: 'email-san',
    made: { emails: ['John@EXAMPLE.com'] },
    verdict: 'accepted John@example.com',
  },
  // user principal name
  {
    what: 'two user principal names',
    from: 'upn-san',
    made: { upns: ['john@x', 'root@x'] },
    verdict: `${AMBIGUOUS}: upn-san`,
  },
  {
    what: 'a user principal name as IA5String',
    from: 'upn-san',
    made: { upns: [ia5('john@x')] },
    verdict: `${MALFORMED}: upn-san`,
  },
  {
    what: 'a user principal name as PrintableString',
    from: 'upn-san',
    made: { upns: [printable('john.x')] },
    verdict: `${MALFORMED}: upn-san`,
  },
  {
    what: 'a user principal name as OCTET STRING',
    from: 'upn-san',
    made: { upns: [write(TAG.octetString, ascii('john@x'))] },
    verdict: `${MALFORMED}: upn-san`,
  },
  {
    what: 'a user principal name as BMPString',
    from: 'upn-san',
    made: { upns: [bmp('john@x')] },
    verdict: `${MALFORMED}: upn-san`,
  },
  {
    what: 'a NUL inside the user principal name',
    from: 'upn-san',
    made: { upns: ['john@x\0.evil'] },
    verdict: `${MALFORMED}: upn-san`,
  },
  {
    what: 'a user principal name without @',
    from: 'upn-san',
    made: { upns: ['john'] },
    verdict: `${MALFORMED}: upn-san`,
  },
  {
    what: 'a quoted user principal name',
    from: 'upn-san',
    made: { upns: ['john@x", othername:UPN:"root@x'] },
    verdict: `${MALFORMED}: upn-san`,
  },
  {
    what: 'the principal name of another otherName',
    from: 'upn-san',
    made: { alternativeNames: [otherName('1.3.6.1.4.1.311.20.2.4', utf8('john@x'))] },
    verdict: `${MISSING}: upn-san`,
  },
  {
    what: 'a principal name without its inner tag',
    from: 'upn-san',
    made: { alternativeNames: [writeContext(0, writeOid(UPN), utf8('john@x'))] },
    verdict: UNREADABLE_NAMES,
  },
  {
    what: 'an empty subject with names that are not critical',
    from: 'email-san',
    made: { subject: writeSequence(), emails: ['john@x.com'] },
    verdict: 'certificate-refused-by-policy: subject-name-present',
  },
  // several sources
  {
    what: 'the first source present is malformed, the second well-formed',
    from: ['upn-san', 'common-name'],
    made: { upns: [ia5('root@x')], commonName: 'john' },
    verdict: `${MALFORMED}: upn-san`,
  },
  {
    what: 'the first source present is ambiguous, the second clear',
    from: ['email-san', 'common-name'],
    made: { emails: ['a@x.com', 'b@x.com'], commonName: 'john' },
    verdict: `${AMBIGUOUS}: email-san`,
  },
];

import { contextTag, TAG } from '../../src/pki/der/der.ts';
import { write, writeContext, writeOid, writeSequence } from '../../src/pki/der/der-write.ts';
import { attribute, otherName, utf8 } from '../signed-der.ts';
import { type Hostile, hostileFrom } from './hostile.ts';

const UPN = '1.3.6.1.4.1.311.20.2.3';
const SMTP_UTF8_MAILBOX = '1.3.6.1.5.5.7.8.9';
const ascii = (text: string) => Buffer.from(text, 'latin1');
const printable = (text: string) => write(TAG.printable, ascii(text));
const ia5 = (text: string) => write(TAG.ia5, ascii(text));
const bmp = (text: string) => write(TAG.bmp, Buffer.from(text, 'utf16le').swap16());

const AMBIGUOUS = 'certificate-name-ambiguous';
const MALFORMED = 'certificate-name-malformed';
const MISSING = 'certificate-name-missing';
const FORM = 'certificate-refused-by-policy: identity-names-well-formed';
const UNREADABLE_NAMES = 'certificate-refused-by-policy: extensions-well-formed';

/** Hostile e-mail addresses and principal names, and several sources at once. */
export const HOSTILE_ALTERNATIVE_NAMES: readonly Hostile[] = [
  ...hostileFrom('email-san', [
    // e-mail
    ['two e-mail names', { emails: ['john@x.com', 'root@x.com'] }, `${AMBIGUOUS}: email-san`],
    ['a NUL inside the e-mail name', { emails: ['john\0@x.com'] }, FORM],
    ['an e-mail name with two @', { emails: ['john@x.com@y.com'] }, FORM],
    ['a display name around the address', { emails: ['John <john@x.com>'] }, FORM],
    ['an e-mail name of UTF-8 octets', { emails: ['jöhn@x.com'] }, UNREADABLE_NAMES],
    ['a header injected into the e-mail name', { emails: ['john@x.com\r\nBcc: y'] }, FORM],
    ['an empty e-mail name', { emails: [''] }, FORM],
    ['an address without a domain', { emails: ['john@'] }, FORM],
    [
      'SmtpUTF8Mailbox instead of an e-mail name',
      { alternativeNames: [otherName(SMTP_UTF8_MAILBOX, utf8('john@x.com'))] },
      `${MISSING}: email-san`,
    ],
    [
      'the e-mail in the subject only',
      { subject: writeSequence(write(TAG.set, attribute('1.2.840.113549.1.9.1', ia5('john@x.com')))) },
      `${MISSING}: email-san`,
    ],
    ['an e-mail written as a DNS name', { dnsNames: ['john.x.com'] }, `${MISSING}: email-san`],
    [
      'SAN text injected into a URI',
      { alternativeNames: [write(contextTag(6, 'primitive'), ascii('http://x/,email:root@x.com'))] },
      `${MISSING}: email-san`,
    ],
    ['the case of the domain', { emails: ['John@EXAMPLE.com'] }, 'accepted John@example.com'],
  ]),
  ...hostileFrom('upn-san', [
    // user principal name
    ['two user principal names', { upns: ['john@x', 'root@x'] }, `${AMBIGUOUS}: upn-san`],
    ['a user principal name as IA5String', { upns: [ia5('john@x')] }, `${MALFORMED}: upn-san`],
    ['a user principal name as PrintableString', { upns: [printable('john.x')] }, `${MALFORMED}: upn-san`],
    [
      'a user principal name as OCTET STRING',
      { upns: [write(TAG.octetString, ascii('john@x'))] },
      `${MALFORMED}: upn-san`,
    ],
    ['a user principal name as BMPString', { upns: [bmp('john@x')] }, `${MALFORMED}: upn-san`],
    ['a NUL inside the user principal name', { upns: ['john@x\0.evil'] }, `${MALFORMED}: upn-san`],
    ['a user principal name without @', { upns: ['john'] }, `${MALFORMED}: upn-san`],
    ['a quoted user principal name', { upns: ['john@x", othername:UPN:"root@x'] }, `${MALFORMED}: upn-san`],
    [
      'the principal name of another otherName',
      { alternativeNames: [otherName('1.3.6.1.4.1.311.20.2.4', utf8('john@x'))] },
      `${MISSING}: upn-san`,
    ],
    [
      'a principal name without its inner tag',
      { alternativeNames: [writeContext(0, writeOid(UPN), utf8('john@x'))] },
      UNREADABLE_NAMES,
    ],
  ]),
  ...hostileFrom('email-san', [
    [
      'an empty subject with names that are not critical',
      { subject: writeSequence(), emails: ['john@x.com'] },
      'certificate-refused-by-policy: subject-name-present',
    ],
  ]),
  ...hostileFrom(
    ['upn-san', 'common-name'],
    [
      // several sources
      [
        'the first source present is malformed, the second well-formed',
        { upns: [ia5('root@x')], commonName: 'john' },
        `${MALFORMED}: upn-san`,
      ],
    ],
  ),
  ...hostileFrom(
    ['email-san', 'common-name'],
    [
      [
        'the first source present is ambiguous, the second clear',
        { emails: ['a@x.com', 'b@x.com'], commonName: 'john' },
        `${AMBIGUOUS}: email-san`,
      ],
    ],
  ),
];

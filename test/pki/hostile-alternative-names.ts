import { contextTag, TAG } from '../../src/pki/der/der.ts';
import { write, writeContext, writeOid, writeSequence } from '../../src/pki/der/der-write.ts';
import { attribute, otherName, utf8 } from '../signed-der.ts';
import type { Hostile } from './hostile.ts';

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

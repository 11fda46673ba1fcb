// Name constraints (RFC 5280 4.2.1.10): which names are inside and outside, and which constraints are malformed.
import { write, writeContext, writeSequence } from '../../../src/pki/der/der-write.ts';
import { EXTENSION } from '../../../src/pki/x509/extensions.ts';
import type { CertificateOptions } from '../../authority.ts';
import { extension, otherName, utf8 } from '../../signed-der.ts';
import { ACCEPTED, below, byRule, type Case, casesOf, type Row, rootWith, told } from './case.ts';
import { constraints, count, dns, email, ia5, ip, nameWith, uri } from './pieces.ts';

const OUTSIDE = byRule('name-constraints');
const MALFORMED = byRule('name-constraints');
const CLAUSE = '4.2.1.10';

export interface Tree {
  readonly what: string;
  readonly permitted?: readonly Uint8Array[];
  readonly excluded?: readonly Uint8Array[];
  readonly inside?: Readonly<Record<string, CertificateOptions>>;
  readonly outside?: Readonly<Record<string, CertificateOptions>>;
}

const named = (...alternativeNames: Uint8Array[]): CertificateOptions => ({ alternativeNames });
const mailed = (address: string): CertificateOptions => ({
  subject: nameWith(['1.2.840.113549.1.9.1', ia5(address)], ['2.5.4.3', 'caller']),
});
const mailbox = (address: string): CertificateOptions => named(otherName('1.3.6.1.5.5.7.8.9', utf8(address)));
const MAPPED = [...Array<number>(10).fill(0), 0xff, 0xff];
const V6 = [0x20, 0x01, 0x0d, 0xb8, ...Array<number>(12).fill(0)];
const V6_MASK = [...Array<number>(4).fill(255), ...Array<number>(12).fill(0)];

const TREES: readonly Tree[] = [
  {
    what: 'permitted x.com',
    permitted: [dns('x.com')],
    inside: {
      itself: named(dns('x.com')),
      'a host below': named(dns('a.b.x.com')),
      'letter case': named(dns('A.X.COM')),
      'a wildcard below': named(dns('*.x.com')),
      'no DNS name at all': {},
    },
    outside: {
      'a longer label': named(dns('notx.com')),
      'the domain above': named(dns('com')),
      'one inside, one outside': named(dns('x.com'), dns('y.com')),
      'a wildcard above': named(dns('*.com')),
      'the permitted name as a prefix': named(dns('x.com.y.com')),
    },
  },
  {
    what: 'permitted .x.com, with the leading dot many authorities write',
    permitted: [dns('.x.com')],
    inside: { 'a host below': named(dns('a.x.com')) },
    outside: {
      'another host': named(dns('a.y.com')),
      'a longer label': named(dns('ax.com')),
      'the domain itself': named(dns('x.com')),
    },
  },
  {
    what: 'excluded .x.com',
    excluded: [dns('.x.com')],
    inside: { 'another host': named(dns('a.y.com')), 'a longer label': named(dns('notx.com')) },
    outside: {
      'a host below': named(dns('a.x.com')),
      'a wildcard above': named(dns('*.x.com')),
      'a wildcard two levels above': named(dns('*.com')),
      'the domain itself, with a trailing dot': named(dns('X.COM.')),
    },
  },
  {
    what: 'permitted x.com, without evil.x.com and mail.x.com',
    permitted: [dns('x.com'), email('x.com')],
    excluded: [dns('evil.x.com'), email('mail.x.com')],
    inside: {
      'an underscore': named(dns('a_b.x.com')),
      'a trailing dot': named(dns('a.x.com.')),
      'a mailbox with a trailing dot': named(email('a@x.com.')),
    },
    outside: {
      'evil with a trailing dot': named(dns('evil.x.com.')),
      'an underscore below evil': named(dns('_sip.evil.x.com')),
      'an evil mailbox with a trailing dot': named(email('a@mail.x.com.')),
    },
  },
  {
    what: 'excluded x.com, and a name that cannot be compared',
    excluded: [dns('x.com'), email('x.com')],
    inside: { 'of another kind': named(uri('urn:x')) },
    outside: {
      'a slash': named(dns('x.com/')),
      'an empty name': named(dns('')),
      'a space': named(dns('a b')),
      'a quoted @': named(email('"a@b"@y.com')),
      'no @': named(email('nobody')),
    },
  },
  {
    what: 'excluded bar.x.com',
    excluded: [dns('bar.x.com')],
    inside: { 'a sibling': named(dns('foo.x.com')), 'a wildcard elsewhere': named(dns('*.y.com')) },
    outside: {
      itself: named(dns('bar.x.com')),
      'a host below': named(dns('a.bar.x.com')),
      'letter case': named(dns('BAR.x.com')),
      'a wildcard that reaches it': named(dns('*.x.com')),
    },
  },
  {
    what: 'every DNS name excluded',
    excluded: [dns('')],
    inside: { 'no DNS name': {} },
    outside: { 'any DNS name': named(dns('x.com')) },
  },
  {
    what: 'permitted mailbox John@x.com',
    permitted: [email('John@x.com')],
    inside: { itself: named(email('John@x.com')), 'case of the host': named(email('John@X.COM')) },
    outside: { 'case of the local part': named(email('john@x.com')), 'a host below': named(email('John@a.x.com')) },
  },
  {
    what: 'permitted mail host x.com',
    permitted: [email('x.com')],
    inside: { 'a mailbox there': named(email('a@x.com')), 'in the subject': mailed('a@x.com') },
    outside: {
      'a host below': named(email('a@b.x.com')),
      'another host': named(email('a@y.com')),
      'another host in the subject': mailed('a@y.com'),
    },
  },
  {
    what: 'permitted mail domain .x.com',
    permitted: [email('.x.com')],
    inside: { 'a host below': named(email('a@b.x.com')) },
    outside: { 'the domain itself': named(email('a@x.com')) },
  },
  {
    what: 'excluded mail host x.com',
    excluded: [email('x.com')],
    inside: { elsewhere: named(email('a@y.com')) },
    outside: { there: named(email('a@x.com')), 'there in the subject': mailed('a@X.com') },
  },
  {
    what: 'permitted mail hosts, and an international mailbox (RFC 9598)',
    permitted: [email('example.com'), email('xn--bcher-kva.example')],
    inside: {
      'of one of them': mailbox('用户@example.com'),
      'of one in Unicode': mailbox('ada@bücher.example'),
      'letter case': mailbox('ada@EXAMPLE.com'),
    },
    outside: {
      'of another host': mailbox('用户@example.org'),
      'of no host': mailbox('用户'),
      'of a host without the umlaut': mailbox('ada@bucher.example'),
    },
  },
  {
    what: 'excluded mail host, and an international mailbox (RFC 9598)',
    excluded: [email('example.com')],
    inside: { 'of another host': mailbox('用户@example.org') },
    outside: {
      'of that host': mailbox('用户@example.com'),
      'letter case': mailbox('ada@Example.COM'),
      'of no host': mailbox('用户'),
    },
  },
  {
    what: 'excluded 10.0.0.0/8',
    excluded: [ip(10, 0, 0, 0, 255, 0, 0, 0)],
    inside: {
      'another address': named(ip(11, 0, 0, 1)),
      'another address, mapped': named(ip(...MAPPED, 11, 0, 0, 1)),
      'an address of IPv6 that ends alike': named(ip(...Array<number>(12).fill(0), 10, 0, 0, 1)),
    },
    outside: { 'an address of it': named(ip(10, 1, 2, 3)), 'mapped to IPv6': named(ip(...MAPPED, 10, 1, 2, 3)) },
  },
  {
    what: 'excluded 10.0.0.0/8, written as mapped to IPv6',
    excluded: [ip(...MAPPED, 10, 0, 0, 0, ...Array<number>(12).fill(255), 255, 0, 0, 0)],
    inside: { 'another address': named(ip(11, 0, 0, 1)) },
    outside: { 'an address of it': named(ip(10, 1, 2, 3)), 'mapped to IPv6': named(ip(...MAPPED, 10, 1, 2, 3)) },
  },
  {
    what: 'permitted 10.0.0.0/8, and all of IPv6 excluded',
    permitted: [ip(10, 0, 0, 0, 255, 0, 0, 0)],
    excluded: [ip(...Array<number>(32).fill(0))],
    inside: { 'an address of it': named(ip(10, 1, 2, 3)) },
    outside: { 'mapped to IPv6': named(ip(...MAPPED, 10, 1, 2, 3)), 'another address': named(ip(11, 0, 0, 1)) },
  },
  {
    what: 'permitted 192.0.2.0/24',
    permitted: [ip(192, 0, 2, 0, 255, 255, 255, 0)],
    inside: { 'an address of it': named(ip(192, 0, 2, 9)) },
    outside: { 'another address': named(ip(192, 0, 3, 9)), 'an address of IPv6': named(ip(...V6)) },
  },
  {
    what: 'excluded 2001:db8::/32',
    excluded: [ip(...V6, ...V6_MASK)],
    inside: { 'an address of IPv4': named(ip(192, 0, 2, 9)) },
    outside: { 'an address of it': named(ip(...V6)) },
  },
  {
    what: 'permitted hosts of URIs .x.com',
    permitted: [uri('.x.com')],
    inside: { 'a host below': named(uri('https://a.x.com/path')), 'with a port': named(uri('https://a.x.com:8443/')) },
    outside: {
      'the domain itself': named(uri('https://x.com/')),
      'the domain in the path': named(uri('https://y.com/a.x.com')),
      'the domain before an @': named(uri('https://a.x.com@y.com/')),
      'no host': named(uri('urn:a.x.com')),
      'an address': named(uri('https://[2001:db8::1]/')),
    },
  },
  {
    what: 'an excluded kind that nobody can process',
    excluded: [otherName('1.2.3', utf8('x'))],
    inside: { 'where it does not occur': {}, 'another such kind': named(otherName('1.2.4', utf8('x'))) },
    outside: { 'where it occurs': named(otherName('1.2.3', utf8('y'))) },
  },
];

export function rowsOf({ what, permitted = [], excluded = [], inside = {}, outside = {} }: Tree): Row[] {
  const by = rootWith({ extensions: [constraints({ permitted, excluded })] });
  const row =
    (verdict: string) =>
    ([name, leaf]: [string, CertificateOptions]): Row => {
      const told = { clause: CLAUSE, what: `${what}: ${name}`, leaf, by, verdict };
      return name.startsWith('GeneralString') ? { ...told, noHandshake: 'OpenSSL cannot parse such a name' } : told;
    };
  return [...Object.entries(inside).map(row(ACCEPTED)), ...Object.entries(outside).map(row(OUTSIDE))];
}

const BAD: Readonly<Record<string, Uint8Array>> = {
  'a wildcard': dns('*.x.com'),
  'an address without mask': ip(192, 0, 2, 0),
  'a mask with gaps': ip(1, 1, 1, 1, 255, 0, 255, 0),
  'a mailbox with two @': email('a@b@x.com'),
  'a host with a space': dns('x .com'),
  'a URI in place of its host': uri('https://x.com/'),
};

const wide = constraints({ permitted: [dns('y.com')] });
const ROOT_X = rootWith({ extensions: [constraints({ permitted: [dns('x.com')] })] });
const dotted = rootWith({ extensions: [constraints({ permitted: [dns('.x.com')] })] });
const minimum = writeSequence(writeContext(0, writeSequence(dns('x.com'), write(0x80, count(1).subarray(2)))));

export const CONSTRAINT_CASES: readonly Case[] = casesOf([
  ...TREES.flatMap(rowsOf),
  ...Object.entries(BAD).map(
    ([what, name]): Row => ({
      clause: CLAUSE,
      what: `malformed: ${what}`,
      by: rootWith({ extensions: [constraints({ permitted: [name] })] }),
      verdict: MALFORMED,
    }),
  ),
  ...told<Partial<Row>>([
    [
      CLAUSE,
      'a subtree with a minimum',
      { by: rootWith({ extensions: [extension(EXTENSION.nameConstraints, minimum, true)] }) },
      byRule('extensions-well-formed'),
    ],
    [CLAUSE, 'a leading dot', { by: dotted, leaf: named(dns('a.x.com')), strict: OUTSIDE }, ACCEPTED],
    [
      CLAUSE,
      'an intermediate cannot widen',
      { by: below({ extensions: [wide] }, ROOT_X), approved: ROOT_X, leaf: named(dns('a.y.com')) },
      OUTSIDE,
    ],
    [
      CLAUSE,
      'an intermediate can narrow',
      {
        by: below({ extensions: [constraints({ permitted: [dns('a.x.com')] })] }, ROOT_X),
        approved: ROOT_X,
        leaf: named(dns('b.x.com')),
      },
      OUTSIDE,
    ],
    [
      '6.1.3 (b)',
      'names of an intermediate count too',
      { by: below(named(dns('y.com')), ROOT_X), approved: ROOT_X },
      OUTSIDE,
    ],
    [
      '6.1.3 (b)',
      'a leaf with the name of its issuer is constrained',
      { leaf: { subject: ROOT_X.subject, ...named(dns('y.com')) }, by: ROOT_X },
      OUTSIDE,
    ],
    [
      '6.1.3 (b)',
      'a self-issued intermediate is exempt',
      { by: below({ subject: ROOT_X.subject, ...named(dns('y.com')) }, ROOT_X), approved: ROOT_X },
      ACCEPTED,
    ],
  ]),
]);

// Rules across a path: name constraints and policies (RFC 5280 6.1).
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { contextTag, TAG } from '../../src/pki/der/der.ts';
import { write, writeContext, writeOid, writeSequence } from '../../src/pki/der/der-write.ts';
import { EXTENSION } from '../../src/pki/x509/extensions.ts';
import { type Authority, type AuthorityOptions, type CertificateOptions, makeAuthority } from '../authority.ts';
import { attribute, extension, integer, nameOf, otherName, utf8 } from '../signed-der.ts';
import { approve, verdict } from './approved.ts';

const OUTSIDE = 'certificate-refused-by-policy: name-constraints';
const dns = (name: string) => write(contextTag(2, 'primitive'), Buffer.from(name));
const email = (name: string) => write(contextTag(1, 'primitive'), Buffer.from(name));
const uri = (name: string) => write(contextTag(6, 'primitive'), Buffer.from(name));
const ip = (...octets: number[]) => write(contextTag(7, 'primitive'), Uint8Array.from(octets));
const directory = (name: Uint8Array) => writeContext(4, name);
const subtrees = (number: number, names: readonly Uint8Array[]) =>
  names.length > 0 ? [writeContext(number, ...names.map((name) => writeSequence(name)))] : [];

function constrained(permitted: readonly Uint8Array[], excluded: readonly Uint8Array[] = []): Authority {
  const value = writeSequence(...subtrees(0, permitted), ...subtrees(1, excluded));
  return makeAuthority({ extensions: [extension(EXTENSION.nameConstraints, value, true)] });
}

function of(authority: Authority, leaf: CertificateOptions): string {
  return verdict({ chain: authority.issue(leaf).chain, issuers: [approve(authority)] });
}

interface Constraint {
  readonly permitted?: readonly Uint8Array[];
  readonly excluded?: readonly Uint8Array[];
  readonly inside: readonly CertificateOptions[];
  readonly outside: readonly CertificateOptions[];
}

const named = (...alternativeNames: Uint8Array[]): CertificateOptions => ({ alternativeNames });
const mailbox = (address: string) => named(otherName('1.3.6.1.5.5.7.8.9', utf8(address)));
const ALL_ZERO = Array<number>(12).fill(0);
const MAPPED = [...ALL_ZERO.slice(2), 0xff, 0xff];
const org = (text: string) => writeSequence(write(TAG.set, attribute('2.5.4.10', text)));
const orgAndName = (text: string) =>
  writeSequence(write(TAG.set, attribute('2.5.4.10', text)), write(TAG.set, attribute('2.5.4.3', 'caller')));

const CONSTRAINTS: Readonly<Record<string, Constraint>> = {
  'a permitted domain holds itself and what is below it': {
    permitted: [dns('x.com')],
    inside: [named(dns('x.com')), named(dns('a.b.X.com')), named(dns('*.x.com')), {}],
    outside: [named(dns('notx.com')), named(dns('x.com'), dns('y.com')), named(dns('com'))],
  },
  'an excluded host is out of reach of wildcards': {
    excluded: [dns('bar.x.com')],
    inside: [named(dns('foo.x.com')), named(dns('*.y.com'))],
    outside: [named(dns('bar.x.com')), named(dns('*.x.com')), named(dns('a.bar.x.com'))],
  },
  'constraints on e-mail hold for international mailboxes (RFC 9598)': {
    permitted: [email('example.com'), email('xn--bcher-kva.example')],
    inside: [mailbox('用户@example.com'), mailbox('ada@bücher.example'), mailbox('ada@EXAMPLE.com')],
    outside: [mailbox('用户@example.org'), mailbox('用户'), mailbox('ada@bucher.example')],
  },
  'exclusions of e-mail hold for international mailboxes (RFC 9598)': {
    excluded: [email('example.com')],
    inside: [mailbox('用户@example.org')],
    outside: [mailbox('用户@example.com'), mailbox('ada@Example.COM'), mailbox('用户')],
  },
  'an excluded IPv4 network holds addresses mapped to IPv6': {
    excluded: [ip(10, 0, 0, 0, 255, 0, 0, 0)],
    inside: [named(ip(11, 0, 0, 1)), named(ip(...MAPPED, 11, 0, 0, 1)), named(ip(...ALL_ZERO, 10, 0, 0, 1))],
    outside: [named(ip(10, 1, 2, 3)), named(ip(...MAPPED, 10, 1, 2, 3))],
  },
  'an excluded network of mapped addresses holds the IPv4 addresses': {
    excluded: [ip(...MAPPED, 10, 0, 0, 0, ...Array(12).fill(255), 255, 0, 0, 0)],
    inside: [named(ip(11, 0, 0, 1))],
    outside: [named(ip(10, 1, 2, 3)), named(ip(...MAPPED, 10, 1, 2, 3))],
  },
  'a permitted IPv4 network beside the exclusion of all IPv6 stays permitted': {
    permitted: [ip(10, 0, 0, 0, 255, 0, 0, 0)],
    excluded: [ip(...Array(32).fill(0))],
    inside: [named(ip(10, 1, 2, 3))],
    outside: [named(ip(...MAPPED, 10, 1, 2, 3)), named(ip(11, 0, 0, 1))],
  },
  'a leading dot permits what is below the domain, and not the domain': {
    permitted: [dns('.x.com')],
    inside: [named(dns('a.x.com')), named(dns('*.x.com')), named(dns('a.b.X.com')), {}],
    outside: [named(dns('x.com')), named(dns('notx.com'))],
  },
  'a leading dot excludes the domain as well': {
    excluded: [dns('.x.com')],
    inside: [named(dns('notx.com'))],
    outside: [named(dns('a.x.com')), named(dns('x.com')), named(dns('*.com')), named(dns('X.COM.'))],
  },
  'a trailing dot or an underscore is no way around a constraint': {
    permitted: [dns('x.com'), email('x.com')],
    excluded: [dns('evil.x.com'), email('mail.x.com')],
    inside: [named(dns('a_b.x.com')), named(dns('a.x.com.')), named(email('a@x.com.'))],
    outside: [named(dns('evil.x.com.')), named(dns('_sip.evil.x.com')), named(email('a@mail.x.com.'))],
  },
  'a name that cannot be compared is refused where its kind is constrained': {
    excluded: [dns('x.com'), email('x.com')],
    inside: [named(uri('urn:x'))],
    outside: [
      named(dns('x.com/')),
      named(dns('')),
      named(dns('a b')),
      named(email('"a@b"@y.com')),
      named(email('nobody')),
    ],
  },
  'a permitted mailbox is exactly that one': {
    permitted: [email('John@x.com')],
    inside: [named(email('John@X.com'))],
    outside: [named(email('john@x.com')), named(email('John@a.x.com'))],
  },
  'a permitted mail host does not hold its subdomains, one with a period only those': {
    permitted: [email('x.com'), email('.y.com')],
    inside: [named(email('a@x.com')), named(email('a@b.y.com'))],
    outside: [named(email('a@b.x.com')), named(email('a@y.com'))],
  },
  'an e-mail in the subject is constrained as well': {
    permitted: [email('x.com')],
    inside: [
      {
        subject: writeSequence(
          write(TAG.set, attribute('2.5.4.3', 'caller')),
          write(TAG.set, attribute('1.2.840.113549.1.9.1', write(TAG.ia5, Buffer.from('a@x.com')))),
        ),
      },
    ],
    outside: [
      {
        subject: writeSequence(
          write(TAG.set, attribute('1.2.840.113549.1.9.1', write(TAG.ia5, Buffer.from('a@y.com')))),
        ),
      },
    ],
  },
  'a range of addresses': {
    permitted: [ip(192, 0, 2, 0, 255, 255, 255, 0)],
    inside: [named(ip(192, 0, 2, 9))],
    outside: [named(ip(192, 0, 3, 9)), named(ip(...Array.from({ length: 16 }, () => 0)))],
  },
  'hosts of URIs': {
    permitted: [uri('.x.com')],
    inside: [named(uri('https://a.x.com/path'))],
    outside: [
      named(uri('https://x.com/')),
      named(uri('https://y.com/a.x.com')),
      named(uri('https://a.x.com@y.com/')),
      named(uri('urn:a.x.com')),
    ],
  },
  'directory names, whatever the case and the spaces': {
    permitted: [directory(org('Example  Org'))],
    inside: [{ subject: orgAndName('example org') }],
    outside: [{ subject: orgAndName('other') }, { commonName: 'caller' }],
  },
  'a kind of name that we cannot process is refused where it occurs': {
    excluded: [otherName('1.2.3', utf8('x'))],
    inside: [{}],
    outside: [named(otherName('1.2.3', utf8('y')))],
  },
};

suite('name constraints', () => {
  for (const [claim, { permitted = [], excluded = [], inside, outside }] of Object.entries(CONSTRAINTS)) {
    test(claim, () => {
      const authority = constrained(permitted, excluded);
      for (const leaf of inside) assert.equal(of(authority, leaf), 'accepted caller');
      for (const leaf of outside) assert.equal(of(authority, leaf), OUTSIDE);
    });
  }

  test('a leading dot in a DNS constraint is refused by profile strict (RFC 5280 4.2.1.10)', () => {
    const authority = constrained([dns('.x.com')]);
    const issuers = [approve(authority, { profile: 'strict' })];
    assert.equal(verdict({ chain: authority.issue({ dnsNames: ['a.x.com'] }).chain, issuers }), OUTSIDE);
  });
});

const POLICY_A = '1.3.6.1.4.1.99.1';
const POLICY_B = '1.3.6.1.4.1.99.2';
const ANY = '2.5.29.32.0';
const WITHOUT_POLICY = 'certificate-refused-by-policy: certificate-policies';
const policies = (...oids: string[]) =>
  extension(EXTENSION.certificatePolicies, writeSequence(...oids.map((oid) => writeSequence(writeOid(oid)))));
const requireExplicit = (after: number) =>
  extension(EXTENSION.policyConstraints, writeSequence(write(contextTag(0, 'primitive'), Uint8Array.of(after))), true);
const inhibitMapping = (after: number) =>
  extension(
    EXTENSION.policyConstraints,
    writeSequence(
      write(contextTag(0, 'primitive'), Uint8Array.of(0)),
      write(contextTag(1, 'primitive'), Uint8Array.of(after)),
    ),
    true,
  );
const inhibitAny = (after: number) => extension(EXTENSION.inhibitAnyPolicy, integer(Uint8Array.of(after)), true);
const mapping = (from: string, to: string) =>
  extension(EXTENSION.policyMappings, writeSequence(writeSequence(writeOid(from), writeOid(to))), true);

function along(root: Uint8Array[], intermediate: Uint8Array[], leaf: Uint8Array[], required: string[] = []): string {
  const top = makeAuthority({ name: 'Root', extensions: root } satisfies AuthorityOptions);
  const chain = top.makeIntermediate({ extensions: intermediate }).issue({ extensions: leaf }).chain;
  return verdict({ chain, issuers: [approve(top, required.length > 0 ? { policies: required } : {})] });
}

suite('certificate policies', () => {
  test('that the issuer requires must run through the whole path; one of several is enough', () => {
    const [a, b, both] = [[policies(POLICY_A)], [policies(POLICY_B)], [policies(POLICY_A, POLICY_B)]];
    for (const [root, intermediate, leaf] of [
      [[], a, a],
      [a, a, both],
      [[], [policies(ANY)], a],
      [[], a, [policies(ANY)]],
      [[], [policies(ANY)], [policies(ANY)]],
    ] as const)
      assert.equal(along([...root], [...intermediate], [...leaf], [POLICY_A]), 'accepted caller');
    for (const [root, intermediate, leaf] of [
      [[], [], []],
      [[], [], a],
      [[], a, []],
      [[], a, b],
      [[], b, b],
      [b, a, a],
      [[inhibitAny(0)], [policies(ANY)], a],
      [[], [policies(ANY), inhibitAny(0)], [policies(ANY)]],
    ] as const)
      assert.equal(along([...root], [...intermediate], [...leaf], [POLICY_A]), WITHOUT_POLICY);
    assert.equal(along([], b, b, [POLICY_A, POLICY_B]), 'accepted caller');
  });

  test('that the issuer requires are named in its own terms: a mapped policy counts as what it was mapped from', () => {
    const mapped = [policies(POLICY_A), mapping(POLICY_A, POLICY_B)];
    assert.equal(along([], mapped, [policies(POLICY_B)], [POLICY_A]), 'accepted caller');
    assert.equal(along([], mapped, [policies(POLICY_B)], [POLICY_B]), WITHOUT_POLICY);
    assert.equal(along([], mapped, [policies(POLICY_A)], [POLICY_A]), WITHOUT_POLICY);
    const fromAny = [policies(ANY), mapping(POLICY_A, POLICY_B)];
    assert.equal(along([], fromAny, [policies(POLICY_B)], [POLICY_A]), 'accepted caller');
    assert.equal(along([inhibitMapping(0)], mapped, [policies(POLICY_B)], [POLICY_A]), WITHOUT_POLICY);
  });

  test('a delayed requirement counts CAs, except self-issued ones', () => {
    const root = makeAuthority({ name: 'Root', extensions: [requireExplicit(2)] });
    const below = (name: string) =>
      verdict({ chain: root.makeIntermediate({ name }).issue().chain, issuers: [approve(root)] });
    assert.equal(below('Intermediate'), WITHOUT_POLICY);
    assert.equal(below('Root'), 'accepted caller');
  });

  test('any-policy matches every policy until it is inhibited', () => {
    assert.equal(along([requireExplicit(0)], [policies(ANY)], [policies(POLICY_A)]), 'accepted caller');
    assert.equal(along([requireExplicit(0), inhibitAny(0)], [policies(ANY)], [policies(POLICY_A)]), WITHOUT_POLICY);
    const inhibitedBelow = [requireExplicit(0), inhibitAny(1)];
    assert.equal(along(inhibitedBelow, [policies(ANY)], [policies(POLICY_A)]), 'accepted caller');
    assert.equal(along(inhibitedBelow, [policies(ANY)], [policies(ANY)]), WITHOUT_POLICY);
  });

  test('a mapped policy continues under its new name until mapping is inhibited', () => {
    const mapped = [policies(POLICY_A), mapping(POLICY_A, POLICY_B)];
    assert.equal(along([requireExplicit(0)], mapped, [policies(POLICY_B)]), 'accepted caller');
    assert.equal(along([requireExplicit(0)], mapped, [policies(POLICY_A)]), WITHOUT_POLICY);
    assert.equal(along([inhibitMapping(0)], mapped, [policies(POLICY_B)]), WITHOUT_POLICY);
  });
});

suite('names of issuers', () => {
  test('match regardless of letter case, spaces and string type (RFC 5280 7.1)', () => {
    const authority = makeAuthority({ name: 'Some  Authority' });
    const printable = write(TAG.printable, Buffer.from('some AUTHORITY '));
    const renamed = makeAuthority({ subject: nameOf(printable), keys: authority.keys });
    assert.equal(verdict({ chain: authority.issue().chain, issuers: [approve(renamed)] }), 'accepted caller');
  });
});

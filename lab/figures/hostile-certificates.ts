// Certificates made to keep a verifier busy: by strangers, and by callers whose certificate an approved issuer signed.
import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { contextTag, TAG } from '../../src/pki/der/der.ts';
import { write, writeContext, writeOid, writeSequence } from '../../src/pki/der/der-write.ts';
import { EXTENSION } from '../../src/pki/x509/extensions.ts';
import { type Authority, makeAuthority } from '../../test/authority.ts';
import { attribute, ecKeys, extension, type KeyPair, nameOf, rsaKeys, spki } from '../../test/signed-der.ts';

export interface HostileChain {
  readonly what: string;
  readonly chain: readonly Uint8Array[];
  readonly approved: Authority;
  /** Further approved issuers. */
  readonly others?: readonly Authority[];
  /** If present, lists are required. */
  readonly lists?: readonly Uint8Array[];
}

const KEYS: Readonly<Record<string, () => KeyPair>> = {
  'P-256': () => ecKeys('P-256'),
  'P-384': () => ecKeys('P-384'),
  'P-521': () => ecKeys('P-521'),
  'RSA 4096': () => rsaKeys(4096),
  Ed25519: () => generateKeyPairSync('ed25519'),
  Ed448: () => generateKeyPairSync('ed448'),
};

const marks = (octets: number) => `a${'\u0301\u0323'.repeat(octets / 4)}`;
/** Expands eighteen-fold when it is normalised. */
export const expanding = (octets: number) => '\ufdfa'.repeat(octets / 3);
export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const tinyRdns = (count: number) => writeSequence(...times(count, () => write(TAG.set, attribute('2.5.4.3', ''))));
export const dns = (text: string) => write(contextTag(2, 'primitive'), Buffer.from(text));
export const approved = makeAuthority({ name: 'Approved' });
export const stranger = makeAuthority({ name: 'Stranger' });

/** Signed by no approved issuer. */
export function strangersChains(): HostileChain[] {
  const of = (what: string, chain: readonly Uint8Array[], issuer = approved) => ({ what, chain, approved: issuer });
  return [
    of('58 KB of combining marks as subject', stranger.issue({ commonName: marks(58_000) }).chain),
    of('58 KB of combining marks as issuer', issuedBy(nameOf(marks(58_000)))),
    of('63 KB of characters that expand', issuedBy(nameOf(expanding(63_000)))),
    of(
      '28 issuer names of 4 KB that must be compared',
      many(() => issuedBy(nameOf(expanding(3_900))), 28),
    ),
    of(
      '28 issuer names of 4 KB of marks',
      many(() => issuedBy(nameOf(marks(3_900))), 28),
    ),
    of('7,000 relative names', stranger.issue({ subject: tinyRdns(7_000) }).chain),
    of(
      '12 certificates of 800 relative names each',
      many(() => issuedBy(tinyRdns(400), { subject: tinyRdns(400) }), 12),
    ),
    of(
      '60 KB of empty elements as extensions',
      stranger.issue({ extensions: times(8_000, () => extension('1.2.3', Uint8Array.of())) }).chain,
    ),
    of('8,000 alternative names', stranger.issue({ dnsNames: times(8_000, () => 'a.b') }).chain),
    of('31 authorities that sign each other', family(stranger)),
    ...Object.entries(KEYS).map(([key, keys]) => {
      const issuer = makeAuthority({ name: 'Approved', keys: keys() });
      return of(`31 forged intermediates of an issuer with ${key}`, forged(issuer), issuer);
    }),
  ];
}

export function issuedBy(subject: Uint8Array, leaf = {}): readonly Uint8Array[] {
  return makeAuthority({ subject }).issue(leaf).chain;
}

export function many(chain: () => readonly Uint8Array[], count: number): Uint8Array[] {
  return times(count, chain).flat();
}

/** They have the issuer's name as issuer. */
export function forged(issuer: Authority): Uint8Array[] {
  const forger = makeAuthority({ subject: issuer.subject, keys: otherKeys(issuer.keys) });
  const intermediates = times(31, () => forger.makeIntermediate({ name: 'Namesake', keys: forger.keys }));
  return [
    ...(intermediates[0]?.issue().chain.slice(0, 1) ?? []),
    ...intermediates.map(({ certificate }) => certificate),
  ];
}

/** With the same kind and size of key: a signature of another kind or size is not checked. */
function otherKeys({ publicKey }: KeyPair): KeyPair {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = createPublicKey(
    publicKey.export({ type: 'spki', format: 'pem' }),
  );
  if (type === 'rsa') return rsaKeys(details?.modulusLength);
  if (type === 'ec') return ecKeys(details?.namedCurve);
  return type === 'ed448' ? generateKeyPairSync('ed448') : generateKeyPairSync('ed25519');
}

function family(above: Authority): Uint8Array[] {
  const keys = ecKeys();
  const subject = nameOf('Loop');
  const first = above.makeIntermediate({ subject, keys });
  const loop = makeAuthority({ subject, keys });
  const others = times(29, () => loop.makeIntermediate({ subject, keys }));
  return [issuedByNobody(subject), first.certificate, ...others.map(({ certificate }) => certificate)];
}

/** A leaf that names these CAs but that none of them signed, so that every path must be tried. */
function issuedByNobody(subject: Uint8Array): Uint8Array {
  return makeAuthority({ subject }).issue().certificate;
}

/** Expensive certificates that an approved issuer has signed. */
export function signedChains(): HostileChain[] {
  const below = (what: string, options: Parameters<Authority['issue']>[0]) => ({
    what,
    chain: approved.issue(options).chain,
    approved,
  });
  return [
    below('1,000 alternative names', { dnsNames: times(1_000, (index) => `host-${index}.example.com`) }),
    below('8,000 alternative names', { dnsNames: times(8_000, () => 'a.b') }),
    below('20 directory names of expanding characters', {
      alternativeNames: times(20, () => writeContext(4, nameOf(expanding(2_900)))),
    }),
    below('1,000 policies', {
      extensions: [extension(EXTENSION.certificatePolicies, writeSequence(...times(1_000, policy)))],
    }),
    { what: '31 authorities that sign each other', chain: family(approved), approved },
    { what: '1,000 constraints against 1,000 names', chain: constrained(), approved },
    { what: '1,000 constraints on long addresses', chain: constrainedAddresses(), approved },
    { what: '1,000 policy mappings at each of 3 levels', chain: mapped(), approved },
    ...Object.entries(KEYS).map(([key, keys]) => ({
      what: `28 namesakes with ${key}, all signed`,
      chain: namesakes(keys),
      approved,
    })),
  ];
}

export const policy = (index: number) => writeSequence(writeOid(`1.3.6.1.4.1.99999.${index}`));

function constrained(): readonly Uint8Array[] {
  const subtrees = times(1_000, (index) => writeSequence(dns(`c${index}.example.com`)));
  const value = writeSequence(writeContext(1, ...subtrees));
  const authority = approved.makeIntermediate({ extensions: [extension(EXTENSION.nameConstraints, value, true)] });
  return authority.issue({ dnsNames: times(1_000, (index) => `host-${index}.example.org`) }).chain;
}

function constrainedAddresses(): readonly Uint8Array[] {
  const uri = (text: string) => write(contextTag(6, 'primitive'), Buffer.from(text));
  const subtrees = times(1_000, (index) => writeSequence(uri(`c${index}.example.com`)));
  const value = writeSequence(writeContext(1, ...subtrees));
  const authority = approved.makeIntermediate({ extensions: [extension(EXTENSION.nameConstraints, value, true)] });
  return authority.issue({ alternativeNames: times(15, () => uri(`https://${'A.b'.repeat(900)}/`)) }).chain;
}

function mapped(): readonly Uint8Array[] {
  let authority = approved;
  for (let level = 1; level <= 3; level++)
    authority = authority.makeIntermediate({ name: `Level ${level}`, extensions: [mappings()] });
  return authority.issue().chain;
}

export function mappings(count = 1_000): Uint8Array {
  const pairs = times(count, (index) => writeSequence(writeOid(`1.2.3.${index}`), writeOid(`1.2.4.${index}`)));
  return extension(EXTENSION.policyMappings, writeSequence(...pairs));
}

function namesakes(keys: () => KeyPair): Uint8Array[] {
  const right = approved.makeIntermediate({ name: 'Namesake', keys: keys(), without: ['subjectKeyIdentifier'] });
  const wrong = times(28, () =>
    approved.makeIntermediate({ name: 'Namesake', spki: keyLike(right.keys, keys), without: ['subjectKeyIdentifier'] }),
  );
  const leaf = right.issue({ without: ['authorityKeyIdentifier'] });
  return [leaf.certificate, ...wrong.map(({ certificate }) => certificate), right.certificate];
}

/** Another key of the same kind. RSA keys take seconds to make, so it gets a random modulus that nobody has factors of. */
function keyLike(like: KeyPair, keys: () => KeyPair): Uint8Array {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = like.publicKey;
  if (type !== 'rsa') return spki(keys());
  const modulus = randomBytes((details?.modulusLength ?? 2048) / 8);
  modulus[0] = 0xc0;
  modulus[modulus.length - 1] = 1;
  const jwk = { kty: 'RSA', n: modulus.toString('base64url'), e: 'AQAB' };
  return createPublicKey({ key: jwk, format: 'jwk' }).export({ type: 'spki', format: 'der' });
}

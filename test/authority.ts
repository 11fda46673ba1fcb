// A certificate authority for tests with real keys and real DER; it also signs invalid certificates.
import { constants, generateKeyPairSync, hash, type KeyObject, randomBytes, sign } from 'node:crypto';
import { childrenOf, contextTag, readElement, TAG } from '../src/pki/der/der.ts';
import { write, writeContext, writeOid, writeSequence } from '../src/pki/der/der-write.ts';
import { EXTENSION } from '../src/pki/x509/extensions.ts';

export interface CertificateOptions {
  /** Text is written as a UTF8String; a list gives several common names, each in a relative name of its own. */
  readonly commonName?: string | Uint8Array | readonly (string | Uint8Array)[];
  /** The whole subject in DER, instead of common names. */
  readonly subject?: Uint8Array;
  readonly emails?: readonly (string | Uint8Array)[];
  /** Text is written as a UTF8String; DER is taken as it is. */
  readonly upns?: readonly (string | Uint8Array)[];
  readonly dnsNames?: readonly string[];
  /** Further general names in DER. */
  readonly alternativeNames?: readonly Uint8Array[];
  /** Added, or put in place of the extension of the same kind. */
  readonly extensions?: readonly Uint8Array[];
  readonly without?: readonly (keyof typeof EXTENSION)[];
  readonly usages?: readonly string[];
  readonly version?: 1 | 3;
  readonly serial?: Uint8Array;
  readonly notBefore?: string;
  readonly notAfter?: string;
  readonly notAfterDer?: Uint8Array;
  readonly keys?: KeyPair;
  /** SubjectPublicKeyInfo to be written instead of that of the keys. */
  readonly spki?: Uint8Array;
  readonly digest?: 'sha256' | 'sha1' | 'md5';
  /** The AlgorithmIdentifier in DER, inside and outside, instead of that of key and digest. */
  readonly algorithm?: Uint8Array;
  /** Signs by RSA-PSS; `algorithm` says so. */
  readonly pss?: { readonly digest: string; readonly saltLength: number };
  /** The algorithm inside the signed part, if it should differ. */
  readonly claimedDigest?: 'sha256' | 'sha1';
}

export interface AuthorityOptions extends CertificateOptions {
  readonly name?: string;
  readonly pathLength?: number;
}

export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

export interface Issued {
  readonly certificate: Uint8Array;
  readonly pem: string;
  readonly key: string;
  readonly keys: KeyPair;
  readonly serial: Uint8Array;
  /** What a caller sends: the certificate and the intermediates above it, without the root. */
  readonly chain: readonly Uint8Array[];
}

export interface Authority extends Issued {
  readonly subject: Uint8Array;
  issue(options?: CertificateOptions): Issued;
  makeIntermediate(options?: AuthorityOptions): Authority;
  crl(options?: CrlOptions): Uint8Array;
  /** Its OCSP response for a certificate it issued. */
  ocsp(serial: Uint8Array, options?: OcspOptions): Uint8Array;
}

interface CrlOptions {
  readonly revoked?: readonly Uint8Array[];
  readonly thisUpdate?: string;
  readonly nextUpdate?: string | null;
  readonly extensions?: readonly Uint8Array[];
  readonly number?: number;
  readonly withoutNumber?: boolean;
  readonly keys?: KeyPair;
  /** Version 1 has no version field, and no extensions either. */
  readonly version?: 1 | 2;
  /** Further entries, in DER. */
  readonly entries?: readonly Uint8Array[];
  readonly digest?: 'sha256' | 'sha1';
  /** The algorithm inside the signed part, if it should differ. */
  readonly claimedDigest?: 'sha256' | 'sha1';
}

/** An entry of a list, with extensions in DER. */
export function revokedEntry(serial: Uint8Array, ...extensions: readonly Uint8Array[]): Uint8Array {
  const wrapped = extensions.length > 0 ? [writeSequence(...extensions)] : [];
  return writeSequence(integer(serial), time('2024-01-01'), ...wrapped);
}

type OcspState = 'good' | 'revoked' | 'unknown';

interface OcspOptions {
  readonly state?: OcspState;
  readonly nonce?: Uint8Array;
  readonly thisUpdate?: string;
  readonly nextUpdate?: string | null;
  /** Further answers in the same response, about the same certificate. */
  readonly also?: readonly OcspState[];
  readonly digest?: 'sha256' | 'sha1';
  /** A delegated responder; its certificate is included. */
  readonly responder?: Issued;
}

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const UPN = '1.3.6.1.4.1.311.20.2.3';

export function ecKeys(namedCurve = 'P-256'): KeyPair {
  return generateKeyPairSync('ec', { namedCurve });
}

export function rsaKeys(modulusLength = 2048): KeyPair {
  return generateKeyPairSync('rsa', { modulusLength });
}

/** A self-signed root. */
export function makeAuthority(options: AuthorityOptions = {}): Authority {
  return authority(options, undefined);
}

interface Issuer {
  readonly subject: Uint8Array;
  readonly keys: KeyPair;
  readonly chain: readonly Uint8Array[];
}

function authority(options: AuthorityOptions, parent: Issuer | undefined): Authority {
  const keys = options.keys ?? ecKeys();
  const subject = options.subject ?? nameOf(options.commonName ?? options.name ?? 'Test Authority');
  const issuer = parent ?? { subject, keys, chain: [] };
  const issued = issueBy(issuer, { ...options, keys, subject }, authorityExtensions(options));
  const self: Issuer = { subject, keys, chain: parent ? issued.chain : [] };
  return {
    ...issued,
    subject,
    issue: (leaf = {}) => issueBy(self, leaf, leafExtensions(leaf)),
    makeIntermediate: (below = {}) => authority({ name: 'Test Intermediate', ...below }, self),
    crl: (crl = {}) => crlOf(self, crl),
    ocsp: (serial, ocsp = {}) => ocspOf(self, serial, ocsp),
  };
}

function authorityExtensions({ pathLength }: AuthorityOptions): Uint8Array[] {
  const length = pathLength === undefined ? [] : [integer(Uint8Array.of(pathLength))];
  return [
    extension(EXTENSION.basicConstraints, writeSequence(write(TAG.boolean, Uint8Array.of(0xff)), ...length), true),
    extension(EXTENSION.keyUsage, write(TAG.bitString, Uint8Array.of(1, 0x06)), true),
  ];
}

function leafExtensions({ usages = [CLIENT_AUTH] }: CertificateOptions): Uint8Array[] {
  return [
    extension(EXTENSION.keyUsage, write(TAG.bitString, Uint8Array.of(7, 0x80)), true),
    extension(EXTENSION.extendedKeyUsage, writeSequence(...usages.map(writeOid))),
  ];
}

function issueBy(issuer: Issuer, options: CertificateOptions, defaults: readonly Uint8Array[]): Issued {
  const keys = options.keys ?? ecKeys();
  const serial = options.serial ?? randomSerial();
  const algorithm = options.algorithm ?? algorithmOf(issuer.keys, options.digest);
  const body = writeSequence(
    ...(options.version === 1 ? [] : [writeContext(0, integer(Uint8Array.of(2)))]),
    integer(serial),
    options.algorithm ?? algorithmOf(issuer.keys, options.claimedDigest ?? options.digest),
    issuer.subject,
    writeSequence(
      time(options.notBefore ?? '2020-01-01'),
      options.notAfterDer ?? time(options.notAfter ?? '2049-01-01'),
    ),
    options.subject ?? nameOf(options.commonName ?? 'caller'),
    options.spki ?? spki(keys),
    ...(options.version === 1 ? [] : [extensionsOf(issuer, keys, options, defaults)]),
  );
  const certificate = options.pss
    ? signedByPss(body, algorithm, issuer.keys, options.pss)
    : signed(body, algorithm, issuer.keys, options.digest);
  const key = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return {
    certificate,
    pem: pem('CERTIFICATE', certificate),
    key,
    keys,
    serial,
    chain: [certificate, ...issuer.chain],
  };
}

function extensionsOf(
  issuer: Issuer,
  keys: KeyPair,
  options: CertificateOptions,
  defaults: readonly Uint8Array[],
): Uint8Array {
  const identifiers = [
    extension(EXTENSION.subjectKeyIdentifier, write(TAG.octetString, keyIdentifier(keys))),
    extension(
      EXTENSION.authorityKeyIdentifier,
      writeSequence(write(contextTag(0, 'primitive'), keyIdentifier(issuer.keys))),
    ),
  ];
  const names = alternativeNames(options);
  const own = [
    ...defaults,
    ...identifiers,
    ...(names.length > 0 ? [extension(EXTENSION.subjectAltName, writeSequence(...names))] : []),
  ];
  const removed = [
    ...(options.without ?? []).map((name) => writeOid(EXTENSION[name])),
    ...(options.extensions ?? []).map(oidOf),
  ];
  const kept = own.filter((candidate) => !removed.some((oid) => Buffer.compare(oidOf(candidate), oid) === 0));
  return writeContext(3, writeSequence(...kept, ...(options.extensions ?? [])));
}

/** The identifier of an extension: its first element, whose length is short. */
function oidOf(encoded: Uint8Array): Uint8Array {
  const start = (encoded[1] ?? 0) < 0x80 ? 2 : 2 + ((encoded[1] ?? 0) & 0x7f);
  return encoded.subarray(start, start + 2 + (encoded[start + 1] ?? 0));
}

function alternativeNames({
  emails = [],
  upns = [],
  dnsNames = [],
  alternativeNames: more = [],
}: CertificateOptions): Uint8Array[] {
  return [
    ...emails.map((email) => write(contextTag(1, 'primitive'), octets(email))),
    ...dnsNames.map((name) => write(contextTag(2, 'primitive'), octets(name))),
    ...upns.map((upn) => otherName(UPN, typeof upn === 'string' ? utf8(upn) : upn)),
    ...more,
  ];
}

function crlOf(issuer: Issuer, options: CrlOptions): Uint8Array {
  const keys = options.keys ?? issuer.keys;
  const entries = [...(options.revoked ?? []).map((serial) => revokedEntry(serial)), ...(options.entries ?? [])];
  const number = extension(EXTENSION.crlNumber, integer(Uint8Array.of(options.number ?? 1)));
  const extensions = [...(options.withoutNumber ? [] : [number]), ...(options.extensions ?? [])];
  const next = options.nextUpdate === undefined ? '2048-01-01' : options.nextUpdate;
  const isFirst = options.version === 1;
  const body = writeSequence(
    ...(isFirst ? [] : [integer(Uint8Array.of(1))]),
    algorithmOf(keys, options.claimedDigest ?? options.digest),
    issuer.subject,
    time(options.thisUpdate ?? '2024-01-01'),
    ...(next ? [time(next)] : []),
    ...(entries.length > 0 ? [writeSequence(...entries)] : []),
    ...(extensions.length > 0 && !isFirst ? [writeContext(0, writeSequence(...extensions))] : []),
  );
  return signed(body, algorithmOf(keys, options.digest), keys, options.digest);
}

const OCSP_STATES = {
  good: write(contextTag(0, 'primitive')),
  revoked: writeContext(1, generalizedTime('2024-01-01')),
  unknown: write(contextTag(2, 'primitive')),
};

function ocspOf(issuer: Issuer, serial: Uint8Array, options: OcspOptions): Uint8Array {
  const keys = options.responder?.keys ?? issuer.keys;
  const about = writeSequence(
    writeSequence(writeOid('1.3.14.3.2.26'), write(TAG.null)),
    write(TAG.octetString, hash('sha1', issuer.subject, 'buffer')),
    write(TAG.octetString, hash('sha1', keyBits(issuer.keys), 'buffer')),
    integer(serial),
  );
  const { thisUpdate = '2026-11-15', nextUpdate = '2026-11-16' } = options;
  const answers = [options.state ?? 'good', ...(options.also ?? [])].map((state) =>
    writeSequence(
      about,
      OCSP_STATES[state],
      generalizedTime(thisUpdate),
      ...(nextUpdate === null ? [] : [writeContext(0, generalizedTime(nextUpdate))]),
    ),
  );
  const nonce = options.nonce && extension('1.3.6.1.5.5.7.48.1.2', write(TAG.octetString, options.nonce));
  const body = writeSequence(
    writeContext(1, issuer.subject),
    generalizedTime('2026-11-15'),
    writeSequence(...answers),
    ...(nonce ? [writeContext(1, writeSequence(nonce))] : []),
  );
  const sent = options.responder ? [writeContext(0, writeSequence(options.responder.certificate))] : [];
  const basic = signed(body, algorithmOf(keys, options.digest), keys, options.digest, sent);
  const wrapped = writeSequence(writeOid('1.3.6.1.5.5.7.48.1.1'), write(TAG.octetString, basic));
  return writeSequence(write(TAG.enumerated, Uint8Array.of(0)), writeContext(0, wrapped));
}

function signed(
  body: Uint8Array,
  algorithm: Uint8Array,
  keys: KeyPair,
  digest = 'sha256',
  sent: readonly Uint8Array[] = [],
): Uint8Array {
  const isEdwards = keys.privateKey.asymmetricKeyType?.startsWith('ed');
  const signature = sign(isEdwards ? null : digest, body, keys.privateKey);
  return writeSequence(body, algorithm, write(TAG.bitString, Uint8Array.of(0), signature), ...sent);
}

function signedByPss(
  body: Uint8Array,
  algorithm: Uint8Array,
  { privateKey }: KeyPair,
  { digest, saltLength }: { readonly digest: string; readonly saltLength: number },
): Uint8Array {
  const signature = sign(digest, body, { key: privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength });
  return writeSequence(body, algorithm, write(TAG.bitString, Uint8Array.of(0), signature));
}

const ALGORITHMS: Readonly<Record<string, Uint8Array>> = {
  'ec sha256': writeSequence(writeOid('1.2.840.10045.4.3.2')),
  'ec sha1': writeSequence(writeOid('1.2.840.10045.4.1')),
  'rsa sha256': writeSequence(writeOid('1.2.840.113549.1.1.11'), write(TAG.null)),
  'rsa sha1': writeSequence(writeOid('1.2.840.113549.1.1.5'), write(TAG.null)),
  'rsa md5': writeSequence(writeOid('1.2.840.113549.1.1.4'), write(TAG.null)),
  'ed25519 sha256': writeSequence(writeOid('1.3.101.112')),
  'ed448 sha256': writeSequence(writeOid('1.3.101.113')),
};

function algorithmOf({ publicKey }: KeyPair, digest = 'sha256'): Uint8Array {
  const algorithm = ALGORITHMS[`${publicKey.asymmetricKeyType} ${digest}`];
  if (!algorithm) throw new Error(`the test authority does not sign with ${publicKey.asymmetricKeyType} and ${digest}`);
  return algorithm;
}

export function extension(oid: string, value: Uint8Array, critical = false): Uint8Array {
  const flag = critical ? [write(TAG.boolean, Uint8Array.of(0xff))] : [];
  return writeSequence(writeOid(oid), ...flag, write(TAG.octetString, value));
}

export function otherName(oid: string, value: Uint8Array): Uint8Array {
  return writeContext(0, writeOid(oid), writeContext(0, value));
}

export function utf8(text: string): Uint8Array {
  return write(TAG.utf8, octets(text));
}

/** A name of common names: text becomes a UTF8String, DER is taken as it is. */
export function nameOf(names: string | Uint8Array | readonly (string | Uint8Array)[]): Uint8Array {
  const list = typeof names === 'string' || names instanceof Uint8Array ? [names] : names;
  return writeSequence(...list.map((name) => write(TAG.set, attribute('2.5.4.3', name))));
}

export function attribute(oid: string, value: string | Uint8Array): Uint8Array {
  return writeSequence(writeOid(oid), typeof value === 'string' ? utf8(value) : value);
}

export function integer(bytes: Uint8Array): Uint8Array {
  return write(TAG.integer, bytes);
}

function pem(label: string, der: Uint8Array): string {
  const body = Buffer.from(der).toString('base64').replace(/.{64}/g, '$&\n').trimEnd(); // OpenSSL refuses an empty line
  return `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`;
}

function octets(text: string | Uint8Array): Uint8Array {
  return typeof text === 'string' ? Buffer.from(text, 'utf8') : text;
}

function time(date: string): Uint8Array {
  const digits = new Date(date).toISOString().replace(/[-:T]|\.000/g, '');
  return Number(digits.slice(0, 4)) < 2050
    ? write(TAG.utcTime, octets(digits.slice(2)))
    : write(TAG.generalizedTime, octets(digits));
}

function generalizedTime(date: string): Uint8Array {
  return write(TAG.generalizedTime, octets(new Date(date).toISOString().replace(/[-:T]|\.000/g, '')));
}

/** The bits of the key alone: RFC 6960 4.1.1 hashes these. */
function keyBits(keys: KeyPair): Uint8Array {
  const [, bits] = childrenOf(readElement(spki(keys)));
  return bits?.content.subarray(1) ?? new Uint8Array();
}

function spki({ publicKey }: KeyPair): Uint8Array {
  return publicKey.export({ type: 'spki', format: 'der' });
}

function keyIdentifier(keys: KeyPair): Uint8Array {
  return spki(keys).subarray(-20);
}

function randomSerial(): Uint8Array {
  const serial = randomBytes(16);
  serial[0] = (serial.readUInt8(0) & 0x3f) | 0x40;
  return serial;
}

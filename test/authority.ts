// A certificate authority for tests with real keys and real DER; it also signs invalid certificates.
import { randomBytes } from 'node:crypto';
import { contextTag, TAG } from '../src/pki/der/der.ts';
import { write, writeContext, writeOid, writeSequence } from '../src/pki/der/der-write.ts';
import { EXTENSION } from '../src/pki/x509/extensions.ts';
import { type CrlOptions, crlOf, type OcspOptions, ocspOf } from './authority-lists.ts';
import {
  algorithmOf,
  ecKeys,
  extension,
  integer,
  type KeyPair,
  keyIdentifier,
  nameOf,
  octets,
  otherName,
  signed,
  signedByPss,
  spki,
  time,
  utf8,
} from './signed-der.ts';

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

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const UPN = '1.3.6.1.4.1.311.20.2.3';

interface Issuer {
  readonly subject: Uint8Array;
  readonly keys: KeyPair;
  readonly chain: readonly Uint8Array[];
}

/** A self-signed root. */
export function makeAuthority(options: AuthorityOptions = {}): Authority {
  return authority(options, undefined);
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

function pem(label: string, der: Uint8Array): string {
  const body = Buffer.from(der).toString('base64').replace(/.{64}/g, '$&\n').trimEnd(); // OpenSSL refuses an empty line
  return `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`;
}

function randomSerial(): Uint8Array {
  const serial = randomBytes(16);
  serial[0] = (serial.readUInt8(0) & 0x3f) | 0x40;
  return serial;
}

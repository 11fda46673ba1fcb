// A CA for trying things out. It makes the certificates of the quick start, so that nobody needs openssl for a first
// token. Not for production: its key is in the data folder.
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { contextTag, TAG } from './der/der.ts';
import { write, writeContext, writeOid, writeSequence } from './der/der-write.ts';
import { writePem } from './der/pem.ts';
import { EXTENSION } from './x509/extensions.ts';

export interface KeyedCertificate {
  readonly certificate: string;
  readonly key: string;
}

export interface DevelopmentAuthority extends KeyedCertificate {
  issueServer(hosts: readonly string[]): KeyedCertificate;
  issueClient(commonName: string, keys?: Keys): KeyedCertificate;
}

const ECDSA_SHA256 = writeSequence(writeOid('1.2.840.10045.4.3.2'));
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const COMMON_NAME = '2.5.4.3';
const DAYS = 825; // the longest server certificate lifetime that common clients accept

/** `random` generates serial numbers. */
export function makeDevelopmentAuthority(now: Date, random: (length: number) => Uint8Array): DevelopmentAuthority {
  const issuer = { name: nameOf('Tessera development authority'), keys: newKeys() };
  const issue = (name: string, extensions: readonly Uint8Array[], keys = newKeys()): KeyedCertificate => ({
    certificate: writePem(certificateOf({ issuer, subject: nameOf(name), keys, extensions, now, serial: random(16) })),
    key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  });
  return {
    ...issue('Tessera development authority', AUTHORITY, issuer.keys),
    issueServer: (hosts) => issue(hosts[0] ?? 'localhost', [...leaf(SERVER_AUTH), alternativeNames(hosts)]),
    issueClient: (commonName, keys) => issue(commonName, leaf(CLIENT_AUTH), keys),
  };
}

interface Draft {
  readonly issuer: { readonly name: Uint8Array; readonly keys: Keys };
  readonly subject: Uint8Array;
  readonly keys: Keys;
  readonly extensions: readonly Uint8Array[];
  readonly now: Date;
  readonly serial: Uint8Array;
}

type Keys = { readonly publicKey: KeyObject; readonly privateKey: KeyObject };

function newKeys(): Keys {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

function certificateOf({ issuer, subject, keys, extensions, now, serial }: Draft): Uint8Array {
  const identifiers = [
    extension(EXTENSION.subjectKeyIdentifier, write(TAG.octetString, keyIdentifier(keys))),
    extension(
      EXTENSION.authorityKeyIdentifier,
      writeSequence(write(contextTag(0, 'primitive'), keyIdentifier(issuer.keys))),
    ),
  ];
  const body = writeSequence(
    writeContext(0, integer(2)),
    write(TAG.integer, positive(serial)),
    ECDSA_SHA256,
    issuer.name,
    writeSequence(time(now, -1), time(now, DAYS)),
    subject,
    spki(keys),
    writeContext(3, writeSequence(...identifiers, ...extensions)),
  );
  const signature = sign('sha256', body, issuer.keys.privateKey);
  return writeSequence(body, ECDSA_SHA256, write(TAG.bitString, Uint8Array.of(0), signature));
}

const AUTHORITY = [
  extension(EXTENSION.basicConstraints, writeSequence(write(TAG.boolean, Uint8Array.of(0xff)), integer(0)), true),
  extension(EXTENSION.keyUsage, write(TAG.bitString, Uint8Array.of(1, 0x06)), true),
];

function leaf(usage: string): Uint8Array[] {
  return [
    extension(EXTENSION.keyUsage, write(TAG.bitString, Uint8Array.of(7, 0x80)), true),
    extension(EXTENSION.extendedKeyUsage, writeSequence(writeOid(usage))),
  ];
}

function alternativeNames(hosts: readonly string[]): Uint8Array {
  const names = hosts.map((host) =>
    isIP(host) === 4
      ? write(contextTag(7, 'primitive'), Uint8Array.from(host.split('.').map(Number)))
      : write(contextTag(2, 'primitive'), Buffer.from(host)),
  );
  return extension(EXTENSION.subjectAltName, writeSequence(...names));
}

function extension(oid: string, value: Uint8Array, critical = false): Uint8Array {
  const flag = critical ? [write(TAG.boolean, Uint8Array.of(0xff))] : [];
  return writeSequence(writeOid(oid), ...flag, write(TAG.octetString, value));
}

function nameOf(commonName: string): Uint8Array {
  const attribute = writeSequence(writeOid(COMMON_NAME), write(TAG.utf8, Buffer.from(commonName)));
  return writeSequence(write(TAG.set, attribute));
}

function integer(value: number): Uint8Array {
  return write(TAG.integer, Uint8Array.of(value));
}

/** DER integers are signed, and the first octet must not be zero. */
function positive([first = 0, ...rest]: Uint8Array): Uint8Array {
  return Uint8Array.of((first & 0x3f) | 0x40, ...rest);
}

function time(now: Date, days: number): Uint8Array {
  const text = new Date(now.getTime() + days * 86_400_000).toISOString().replace(/[-:T]|\.\d+/g, '');
  return write(TAG.utcTime, Buffer.from(text.slice(2)));
}

function spki({ publicKey }: Keys): Uint8Array {
  return publicKey.export({ type: 'spki', format: 'der' });
}

function keyIdentifier(keys: Keys): Uint8Array {
  return spki(keys).subarray(-20);
}

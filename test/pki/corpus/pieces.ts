// Pieces of DER for the cases.
import { contextTag, TAG } from '../../../src/pki/der/der.ts';
import { write, writeContext, writeOid, writeSequence } from '../../../src/pki/der/der-write.ts';
import { EXTENSION } from '../../../src/pki/x509/extensions.ts';
import { attribute, extension, integer } from '../../signed-der.ts';

export const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
export const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
export const ANY_USAGE = '2.5.29.37.0';
export const ORGANISATION = '2.5.4.10';
export const COMMON_NAME = '2.5.4.3';

export const octets = (...values: number[]): Uint8Array => Uint8Array.from(values);
export const latin = (text: string): Uint8Array => Buffer.from(text, 'latin1');
export const count = (value: number): Uint8Array => integer(octets(value));

// general names
export const dns = (name: string): Uint8Array => write(contextTag(2, 'primitive'), Buffer.from(name));
export const email = (name: string): Uint8Array => write(contextTag(1, 'primitive'), Buffer.from(name));
export const uri = (name: string): Uint8Array => write(contextTag(6, 'primitive'), Buffer.from(name));
export const ip = (...address: number[]): Uint8Array => write(contextTag(7, 'primitive'), octets(...address));
export const directory = (name: Uint8Array): Uint8Array => writeContext(4, name);

// strings
export const printable = (text: string): Uint8Array => write(TAG.printable, latin(text));
export const ia5 = (text: string): Uint8Array => write(TAG.ia5, latin(text));
export const teletex = (text: string): Uint8Array => write(TAG.teletex, latin(text));
export const general = (text: string): Uint8Array => write(0x1b, latin(text));
export const bmp = (text: string): Uint8Array => write(TAG.bmp, Buffer.from(text, 'utf16le').swap16());
export const universal = (text: string): Uint8Array =>
  write(0x1c, ...Array.from(text, (letter) => bigEndian(letter.codePointAt(0) ?? 0)));

function bigEndian(point: number): Uint8Array {
  const four = Buffer.alloc(4);
  four.writeUInt32BE(point);
  return four;
}

// names
/** One relative name per entry, each of one attribute. */
export const nameWith = (...attributes: (readonly [oid: string, value: string | Uint8Array])[]): Uint8Array =>
  writeSequence(...attributes.map(([oid, value]) => write(TAG.set, attribute(oid, value))));
export const organisation = (value: string | Uint8Array): Uint8Array => nameWith([ORGANISATION, value]);
export const callerOf = (value: string | Uint8Array): Uint8Array =>
  nameWith([ORGANISATION, value], [COMMON_NAME, 'caller']);

// extensions
export const keyUsage = (...content: number[]): Uint8Array =>
  extension(EXTENSION.keyUsage, write(TAG.bitString, octets(...content)), true);
export const usages = (oids: readonly string[], critical = false): Uint8Array =>
  extension(EXTENSION.extendedKeyUsage, writeSequence(...oids.map(writeOid)), critical);
export const alternatives = (names: readonly Uint8Array[], critical = false): Uint8Array =>
  extension(EXTENSION.subjectAltName, writeSequence(...names), critical);
export const basic = (content: readonly Uint8Array[], critical = true): Uint8Array =>
  extension(EXTENSION.basicConstraints, writeSequence(...content), critical);
export const TRUE = write(TAG.boolean, octets(0xff));
export const FALSE = write(TAG.boolean, octets(0));

const subtrees = (number: number, names: readonly Uint8Array[]): Uint8Array[] =>
  names.length > 0 ? [writeContext(number, ...names.map((name) => writeSequence(name)))] : [];
export const constraints = (
  { permitted = [], excluded = [] }: { permitted?: readonly Uint8Array[]; excluded?: readonly Uint8Array[] },
  critical = true,
): Uint8Array =>
  extension(EXTENSION.nameConstraints, writeSequence(...subtrees(0, permitted), ...subtrees(1, excluded)), critical);

export const policies = (...oids: string[]): Uint8Array =>
  extension(EXTENSION.certificatePolicies, writeSequence(...oids.map((oid) => writeSequence(writeOid(oid)))));
export const mappings = (...pairs: (readonly [string, string])[]): Uint8Array =>
  extension(
    EXTENSION.policyMappings,
    writeSequence(...pairs.map(([from, to]) => writeSequence(writeOid(from), writeOid(to)))),
    true,
  );
export const policyConstraints = (
  { explicit, mapping }: { explicit?: number; mapping?: number },
  critical = true,
): Uint8Array =>
  extension(
    EXTENSION.policyConstraints,
    writeSequence(
      ...(explicit === undefined ? [] : [write(contextTag(0, 'primitive'), octets(explicit))]),
      ...(mapping === undefined ? [] : [write(contextTag(1, 'primitive'), octets(mapping))]),
    ),
    critical,
  );
export const inhibitAny = (skip: number, critical = true): Uint8Array =>
  extension(EXTENSION.inhibitAnyPolicy, count(skip), critical);

export const withExtension = (oid: string, value: Uint8Array, critical = false) => ({
  extensions: [extension(oid, value, critical)],
});

export const times = <T>(many: number, make: (index: number) => T): T[] =>
  Array.from({ length: many }, (_, n) => make(n));

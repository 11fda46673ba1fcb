// CRLs and OCSP responses of a test authority, valid and invalid ones.
import { hash } from 'node:crypto';
import { contextTag, TAG } from '../src/pki/der/der.ts';
import { write, writeContext, writeOid, writeSequence } from '../src/pki/der/der-write.ts';
import { EXTENSION } from '../src/pki/x509/extensions.ts';
import { algorithmOf, extension, generalizedTime, integer, type KeyPair, keyBits, signed, time } from './signed-der.ts';

/** Who signs. */
interface Signer {
  readonly subject: Uint8Array;
  readonly keys: KeyPair;
}

export interface CrlOptions {
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

export interface OcspOptions {
  readonly state?: OcspState;
  readonly nonce?: Uint8Array;
  readonly thisUpdate?: string;
  readonly nextUpdate?: string | null;
  /** Further answers in the same response, about the same certificate. */
  readonly also?: readonly OcspState[];
  readonly digest?: 'sha256' | 'sha1';
  /** A delegated responder; its certificate is included. */
  readonly responder?: { readonly keys: KeyPair; readonly certificate: Uint8Array };
}

export function crlOf(issuer: Signer, options: CrlOptions): Uint8Array {
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

export function ocspOf(issuer: Signer, serial: Uint8Array, options: OcspOptions): Uint8Array {
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

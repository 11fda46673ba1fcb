// A certificate that no approved issuer has signed yet, as far as we know. Only what the path search needs is parsed,
// in linear time: names when they are compared, the rest after the signature of an approved issuer was verified.
import { oncePer } from '../../core/once-per.ts';
import { accept, type Outcome } from '../../core/outcome.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { childrenOf, contextTag, countChildren, type Element, readElement, TAG, tryRead } from '../der/der.ts';
import {
  type Certificate,
  type Outline,
  readOrRefuse,
  readOutline,
  readOutlined,
  readValidity,
  type Validity,
} from './certificate.ts';
import { type DistinguishedName, printName, readName } from './distinguished-name.ts';
import { type PublicKeyFacts, readPublicKey } from './public-key.ts';
import type { Frame } from './signed.ts';

type NameField = 'issuer' | 'subject';

export class Candidate {
  readonly der: Uint8Array;
  /** Sent by a caller, not registered by the operator. */
  readonly isPresented: boolean;
  readonly signed: Frame;
  readonly issuer: Element;
  readonly subject: Element;
  readonly spki: Uint8Array;
  readonly keyIdentifier: Uint8Array | undefined;
  readonly issuerKeyIdentifier: Uint8Array | undefined;
  /** Results of signature checks of this candidate, by key. Those of registered certificates are kept. */
  readonly signers = new WeakMap<PublicKeyFacts, boolean>();
  readonly #outline: Outline;
  /** What was parsed so far; undefined if it is malformed. */
  readonly #parts = new Map<string, unknown>();
  #read: Outcome<Certificate> | undefined;

  constructor(der: Uint8Array, read?: Certificate) {
    this.der = der;
    this.isPresented = read === undefined;
    this.#read = read && accept(read);
    this.#outline = readOutline(der);
    ({ signed: this.signed, issuer: this.issuer, subject: this.subject } = this.#outline);
    this.spki = this.#outline.publicKey.whole;
    const identifiers = readIdentifiers(this.#outline.extensions ?? []);
    this.keyIdentifier = identifiers.own;
    this.issuerKeyIdentifier = identifiers.issuer;
    if (!read) return;
    for (const part of ['issuer', 'subject', 'publicKey'] as const) this.#parts.set(part, read[part]);
    this.#parts.set('validity', read);
  }

  /** Undefined if the key is malformed; it then verifies no signature. */
  get publicKey(): PublicKeyFacts | undefined {
    return this.#part('publicKey', () => readPublicKey(this.#outline.publicKey));
  }

  /** In hex; undefined if it is longer than RFC 5280 4.1.2.2 allows. */
  get serial(): string | undefined {
    const { content } = this.#outline.serial;
    return content.length > MAX_SERIAL
      ? undefined
      : Buffer.from(content)
          .toString('hex')
          .replace(/^00(?=..)/, '');
  }

  get validity(): Validity | undefined {
    return this.#part('validity', () => readValidity(this.#outline.validity));
  }

  isValidAt(now: EpochSeconds): boolean {
    const { validity } = this;
    return validity !== undefined && validity.notBefore <= now && now <= validity.notAfter;
  }

  /** The number of relative names. If the counts differ, the names differ and need not be parsed. Undefined if malformed. */
  countRdns(which: NameField): number | undefined {
    return this.#part(`count of ${which}`, () => countChildren(this[which]));
  }

  /** Undefined if the name is malformed; it then matches no other name. */
  nameOf(which: NameField): DistinguishedName | undefined {
    return this.#part(which, () => readName(this[which]));
  }

  get certificate(): Outcome<Certificate> {
    this.#read ??= readOutlined(this.der, this.#outline, Object.fromEntries(this.#parts));
    return this.#read;
  }

  #part<T>(name: string, read: () => T): T | undefined {
    if (!this.#parts.has(name)) this.#parts.set(name, unlessMalformed(read));
    return this.#parts.get(name) as T | undefined;
  }
}

function unlessMalformed<T>(read: () => T): T | undefined {
  const tried = tryRead(read);
  return tried.ok ? tried.value : undefined;
}

export function readCandidate(der: Uint8Array): Outcome<Candidate> {
  return readOrRefuse(() => new Candidate(der));
}

export const candidateOf = oncePer((certificate: Certificate) => new Candidate(certificate.der, certificate));

/** With the zero that precedes a first bit that is set. */
const MAX_SERIAL = 21;
const MAX_PRINTED_OCTETS = 1024;

/** For people; long untrusted names are not parsed. */
export function printNameOf(element: Element): string {
  if (element.whole.length > MAX_PRINTED_OCTETS) return `(a name of ${element.whole.length} octets)`;
  const name = unlessMalformed(() => readName(element));
  return name ? printName(name) : '(malformed name)';
}

// The last octet of the OIDs 2.5.29.14 and 2.5.29.35.
const SUBJECT_KEY_IDENTIFIER = 14;
const AUTHORITY_KEY_IDENTIFIER = 35;

/** Only hints for the search order, so a malformed identifier counts as absent. */
function readIdentifiers(extensions: readonly Element[]): { own?: Uint8Array; issuer?: Uint8Array } {
  const found: { own?: Uint8Array; issuer?: Uint8Array } = {};
  for (const { content } of extensions) {
    const kind = standardExtension(content);
    const isOwn = kind === SUBJECT_KEY_IDENTIFIER;
    if (!isOwn && kind !== AUTHORITY_KEY_IDENTIFIER) continue;
    const identifier = readIdentifier(content.subarray(5), isOwn ? TAG.octetString : contextTag(0, 'primitive'));
    if (identifier) found[isOwn ? 'own' : 'issuer'] = identifier;
  }
  return found;
}

/** The last arc of an OID 2.5.29.n, without parsing the OID: every candidate has several. */
function standardExtension(content: Uint8Array): number | undefined {
  const isStandard = content[0] === TAG.oid && content[1] === 3 && content[2] === 0x55 && content[3] === 0x1d;
  return isStandard ? content[4] : undefined;
}

/** SKI: an OCTET STRING inside the extension's OCTET STRING. AKI: the first field of a SEQUENCE inside it. */
function readIdentifier(octets: Uint8Array, tag: number): Uint8Array | undefined {
  const identifier = unlessMalformed(() => {
    const value = readElement(readElement(octets, TAG.octetString).content);
    return tag === TAG.octetString ? value : childrenOf(value, 3)[0];
  });
  return identifier?.tag === tag ? identifier.content : undefined;
}

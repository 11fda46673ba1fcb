// A certificate that nobody has vouched for yet. Only what the search for a path needs is read here, in time linear to its
// size; names are parsed when they are compared, and the rest once an approved issuer's signature has been checked.
import { accept, type Outcome } from '../../core/outcome.ts';
import {
  childrenOf,
  contextTag,
  countChildren,
  type Element,
  Fields,
  MalformedDer,
  readElement,
  TAG,
  unwrap,
} from '../der/der.ts';
import { type Certificate, readFrame, readFramed, readOrRefuse } from './certificate.ts';
import { type DistinguishedName, printName, readName } from './distinguished-name.ts';
import type { Frame } from './signed.ts';

export class Candidate {
  readonly der: Uint8Array;
  readonly signed: Frame;
  readonly issuer: Element;
  readonly subject: Element;
  readonly spki: Uint8Array;
  readonly keyIdentifier: Uint8Array | undefined;
  readonly issuerKeyIdentifier: Uint8Array | undefined;
  /** How many relative names the issuer has: names of different counts differ, without a look inside. */
  readonly issuerRdns: number;
  /** Who has signed it and who has not, as far as checked: kept across searches for registered intermediates. */
  readonly signers = new Map<Certificate, boolean>();
  #issuerName: DistinguishedName | 'malformed' | undefined;
  #read: Outcome<Certificate> | undefined;

  constructor(der: Uint8Array, read?: Certificate) {
    this.der = der;
    this.#read = read && accept(read);
    this.signed = readFrame(der);
    const fields = new Fields(this.signed.toBeSigned);
    fields.optional(contextTag(0, 'constructed')); // version
    for (const _ of ['serial', 'algorithm']) fields.next();
    this.issuer = fields.next(TAG.sequence);
    fields.next(TAG.sequence); // validity
    this.subject = fields.next(TAG.sequence);
    this.spki = fields.next(TAG.sequence).whole;
    for (const unique of [1, 2]) fields.optional(contextTag(unique, 'primitive'));
    const identifiers = readIdentifiers(fields.optional(contextTag(3, 'constructed')));
    this.keyIdentifier = identifiers.own;
    this.issuerKeyIdentifier = identifiers.issuer;
    this.issuerRdns = countChildren(this.issuer);
  }

  /** Nothing where the name is malformed: it then equals no other. */
  get issuerName(): DistinguishedName | undefined {
    this.#issuerName ??= parseName(this.issuer) ?? 'malformed';
    return this.#issuerName === 'malformed' ? undefined : this.#issuerName;
  }

  get certificate(): Outcome<Certificate> {
    this.#read ??= readFramed(this.der, this.signed);
    return this.#read;
  }
}

export function readCandidate(der: Uint8Array): Outcome<Candidate> {
  return readOrRefuse(() => new Candidate(der));
}

// Intermediates registered with an issuer come with every request.
const known = new WeakMap<Certificate, Candidate>();

export function candidateOf(certificate: Certificate): Candidate {
  const found = known.get(certificate) ?? new Candidate(certificate.der, certificate);
  known.set(certificate, found);
  return found;
}

const LONGEST_PRINTED = 1024;

/** For people; a name of a stranger that is long is not worth parsing. */
export function printNameOf(element: Element): string {
  if (element.whole.length > LONGEST_PRINTED) return `(a name of ${element.whole.length} octets)`;
  const name = parseName(element);
  return name ? printName(name) : '(malformed name)';
}

function parseName(element: Element): DistinguishedName | undefined {
  try {
    return readName(element);
  } catch (problem) {
    if (problem instanceof MalformedDer) return undefined;
    throw problem;
  }
}

// RFC 5280 defines 17 extensions; certificates with twice as many exist in no PKI.
const MOST_EXTENSIONS = 64;
// The last octet of the identifiers 2.5.29.14 and 2.5.29.35.
const SUBJECT_KEY_IDENTIFIER = 14;
const AUTHORITY_KEY_IDENTIFIER = 35;

/** Hints for the order of the search, so a malformed one is no more than absent. */
function readIdentifiers(wrapped: Element | undefined): { own?: Uint8Array; issuer?: Uint8Array } {
  if (!wrapped) return {};
  const found: { own?: Uint8Array; issuer?: Uint8Array } = {};
  for (const { content } of childrenOf(unwrap(wrapped, TAG.sequence), MOST_EXTENSIONS)) {
    const kind = standardExtension(content);
    const isOwn = kind === SUBJECT_KEY_IDENTIFIER;
    if (!isOwn && kind !== AUTHORITY_KEY_IDENTIFIER) continue;
    const identifier = readIdentifier(content.subarray(5), isOwn ? TAG.octetString : contextTag(0, 'primitive'));
    if (identifier) found[isOwn ? 'own' : 'issuer'] = identifier;
  }
  return found;
}

/** The last arc of an extension 2.5.29.n, without reading the identifier: every candidate has several. */
function standardExtension(content: Uint8Array): number | undefined {
  const isStandard = content[0] === TAG.oid && content[1] === 3 && content[2] === 0x55 && content[3] === 0x1d;
  return isStandard ? content[4] : undefined;
}

/** SKI: an octet string in the extension's octet string. AKI: the first field of a sequence in it. */
function readIdentifier(octets: Uint8Array, tag: number): Uint8Array | undefined {
  try {
    const value = readElement(readElement(octets, TAG.octetString).content);
    const identifier = tag === TAG.octetString ? value : childrenOf(value, 3)[0];
    return identifier?.tag === tag ? identifier.content : undefined;
  } catch (problem) {
    if (problem instanceof MalformedDer) return undefined;
    throw problem;
  }
}

// A certificate that no approved issuer has signed yet, as far as we know. Only what the path search needs is parsed,
// in time linear in its size. Names are parsed when they are compared, the rest after an approved issuer's signature
// has been verified.
import { accept, type Outcome } from '../../core/outcome.ts';
import { childrenOf, contextTag, countChildren, type Element, MalformedDer, readElement, TAG } from '../der/der.ts';
import { type Certificate, readOrRefuse, readOutlined } from './certificate.ts';
import { type DistinguishedName, printName, readName } from './distinguished-name.ts';
import { type Outline, readOutline } from './outline.ts';
import type { Frame } from './signed.ts';

export class Candidate {
  readonly der: Uint8Array;
  /** Sent by a caller, not registered by the operator. */
  readonly isPresented: boolean;
  readonly keyIdentifier: Uint8Array | undefined;
  readonly issuerKeyIdentifier: Uint8Array | undefined;
  /** Number of relative names of the issuer. If the counts differ, the names differ and need not be parsed. */
  readonly issuerRdns: number;
  /** Results of signature checks against this candidate. Candidates that are kept across searches keep them. */
  readonly signers = new WeakMap<Certificate, boolean>();
  readonly #outline: Outline;
  #issuerName: DistinguishedName | 'malformed' | undefined;
  #read: Outcome<Certificate> | undefined;

  constructor(der: Uint8Array, read?: Certificate) {
    this.der = der;
    this.isPresented = read === undefined;
    this.#read = read && accept(read);
    this.#outline = readOutline(der);
    const identifiers = readIdentifiers(this.#outline.extensions ?? []);
    this.keyIdentifier = identifiers.own;
    this.issuerKeyIdentifier = identifiers.issuer;
    this.issuerRdns = countChildren(this.issuer);
  }

  get signed(): Frame {
    return this.#outline.signed;
  }

  get issuer(): Element {
    return this.#outline.issuer;
  }

  get subject(): Element {
    return this.#outline.subject;
  }

  get spki(): Uint8Array {
    return this.#outline.publicKey.whole;
  }

  /** Undefined if the name is malformed; it then matches no other name. */
  get issuerName(): DistinguishedName | undefined {
    this.#issuerName ??= parseName(this.issuer) ?? 'malformed';
    return this.#issuerName === 'malformed' ? undefined : this.#issuerName;
  }

  get certificate(): Outcome<Certificate> {
    const name = typeof this.#issuerName === 'object' ? this.#issuerName : undefined;
    this.#read ??= readOutlined(this.der, this.#outline, name);
    return this.#read;
  }
}

export function readCandidate(der: Uint8Array): Outcome<Candidate> {
  return readOrRefuse(() => new Candidate(der));
}

// Cached because registered intermediates are used by every request.
const known = new WeakMap<Certificate, Candidate>();

export function candidateOf(certificate: Certificate): Candidate {
  const found = known.get(certificate) ?? new Candidate(certificate.der, certificate);
  known.set(certificate, found);
  return found;
}

const MAX_PRINTED_OCTETS = 1024;

/** For people; long untrusted names are not parsed. */
export function printNameOf(element: Element): string {
  if (element.whole.length > MAX_PRINTED_OCTETS) return `(a name of ${element.whole.length} octets)`;
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
  try {
    const value = readElement(readElement(octets, TAG.octetString).content);
    const identifier = tag === TAG.octetString ? value : childrenOf(value, 3)[0];
    return identifier?.tag === tag ? identifier.content : undefined;
  } catch (problem) {
    if (problem instanceof MalformedDer) return undefined;
    throw problem;
  }
}

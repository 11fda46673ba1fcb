// The chain that a connection presents. Where a proxy passes it on in a header: whether the sender is a listed proxy was
// checked before. Malformed values are refused, never repaired; a repeated value is refused, never picked from.
import { type CertificateHeader, isPresented, type Presented, type PresentedChain } from '../../core/certificate.ts';
import { accept, type Outcome, refuse } from '../../core/outcome.ts';
import { readPem } from '../der/pem.ts';

/** The lines of one header in the order of the request. Each header must have exactly one; only a list may have more. */
type Lines = readonly string[];

const MALFORMED = refuse('certificate-unreadable', { rule: 'header-malformed' });
const REPEATED = refuse('certificate-repeated', { rule: 'header-repeated' });

const READERS: Readonly<Record<CertificateHeader, (lines: Lines, chain: Lines) => Outcome<PresentedChain>>> = {
  rfc9440: readClientCert,
  'url-encoded-pem': readPemHeader,
  xfcc: readForwardedClientCert,
};

export function readPresented(presented: Presented): Outcome<PresentedChain> {
  if (!isPresented(presented)) return refuse('certificate-missing');
  if (presented.by === 'handshake') return accept(presented.chain);
  return READERS[presented.header](presented.lines, presented.chainLines);
}

/** RFC 9440: `Client-Cert` is a byte sequence, `Client-Cert-Chain` a list of them. */
export function readClientCert(leaf: Lines, chain: Lines = []): Outcome<PresentedChain> {
  return readSingle(leaf, (value) => {
    const certificate = readByteSequence(value);
    const above = chain.join(',').trim();
    const rest = above === '' ? [] : above.split(',').map(readByteSequence);
    const all = [certificate, ...rest].flatMap((der) => der ?? []);
    return all.length === rest.length + 1 ? accept(all) : MALFORMED;
  });
}

/** PEM, URL-encoded as nginx's `$ssl_client_escaped_cert` is, or with spaces for newlines as Apache sends it. */
export function readPemHeader(lines: Lines): Outcome<PresentedChain> {
  return readSingle(lines, readEncodedPem);
}

/** Envoy's `x-forwarded-client-cert`: exactly one element, because each element is a caller. */
export function readForwardedClientCert(lines: Lines): Outcome<PresentedChain> {
  return readSingle(lines, (value) => {
    const elements = splitOutsideQuotes(value, ',');
    if (elements.length > 1) return REPEATED;
    const pairs = splitOutsideQuotes(value, ';').map(readPair);
    if (pairs.some((pair) => !pair)) return MALFORMED;
    const [leaf, ...leaves] = valuesOf(pairs, 'cert');
    const [chain, ...chains] = valuesOf(pairs, 'chain');
    if (leaves.length > 0 || chains.length > 0) return REPEATED;
    if (leaf === undefined && chain === undefined) return refuse('certificate-missing');
    return leaf === undefined || chain === undefined ? readEncodedPem(leaf ?? chain ?? '') : readBoth(leaf, chain);
  });
}

/** Envoy's chain begins with the leaf. A chain with another leaf is refused. */
function readBoth(leaf: string, chain: string): Outcome<PresentedChain> {
  const [one, many] = [readEncodedPem(leaf), readEncodedPem(chain)];
  if (!one.ok || !many.ok) return MALFORMED;
  const [own] = one.value;
  const [first] = many.value;
  return own && first && Buffer.compare(own, first) === 0 ? many : MALFORMED;
}

function readSingle(lines: Lines, read: (value: string) => Outcome<PresentedChain>): Outcome<PresentedChain> {
  const [value] = lines;
  if (value === undefined || value.trim() === '') return refuse('certificate-missing');
  return lines.length > 1 ? REPEATED : read(value.trim());
}

/** RFC 8941 3.3.5: canonical base64 between colons. Neither header defines parameters. */
function readByteSequence(text: string): Uint8Array | undefined {
  const base64 = /^:([A-Za-z0-9+/]+={0,2}):$/.exec(text.trim())?.[1];
  if (!base64) return undefined;
  const octets = Buffer.from(base64, 'base64');
  return octets.toString('base64') === base64 ? octets : undefined;
}

// White space can match in one place only, so that a long run of it causes no backtracking.
const PEM_BLOCKS = /^\s*(?:-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*)+$/;

function readEncodedPem(value: string): Outcome<PresentedChain> {
  const text = decodeUrl(value);
  if (text === undefined || !PEM_BLOCKS.test(text)) return MALFORMED;
  return accept(readPem(text, 'CERTIFICATE'));
}

function decodeUrl(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}

function splitOutsideQuotes(text: string, separator: ',' | ';'): string[] {
  const parts = [''];
  let quoted = false;
  let escaped = false;
  for (const character of text) {
    if (character === '"' && !escaped) quoted = !quoted;
    escaped = character === '\\' && !escaped;
    if (character === separator && !quoted) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}

interface Pair {
  readonly key: string;
  readonly value: string;
}

function readPair(text: string): Pair | undefined {
  const [, key, quoted, plain] = /^([A-Za-z]+)=(?:"((?:[^"\\]|\\.)*)"|([^"]*))$/.exec(text.trim()) ?? [];
  if (key === undefined) return undefined;
  return { key: key.toLowerCase(), value: quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '' };
}

function valuesOf(pairs: readonly (Pair | undefined)[], key: string): string[] {
  return pairs.flatMap((pair) => (pair?.key === key ? [pair.value] : []));
}

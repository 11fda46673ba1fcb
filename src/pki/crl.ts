// Certificate revocation lists (RFC 5280 5): read once, then asked per certificate. A list that is not a complete one
// of the certificate's own issuer (delta, indirect, of another scope) answers nothing.
import { accept, type Outcome, refused } from '../core/outcome.ts';
import type { EpochSeconds } from '../core/time.ts';
import { childrenOf, contextTag, type Element, Fields, MalformedDer, readElement, TAG, unwrap } from './der.ts';
import { readBoolean, readCount, readInteger, readNamedBits, readTime } from './der-values.ts';
import { type DistinguishedName, readName, sameName } from './distinguished-name.ts';
import { type PointName, readPointName } from './distribution-point.ts';
import { EXTENSION, type RawExtension, readExtensionList } from './extensions.ts';
import { readSigned, type Signed } from './signed.ts';

export interface RevocationList extends Signed {
  readonly issuer: DistinguishedName;
  readonly thisUpdate: EpochSeconds;
  /** Absent in lists that RFC 5280 5.1.2.5 forbids; they are stale at once. */
  readonly nextUpdate?: EpochSeconds;
  /** Absent where it is none of RFC 5280 5.2.3. */
  readonly number?: bigint;
  /** Serial numbers in hex. */
  readonly revoked: ReadonlySet<string>;
  readonly scope: RevocationScope;
  /** Why the list can answer nothing, whoever asks. */
  readonly unusable?: string;
}

interface RevocationScope {
  readonly names: readonly PointName[];
  readonly only?: 'leaves' | 'authorities' | 'attributes';
  /** Where given, the only reasons for revocation that the list knows. */
  readonly reasons?: ReadonlySet<number>;
  readonly indirect: boolean;
}

const WHOLE: RevocationScope = { names: [], indirect: false };
const KNOWN_CRITICAL: readonly string[] = [EXTENSION.issuingDistributionPoint, EXTENSION.deltaCrlIndicator];

export function readRevocationList(der: Uint8Array): Outcome<RevocationList, string> {
  try {
    return accept(readList(readElement(der)));
  } catch (problem) {
    if (!(problem instanceof MalformedDer)) throw problem;
    return refused(`the CRL cannot be read: ${problem.message}`);
  }
}

function readList(element: Element): RevocationList {
  const signed = readSigned(element);
  const fields = new Fields(signed.toBeSigned);
  const version = fields.optional(TAG.integer);
  const innerAlgorithm = fields.next(TAG.sequence).whole;
  const issuer = readName(fields.next());
  const thisUpdate = readTime(fields.next());
  const nextUpdate = fields.optional(TAG.utcTime, TAG.generalizedTime);
  const entries = fields.optional(TAG.sequence);
  const wrapped = fields.optional(contextTag(0, 'constructed'));
  fields.end();
  const extensions = wrapped ? readExtensionList(unwrap(wrapped)) : [];
  const { revoked, foreign } = readEntries(entries);
  const scope = readScope(extensions);
  const unusable =
    !version || readCount(version) !== 1 ? 'it is not of version 2' : (foreign ?? whyUnusable(extensions, scope));
  const number = readNumber(extensions);
  const content = { issuer, thisUpdate, revoked, scope, innerAlgorithm };
  return {
    ...signed,
    ...content,
    ...(number !== undefined && { number }),
    ...(nextUpdate && { nextUpdate: readTime(nextUpdate) }),
    ...(unusable && { unusable }),
  };
}

function readEntries(entries: Element | undefined): { revoked: Set<string>; foreign?: string } {
  const revoked = new Set<string>();
  let foreign: string | undefined;
  for (const entry of entries ? childrenOf(entries) : []) {
    const fields = new Fields(entry);
    revoked.add(serialKey(readInteger(fields.next())));
    readTime(fields.next());
    const extensions = fields.optional(TAG.sequence);
    fields.end();
    // RFC 5280 5.3: a critical entry extension that is not understood spoils the whole list.
    const critical = extensions && readExtensionList(extensions).find((extension) => extension.critical);
    if (critical) foreign = `an entry has the critical extension ${critical.oid}`;
  }
  return foreign ? { revoked, foreign } : { revoked };
}

export function serialKey(serial: Uint8Array): string {
  return Buffer.from(serial).toString('hex');
}

/**
 * Whether a list comes from the past of another. Such a list is behind in number and in date; that of an authority which
 * lost count, or whose clock was set right, is behind in one of them alone.
 */
export function isOlder(list: RevocationList, than: RevocationList): boolean {
  if (!sameName(list.issuer, than.issuer)) return false;
  const [number, before] = [list.number ?? 0n, than.number ?? 0n];
  const isAhead = number > before || list.thisUpdate > than.thisUpdate;
  return !isAhead && (number < before || list.thisUpdate < than.thisUpdate);
}

// RFC 5280 5.2.3
const MOST_NUMBER_OCTETS = 20;

/** What is no number is left to those who mind; one that lacks its sign octet counts all the same. */
function readNumber(extensions: readonly RawExtension[]): bigint | undefined {
  const value = extensions.find(({ oid }) => oid === EXTENSION.crlNumber)?.value ?? new Uint8Array();
  const [tag, length] = value;
  const octets = value.subarray(2);
  const isNumber = tag === TAG.integer && length === octets.length && length > 0 && length <= MOST_NUMBER_OCTETS;
  return isNumber ? BigInt(`0x${Buffer.from(octets).toString('hex')}`) : undefined;
}

function whyUnusable(extensions: readonly RawExtension[], scope: RevocationScope): string | undefined {
  const find = (oid: string) => extensions.find((extension) => extension.oid === oid);
  if (find(EXTENSION.deltaCrlIndicator)) return 'it is a delta CRL';
  if (scope.indirect) return 'it is an indirect CRL';
  const number = find(EXTENSION.crlNumber);
  if (!number || number.critical) return 'it has no CRL number, or a critical one (RFC 5280 5.2.3)';
  const unknown = extensions.find(({ critical, oid }) => critical && !KNOWN_CRITICAL.includes(oid));
  if (unknown) return `it has the unknown critical extension ${unknown.oid}`;
  return undefined;
}

/** RFC 5280 5.2.5 */
function readScope(extensions: readonly RawExtension[]): RevocationScope {
  const extension = extensions.find(({ oid }) => oid === EXTENSION.issuingDistributionPoint);
  if (!extension) return WHOLE;
  const fields = new Fields(readElement(extension.value, TAG.sequence));
  const point = fields.optional(contextTag(0, 'constructed'));
  const leaves = readFlag(fields.optional(contextTag(1, 'primitive')));
  const authorities = readFlag(fields.optional(contextTag(2, 'primitive')));
  const reasons = fields.optional(contextTag(3, 'primitive'));
  const indirect = readFlag(fields.optional(contextTag(4, 'primitive')));
  const attributes = readFlag(fields.optional(contextTag(5, 'primitive')));
  fields.end();
  if (Number(leaves) + Number(authorities) + Number(attributes) > 1) throw new MalformedDer('a scope excludes itself');
  const only = leaves ? 'leaves' : authorities ? 'authorities' : attributes ? 'attributes' : undefined;
  return {
    names: point ? readPointName(point) : [],
    indirect,
    ...(only && { only }),
    ...(reasons && { reasons: readNamedBits(reasons, reasons.tag) }),
  };
}

function readFlag(element: Element | undefined): boolean {
  return element !== undefined && readBoolean({ ...element, tag: TAG.boolean });
}

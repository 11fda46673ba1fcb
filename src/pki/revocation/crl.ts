// Certificate revocation lists (RFC 5280 5). An irregular list (wrong version, no CRL number, unknown critical
// extension, delta) still revokes what it names, but never shows that a certificate is good.
import { type Outcome, refused } from '../../core/outcome.ts';
import { type EpochSeconds, epochSeconds } from '../../core/time.ts';
import { contextTag, type Element, MalformedDer, readElement, readFields, TAG, tryRead, unwrap } from '../der/der.ts';
import { readBoolean, readCount, readNamedBits, readTime } from '../der/der-values.ts';
import { type DistinguishedName, readName, sameName } from '../x509/distinguished-name.ts';
import { EXTENSION, type RawExtension, readExtensionList } from '../x509/extensions.ts';
import { type PointName, readPointName } from '../x509/general-name.ts';
import { readSigned, type Signed } from '../x509/signed.ts';
import { RevokedSerials, type ScannedEntries, scanEntries } from './crl-entries.ts';

export interface RevocationList extends Signed {
  readonly issuer: DistinguishedName;
  readonly thisUpdate: EpochSeconds;
  /** RFC 5280 5.1.2.5 requires it; a list without it is stale immediately. */
  readonly nextUpdate?: EpochSeconds;
  /** Absent if the list has none, or none that RFC 5280 5.2.3 allows. */
  readonly number?: bigint;
  /** Revoked certificates of the list's own issuer. */
  readonly revoked: RevokedSerials;
  /** Revoked certificates of other issuers, in an indirect list. */
  readonly others: readonly RevokedOfOther[];
  readonly scope: RevocationScope;
  readonly isDelta: boolean;
  /** Why the list cannot show that a certificate is good. It still revokes what it names. */
  readonly inconclusive?: string;
}

export interface RevokedOfOther {
  readonly issuer: DistinguishedName;
  readonly revoked: RevokedSerials;
}

interface RevocationScope {
  readonly names: readonly PointName[];
  readonly only?: 'leaves' | 'authorities' | 'attributes';
  /** If present, the only revocation reasons that the list covers. */
  readonly reasons?: ReadonlySet<number>;
  readonly indirect: boolean;
}

/** How far the clock of a CA or responder may be ahead of ours. */
export const CLOCK_SKEW_SECONDS = 300;

/** From when on a list or response dated `thisUpdate` is used. */
export function beginOf({ thisUpdate }: { readonly thisUpdate: EpochSeconds }): EpochSeconds {
  return epochSeconds(thisUpdate - CLOCK_SKEW_SECONDS);
}

const WHOLE: RevocationScope = { names: [], indirect: false };
const KNOWN_CRITICAL: readonly string[] = [EXTENSION.issuingDistributionPoint, EXTENSION.deltaCrlIndicator];

export function unreadable(why: string): string {
  return `the CRL cannot be read: ${why}`;
}

export function readRevocationList(der: Uint8Array): Outcome<RevocationList, string> {
  return readScanned(der);
}

/** `scanned`: the entries, if a worker thread has scanned them already. */
export function readScanned(der: Uint8Array, scanned?: ScannedEntries): Outcome<RevocationList, string> {
  const read = tryRead(() => readList(readElement(der), scanned));
  return read.ok ? read : refused(unreadable(read.refusal));
}

/** The expensive part for a list of a million entries. */
export function scanList(der: Uint8Array): ScannedEntries {
  const { entries, extensions } = readParts(readSigned(readElement(der)).toBeSigned);
  return scanEntries(entries, hasDeltaIndicator(extensions.list));
}

function readList(element: Element, scanned: ScannedEntries | undefined): RevocationList {
  const signed = readSigned(element);
  const { version, innerAlgorithm, issuer, thisUpdate, nextUpdate, entries, extensions } = readParts(signed.toBeSigned);
  const isDelta = hasDeltaIndicator(extensions.list);
  const { own, others, odd } = scanned ?? scanEntries(entries, isDelta);
  const scope = readScope(extensions.list);
  const inconclusive =
    whyOddVersion(version) ?? extensions.odd ?? scope.odd ?? odd ?? whyWithheld(extensions.list, isDelta);
  const number = readNumber(extensions.list);
  return {
    ...signed,
    ...{ issuer, thisUpdate, innerAlgorithm, scope: scope.value, isDelta },
    revoked: new RevokedSerials(entries, own),
    others: others.flatMap(({ issuer: name, table }) => readOther(name, new RevokedSerials(entries, table))),
    ...(number !== undefined && { number }),
    ...(nextUpdate !== undefined && { nextUpdate }),
    ...(inconclusive !== undefined && { inconclusive }),
  };
}

/** Entries for an issuer whose name cannot be parsed match no certificate. */
function readOther(name: Uint8Array, revoked: RevokedSerials): RevokedOfOther[] {
  const [issuer] = readOr(undefined, () => readName(readElement(name)));
  return issuer ? [{ issuer, revoked }] : [];
}

function readParts(toBeSigned: Element) {
  return readFields(toBeSigned, (fields) => ({
    version: fields.optional(TAG.integer),
    innerAlgorithm: fields.next(TAG.sequence).whole,
    issuer: readName(fields.next()),
    thisUpdate: readTime(fields.next()),
    nextUpdate: readNextUpdate(fields.optional(TAG.utcTime, TAG.generalizedTime)),
    entries: fields.optional(TAG.sequence)?.content ?? new Uint8Array(),
    extensions: readExtensions(fields.optional(contextTag(0, 'constructed'))),
  }));
}

function readNextUpdate(time: Element | undefined): EpochSeconds | undefined {
  return time && readTime(time);
}

/** If the extensions cannot be parsed, the list cannot show "good"; it still revokes what it names. */
function readExtensions(wrapped: Element | undefined): { list: readonly RawExtension[]; odd?: string } {
  const [list, odd] = readOr([], () => (wrapped ? readExtensionList(unwrap(wrapped)) : []));
  return odd === undefined ? { list } : { list, odd: `its extensions cannot be read: ${odd}` };
}

function readOr<T>(otherwise: T, read: () => T): [T, string?] {
  const tried = tryRead(read);
  return tried.ok ? [tried.value] : [otherwise, tried.refusal];
}

/** RFC 5280 5.1.2.1: a list without a version is version 1, as written by plain `openssl ca -gencrl`. */
function whyOddVersion(version: Element | undefined): string | undefined {
  const [number] = readOr(undefined, () => (version ? readCount(version) : 0));
  return number === 1 ? undefined : 'it is not version 2';
}

function hasDeltaIndicator(extensions: readonly RawExtension[]): boolean {
  return extensions.some(({ oid }) => oid === EXTENSION.deltaCrlIndicator);
}

/** By number and by date: a CA that lost its counter or corrected its clock is behind in only one of them. */
export function isOlder(list: RevocationList, than: RevocationList): boolean {
  if (!sameName(list.issuer, than.issuer)) return false;
  const [number, before] = [list.number ?? 0n, than.number ?? 0n];
  const isAhead = number > before || list.thisUpdate > than.thisUpdate;
  return !isAhead && (number < before || list.thisUpdate < than.thisUpdate);
}

// RFC 5280 5.2.3
const MAX_NUMBER_OCTETS = 20;

/** An unreadable number counts as absent; one without its sign octet is accepted. */
function readNumber(extensions: readonly RawExtension[]): bigint | undefined {
  const value = extensions.find(({ oid }) => oid === EXTENSION.crlNumber)?.value ?? new Uint8Array();
  const [tag, length] = value;
  const octets = value.subarray(2);
  const isNumber = tag === TAG.integer && length === octets.length && length > 0 && length <= MAX_NUMBER_OCTETS;
  return isNumber ? BigInt(`0x${Buffer.from(octets).toString('hex')}`) : undefined;
}

function whyWithheld(extensions: readonly RawExtension[], isDelta: boolean): string | undefined {
  if (isDelta) return 'it is a delta CRL';
  const number = extensions.find(({ oid }) => oid === EXTENSION.crlNumber);
  const isValid = readNumber(extensions) !== undefined && (number?.value[2] ?? 0) < 0x80;
  if (!isValid || number?.critical) return 'it has no CRL number, or an invalid or critical one (RFC 5280 5.2.3)';
  const unknown = extensions.find(({ critical, oid }) => critical && !KNOWN_CRITICAL.includes(oid));
  return unknown && `it has the unknown critical extension ${unknown.oid}`;
}

/** RFC 5280 5.2.5 */
function readScope(extensions: readonly RawExtension[]): { value: RevocationScope; odd?: string } {
  const extension = extensions.find(({ oid }) => oid === EXTENSION.issuingDistributionPoint);
  if (!extension) return { value: WHOLE };
  const [value, odd] = readOr(WHOLE, () => readIssuingPoint(extension.value));
  return odd === undefined ? { value } : { value, odd: `its scope cannot be read: ${odd}` };
}

function readIssuingPoint(der: Uint8Array): RevocationScope {
  const element = readElement(der);
  if (element.content.length === 0) throw new MalformedDer('it is empty');
  return readFields(element, (fields) => {
    const flag = (number: number) => {
      const found = fields.optional(contextTag(number, 'primitive'));
      return found !== undefined && readBoolean(found, found.tag);
    };
    const point = fields.optional(contextTag(0, 'constructed'));
    const [leaves, authorities] = [flag(1) && 'leaves', flag(2) && 'authorities'] as const;
    const reasons = fields.optional(contextTag(3, 'primitive'));
    const indirect = flag(4);
    const [only, ...others] = [leaves, authorities, flag(5) && ('attributes' as const)].filter(
      (kind) => kind !== false,
    );
    if (others.length > 0) throw new MalformedDer('the scope contradicts itself');
    return {
      names: point ? readPointName(point) : [],
      indirect,
      ...(only && { only }),
      ...(reasons && { reasons: readNamedBits(reasons, reasons.tag) }),
    };
  });
}

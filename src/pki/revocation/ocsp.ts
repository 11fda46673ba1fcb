// OCSP (RFC 6960): the status of one certificate, and whether the responder is authorised to give it.
import { hash } from 'node:crypto';
import { acceptedOf, type Outcome, refused } from '../../core/outcome.ts';
import { type EpochSeconds, earlier, epochSeconds, isoTime } from '../../core/time.ts';
import {
  childrenOf,
  contextTag,
  type Element,
  expectTag,
  type Fields,
  MalformedDer,
  readElement,
  readFields,
  TAG,
  tryRead,
  unwrap,
} from '../der/der.ts';
import { readCount, readInteger, readOid, readTime } from '../der/der-values.ts';
import { type Certificate, readCertificate } from '../x509/certificate.ts';
import { sameName } from '../x509/distinguished-name.ts';
import { type RawExtension, readExtensionList } from '../x509/extensions.ts';
import { DIGESTS } from '../x509/public-key.ts';
import { isSignedBy, readSigned, type Signed } from '../x509/signed.ts';
import { beginOf, CLOCK_SKEW_SECONDS } from './crl.ts';
import type { RevocationAnswer } from './crl-check.ts';

export const OCSP_NONCE = '1.3.6.1.5.5.7.48.1.2';
const OCSP_BASIC = '1.3.6.1.5.5.7.48.1.1';
const OCSP_ACCESS = '1.3.6.1.5.5.7.48.1';
const OCSP_SIGNING = '1.3.6.1.5.5.7.3.9';

// Without nextUpdate, "newer information is always available" (RFC 6960 2.4).
const UNDATED_SECONDS = 600;

export interface OcspResponse extends Omit<Signed, 'innerAlgorithm'> {
  readonly answers: readonly SingleAnswer[];
  readonly nonce?: Uint8Array;
  /** How long a response without a nonce is used; set when it is received. */
  readonly trustedUntil?: EpochSeconds;
  /** Certificates sent with the response; only the delegated responder's is used. */
  readonly certificates: readonly Certificate[];
}

interface SingleAnswer {
  readonly certificateId: CertificateId;
  readonly state: 'good' | 'revoked' | 'unknown';
  readonly thisUpdate: EpochSeconds;
  readonly nextUpdate?: EpochSeconds;
}

interface CertificateId {
  readonly digest: string;
  readonly issuerName: Uint8Array;
  readonly issuerKey: Uint8Array;
  readonly serial: Uint8Array;
}

/** The responder's address in the certificate. Plain http is fine: responses are signed. */
export function responderOf({ known }: Certificate): string | undefined {
  const access = known.authorityInfoAccess?.find(
    ({ method, location }) => method === OCSP_ACCESS && location.kind === 'uri',
  );
  return access?.location.kind === 'uri' ? access.location.value : undefined;
}

export function readOcspResponse(der: Uint8Array): Outcome<OcspResponse, string> {
  const read = tryRead(() => readFields(readElement(der), readResponse));
  return read.ok ? read : refused(`the OCSP response cannot be read: ${read.refusal}`);
}

function readResponse(fields: Fields): OcspResponse {
  const status = readCount(fields.next(), TAG.enumerated);
  if (status !== 0) throw new MalformedDer(`the responder answered with status ${status}`);
  return readFields(unwrap(fields.next(contextTag(0, 'constructed'))), (bytes) => {
    if (readOid(bytes.next()) !== OCSP_BASIC) throw new MalformedDer('it is not a basic OCSP response');
    return readBasic(readElement(bytes.next(TAG.octetString).content, TAG.sequence));
  });
}

function readBasic(element: Element): OcspResponse {
  const [toBeSigned, algorithm, signature, wrapped] = childrenOf(element);
  const content = Buffer.concat([toBeSigned, algorithm, signature].map((part) => part?.whole ?? new Uint8Array()));
  const signed = readSigned({ tag: TAG.sequence, content, whole: content });
  const sent = wrapped ? childrenOf(unwrap(expectTag(wrapped, contextTag(0, 'constructed')))) : [];
  const certificates = acceptedOf(sent.map(({ whole }) => readCertificate(whole)));
  return readFields(signed.toBeSigned, (fields) => {
    fields.optional(contextTag(0, 'constructed'));
    fields.next(); // responder id: the signature identifies the signer better
    readTime(fields.next(TAG.generalizedTime));
    const answers = childrenOf(fields.next(TAG.sequence)).map((answer) => readFields(answer, readSingle));
    const nonce = readMoreExtensions(fields).find(({ oid }) => oid === OCSP_NONCE)?.value;
    return { ...signed, answers, certificates, ...(nonce && { nonce: readElement(nonce, TAG.octetString).content }) };
  });
}

function readMoreExtensions(fields: Fields): readonly RawExtension[] {
  const extensions = fields.optional(contextTag(1, 'constructed'));
  return extensions ? readExtensionList(unwrap(extensions)) : [];
}

const STATES: Readonly<Record<number, SingleAnswer['state']>> = {
  [contextTag(0, 'primitive')]: 'good',
  [contextTag(1, 'constructed')]: 'revoked',
  [contextTag(2, 'primitive')]: 'unknown',
};

function readSingle(fields: Fields): SingleAnswer {
  const certificateId = readFields(fields.next(), readCertificateId);
  const state = STATES[fields.next().tag];
  if (!state) throw new MalformedDer('unknown certificate status');
  const thisUpdate = readTime(fields.next(TAG.generalizedTime));
  const next = fields.optional(contextTag(0, 'constructed'));
  const unknown = readMoreExtensions(fields).find(({ critical }) => critical);
  if (unknown) throw new MalformedDer(`an answer has the critical extension ${unknown.oid}`);
  return { certificateId, state, thisUpdate, ...(next && { nextUpdate: readTime(unwrap(next)) }) };
}

function readCertificateId(fields: Fields): CertificateId {
  const digest = DIGESTS[readOid(expectTag(childrenOf(fields.next(TAG.sequence))[0], TAG.oid))];
  if (!digest) throw new MalformedDer('unknown digest in a certificate id');
  const issuerName = fields.next(TAG.octetString).content;
  const issuerKey = fields.next(TAG.octetString).content;
  return { digest, issuerName, issuerKey, serial: readInteger(fields.next()) };
}

export type JudgeDelegate = (delegate: Certificate) => string | undefined;

/** If there are several answers about a certificate, in one response or in many, "revoked" wins. */
export function checkResponses(
  { certificate, issuer }: { readonly certificate: Certificate; readonly issuer: Certificate },
  responses: readonly OcspResponse[],
  judgeDelegate: JudgeDelegate,
  now: EpochSeconds,
): RevocationAnswer {
  const found = responses.flatMap((response) => {
    const answers = response.answers.filter(({ certificateId }) => isAbout(certificateId, certificate, issuer));
    const objection = answers.length > 0 ? whyNotTrusted(response, issuer, judgeDelegate) : undefined;
    return answers.map((answer) => answered(answer, objection ?? whyStale(answer, response, now), response));
  });
  const none: RevocationAnswer = { state: 'unknown', words: 'there is no OCSP response for it' };
  return found.reduce((worst, answer) => (weightOf(answer) > weightOf(worst) ? answer : worst), found[0] ?? none);
}

/** An "unknown" or untrusted answer does not override a trusted one. */
function weightOf({ state }: RevocationAnswer): number {
  return ['unknown', 'good', 'revoked'].indexOf(state);
}

function answered(
  { state, thisUpdate, nextUpdate }: SingleAnswer,
  objection: string | undefined,
  { trustedUntil }: OcspResponse,
): RevocationAnswer {
  if (objection !== undefined) return { state: 'unknown', words: objection };
  const ends = nextUpdate ?? epochSeconds(thisUpdate + UNDATED_SECONDS);
  return { state, words: `its OCSP responder says ${state}`, until: earlier(ends, trustedUntil ?? ends) };
}

function isAbout(id: CertificateId, certificate: Certificate, issuer: Certificate): boolean {
  if (Buffer.compare(id.serial, certificate.serial) !== 0) return false;
  const name = hash(id.digest, issuer.subject.der, 'buffer');
  const key = hash(id.digest, keyBitsOf(issuer), 'buffer');
  return Buffer.compare(id.issuerName, name) === 0 && Buffer.compare(id.issuerKey, key) === 0;
}

/** RFC 6960 4.1.1: the key bits alone, without the algorithm and the unused-bits octet. */
export function keyBitsOf({ publicKey }: Certificate): Uint8Array {
  const [, bits] = childrenOf(readElement(publicKey.spki));
  return expectTag(bits, TAG.bitString).content.subarray(1);
}

/** RFC 6960 4.2.2.2: signed by the issuer, or by a responder with id-kp-OCSPSigning that the issuer certified. */
function whyNotTrusted(response: OcspResponse, issuer: Certificate, judgeDelegate: JudgeDelegate): string | undefined {
  if (response.algorithm.weak) return `the OCSP response is signed with ${response.algorithm.name}`;
  if (isSignedBy(response, issuer.publicKey)) return undefined;
  const delegate = response.certificates.slice(0, 4).find(({ publicKey }) => isSignedBy(response, publicKey));
  if (!delegate) return 'the OCSP response is not signed by the issuer or its delegate';
  const isCertified = sameName(delegate.issuer, issuer.subject) && isSignedBy(delegate, issuer.publicKey);
  if (!isCertified) return 'the OCSP responder is not certified by the issuer';
  if (!delegate.known.extendedKeyUsage?.includes(OCSP_SIGNING))
    return 'the OCSP responder lacks the key usage OCSPSigning';
  return judgeDelegate(delegate);
}

function whyStale(answer: SingleAnswer, { trustedUntil }: OcspResponse, now: EpochSeconds): string | undefined {
  const { state, thisUpdate, nextUpdate } = answer;
  // A revoked certificate stays revoked, however old the response is.
  if (state === 'revoked') return undefined;
  if (now < beginOf(answer)) return `the OCSP response is not valid before ${isoTime(thisUpdate)}`;
  if (trustedUntil !== undefined && now > trustedUntil) return 'the OCSP response has no nonce and is too old';
  const until = nextUpdate ?? thisUpdate + UNDATED_SECONDS;
  return now > until + CLOCK_SKEW_SECONDS ? 'the OCSP response is stale' : undefined;
}

// The dry run: what was parsed, which issuer and rules matched, which identity resulted. By the judge of requests.
import type { ApprovedIssuer } from '../../core/issuer.ts';
import { acceptedOf } from '../../core/outcome.ts';
import { escapeText } from '../../core/quote.ts';
import { type EpochSeconds, isoTime } from '../../core/time.ts';
import type { Step } from '../../core/verdict.ts';
import { readPemOrDer } from '../der/pem.ts';
import { readRevocationList } from '../revocation/crl.ts';
import { type Certificate, namesOf, readCertificate } from '../x509/certificate.ts';
import { printName } from '../x509/distinguished-name.ts';
import { printKey } from '../x509/public-key.ts';
import { type Judgement, judgeCertificate, type PresentedCertificate } from './judge.ts';

export interface Explanation {
  readonly accepted: boolean;
  readonly at: string;
  readonly refusal?: { readonly reason: string; readonly rule?: string };
  readonly issuer?: string;
  readonly identity?: { readonly source: string; readonly name: string };
  readonly integrations?: readonly string[] | 'all';
  readonly presented: readonly CertificateSummary[];
  readonly steps: readonly Step[];
}

type CertificateSummary = ReturnType<typeof summarize>;

export function explainCertificate(presented: PresentedCertificate): Explanation {
  return explainJudgement(presented, judgeCertificate(presented));
}

export function explainJudgement(
  { chain, now }: Pick<PresentedCertificate, 'chain' | 'now'>,
  judgement: Judgement,
): Explanation {
  const summaries = chain.map(readCertificate).map((read) => (read.ok ? summarize(read.value) : UNREADABLE));
  return { at: isoTime(now), ...concluded(judgement), presented: summaries, steps: judgement.steps };
}

function concluded({ outcome }: Judgement): Omit<Explanation, 'at' | 'presented' | 'steps'> {
  if (!outcome.ok) {
    const { reason, rule } = outcome.refusal;
    return { accepted: false, refusal: { reason, ...(rule && { rule }) } };
  }
  const { issuer, name } = outcome.value;
  return { accepted: true, issuer: issuer.label, identity: name, integrations: issuer.integrations ?? 'all' };
}

const UNREADABLE: CertificateSummary = {
  subject: '(unreadable)',
  issuer: '',
  serial: '',
  validity: '',
  key: '',
  signature: '',
  fingerprint: '',
  names: [],
};

function summarize(certificate: Certificate) {
  const names = Object.entries(namesOf(certificate)).flatMap(([source, values]) =>
    values.map(({ type, value }) => `${source} (${type}): ${escapeText(value)}`),
  );
  return {
    subject: printName(certificate.subject),
    issuer: printName(certificate.issuer),
    serial: Buffer.from(certificate.serial).toString('hex'),
    validity: `${isoTime(certificate.notBefore)} to ${isoTime(certificate.notAfter)}`,
    key: printKey(certificate.publicKey),
    signature: certificate.algorithm.name,
    fingerprint: certificate.fingerprint,
    names,
  };
}

/** For people, one line each; the same content as the JSON. */
export function printExplanation(explanation: Explanation): string[] {
  return [
    ...explanation.presented.flatMap(printSummary),
    `judged as of ${explanation.at}`,
    ...explanation.steps.map(printStep),
    printConclusion(explanation),
  ];
}

function printSummary(summary: CertificateSummary, index: number): string[] {
  return [
    `${index === 0 ? 'leaf' : `sent certificate ${index}`}: ${summary.subject}`,
    `  issued by ${summary.issuer}, serial ${summary.serial}, ${summary.validity}`,
    `  ${summary.key}, signed by ${summary.signature}, SHA-256 ${summary.fingerprint}`,
    ...summary.names.map((name) => `  ${name}`),
  ];
}

/** Also used in the log of a refused request. */
export function printStep({ rule, passed, about, words, setting }: Step): string {
  return `${passed ? 'pass' : 'FAIL'} ${rule} [${about}] ${words}${setting ? ` {${setting}}` : ''}`;
}

function printConclusion({ refusal, issuer, identity, integrations }: Explanation): string {
  if (refusal) return `refused: ${refusal.reason}${refusal.rule ? ` (${refusal.rule})` : ''}`;
  const reach = integrations && `, for ${integrations === 'all' ? 'every integration' : integrations.join(', ')}`;
  return `accepted: ${identity?.source} ${escapeText(identity?.name ?? '')} by issuer ${escapeText(issuer ?? '')}${reach ?? ''}`;
}

/** File contents, PEM or DER, each with any number of blocks. */
export interface CertificateFiles {
  /** The leaf, followed by the other certificates that the caller would send. */
  readonly certificate: Uint8Array;
  readonly chain?: readonly Uint8Array[];
  /** Every certificate in them counts as an approved issuer. */
  readonly issuers: readonly Uint8Array[];
  /** If any is given, CRLs are required, as for an issuer that has files with CRLs. */
  readonly crls?: readonly Uint8Array[];
  readonly settings?: IssuerSettings;
  readonly now: EpochSeconds;
  readonly mostIntermediates?: number;
}

type IssuerSettings = Partial<Omit<ApprovedIssuer, 'certificate' | 'label'>>;

export function explainFiles(files: CertificateFiles): Explanation {
  const { certificate, chain = [], issuers, crls = [], settings, now, mostIntermediates } = files;
  const lists = acceptedOf(crls.flatMap((file) => readPemOrDer(file, 'X509 CRL')).map(readRevocationList));
  const revocation = { crl: crls.length > 0 ? 'required' : 'off', ocsp: 'off', crlFiles: [], endGrants: true } as const;
  const approved = issuers.flatMap((file) => readPemOrDer(file, 'CERTIFICATE'));
  return explainCertificate({
    chain: [certificate, ...chain].flatMap((file) => readPemOrDer(file, 'CERTIFICATE')),
    issuers: approved.map((der, index) => issuerOf(der, `issuer ${index + 1}`, { revocation, ...settings })),
    evidence: { lists, responses: [] },
    now,
    ...(mostIntermediates !== undefined && { mostIntermediates }),
  });
}

/** A file contains only the issuer's certificate; everything else has its default. */
export function issuerOf(certificate: Uint8Array, label: string, settings: IssuerSettings = {}): ApprovedIssuer {
  return {
    label,
    certificate,
    intermediates: [],
    identitySources: ['common-name'],
    identities: 'derived',
    profile: 'rfc5280',
    revocation: { crl: 'off', ocsp: 'off', crlFiles: [], endGrants: true },
    enabled: true,
    ...settings,
  };
}

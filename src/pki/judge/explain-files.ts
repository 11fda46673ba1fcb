// The dry run from files alone, without a running service.
import type { ApprovedIssuer } from '../../core/issuer.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { readPemOrDer } from '../der/pem.ts';
import type { SearchLimits } from '../path/search.ts';
import { readRevocationList } from '../revocation/crl.ts';
import { type Explanation, explainCertificate } from './explain.ts';

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
  readonly limits?: SearchLimits;
}

type IssuerSettings = Partial<Omit<ApprovedIssuer, 'certificate' | 'label'>>;

export function explainFiles({
  certificate,
  chain = [],
  issuers,
  crls = [],
  settings,
  now,
  limits,
}: CertificateFiles): Explanation {
  const lists = crls.flatMap((file) => readPemOrDer(file, 'X509 CRL')).map(readRevocationList);
  const revocation = { crl: crls.length > 0 ? 'required' : 'off', ocsp: 'off', crlFiles: [], endGrants: true } as const;
  const approved = issuers.flatMap((file) => readPemOrDer(file, 'CERTIFICATE'));
  return explainCertificate({
    chain: [certificate, ...chain].flatMap((file) => readPemOrDer(file, 'CERTIFICATE')),
    issuers: approved.map((der, index) => issuerOf(der, `issuer ${index + 1}`, { revocation, ...settings })),
    evidence: { lists: lists.flatMap((list) => (list.ok ? [list.value] : [])), responses: [] },
    now,
    ...(limits && { limits }),
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

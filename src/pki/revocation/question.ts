import type { ApprovedIssuer } from '../../core/issuer.ts';
import type { EpochSeconds } from '../../core/time.ts';
import type { Path } from '../path/path.ts';
import type { Candidate } from '../x509/candidate.ts';
import type { RevocationList } from './crl.ts';
import type { OcspResponse } from './ocsp.ts';

/** The parsed revocation data available at a given time. */
export interface RevocationEvidence {
  readonly lists: readonly RevocationList[];
  readonly responses: readonly OcspResponse[];
}

export interface RevocationQuestion {
  readonly path: Path;
  /** Certificates beside the path, sent or registered; a separate CRL signer may be among them. */
  readonly pool: readonly Candidate[];
  readonly issuer: ApprovedIssuer;
  readonly evidence: RevocationEvidence;
  readonly now: EpochSeconds;
}

import type { IdentitySource } from '../../src/core/certificate.ts';
import type { CertificateOptions } from '../authority.ts';

/** A certificate with a name that somebody could use to pass for someone else, and the verdict on it. */
export interface Hostile {
  readonly what: string;
  readonly from: IdentitySource | readonly IdentitySource[];
  readonly made: CertificateOptions;
  readonly verdict: string;
}

type Told = readonly [what: string, made: CertificateOptions, verdict: string];

export function hostileFrom(from: Hostile['from'], rows: readonly Told[]): Hostile[] {
  return rows.map(([what, made, verdict]) => ({ what, from, made, verdict }));
}

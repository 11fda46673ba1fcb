// Most tests of pki/ use this: with these approved issuers and these presented certificates, what is the verdict?
import type { ApprovedIssuer } from '../../src/core/issuer.ts';
import { epochSeconds } from '../../src/core/time.ts';
import { issuerOf } from '../../src/pki/judge/explain.ts';
import { type Judgement, judgeCertificate } from '../../src/pki/judge/judge.ts';
import { readRevocationList } from '../../src/pki/revocation/crl.ts';

export const NOW = epochSeconds(Date.parse('2026-11-15T12:00:00Z') / 1000);

export const CRL_REQUIRED: ApprovedIssuer['revocation'] = {
  crl: 'required',
  ocsp: 'off',
  crlFiles: [],
  endGrants: true,
};

export function approve(
  { certificate }: { readonly certificate: Uint8Array },
  settings: Partial<Omit<ApprovedIssuer, 'certificate' | 'label'>> = {},
): ApprovedIssuer {
  return issuerOf(certificate, 'TEST', settings);
}

export interface Question {
  readonly chain: readonly Uint8Array[];
  readonly issuers: readonly ApprovedIssuer[];
  readonly crls?: readonly Uint8Array[];
  readonly now?: typeof NOW;
}

export function judge({ chain, issuers, crls = [], now = NOW }: Question): Judgement {
  const lists = crls.map(readRevocationList).flatMap((list) => (list.ok ? [list.value] : []));
  return judgeCertificate({ chain, issuers, evidence: { lists, responses: [] }, now });
}

/** `accepted NAME`, or the reason with its rule. */
export function verdict(question: Question): string {
  return worded(judge(question));
}

export function worded({ outcome }: Judgement): string {
  if (outcome.ok) return `accepted ${outcome.value.name.name}`;
  const { reason, rule } = outcome.refusal;
  return rule ? `${reason}: ${rule}` : reason;
}

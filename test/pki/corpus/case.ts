// One case of the corpus: the presented certificates, the approved issuers, and the verdict required by the standard or the project.
import type { ApprovedIssuer } from '../../../src/core/issuer.ts';
import { type Authority, type CertificateOptions, type Issued, makeAuthority } from '../../authority.ts';
import { ecKeys } from '../../signed-der.ts';
import { approve } from '../approved.ts';

export interface Case {
  /** The clause that decides, such as `RFC 5280 4.1.2.2`; `T` stands for a rule of this project. In a row, `4.1.2.2` is enough. */
  readonly clause: string;
  readonly what: string;
  /** DER, leaf first, in the order of sending. */
  readonly chain: readonly Uint8Array[];
  /** The private key of the leaf, in PEM. */
  readonly key: string;
  readonly issuers: readonly ApprovedIssuer[];
  readonly lists?: readonly Uint8Array[];
  /** The response of the OCSP responder to every request. */
  readonly answer?: Uint8Array;
  readonly verdict: string;
  /** Why TLS itself ends the handshake before the certificate is judged. Such a case must be a refusal. */
  readonly noHandshake?: string;
}

export type Profile = ApprovedIssuer['profile'];
type Settings = Partial<Omit<ApprovedIssuer, 'certificate' | 'label'>>;

/** One line of a table: a leaf under the shared root, judged by the default profile and, if given, by `strict`. */
export interface Row {
  readonly clause: string;
  readonly what: string;
  readonly leaf?: CertificateOptions;
  /** A complete certificate, for cases that options cannot express. */
  readonly made?: () => Issued;
  readonly by?: Authority;
  /** The approved issuer, if not the shared root. */
  readonly approved?: Authority;
  readonly settings?: Settings;
  readonly verdict: string;
  readonly strict?: string;
  readonly noHandshake?: string;
}

export const ACCEPTED = 'accepted caller';
export const UNREADABLE = 'certificate-unreadable: readable';
export const NOT_APPROVED = 'certificate-issuer-not-approved: issuer-approved';

export function byRule(rule: string): string {
  return `certificate-refused-by-policy: ${rule}`;
}

type Told<R> = readonly [clause: string, what: string, rest: R, verdict: string];

/** The rows of a table. */
export function told<R extends object>(rows: readonly Told<R>[]) {
  return rows.map(([clause, what, rest, verdict]) => ({ clause, what, verdict, ...rest }));
}

/** Shared, because most cases are not about keys. */
const LEAF_KEYS = ecKeys();
const ROOT_KEYS = ecKeys();
const MIDDLE_KEYS = ecKeys();
export const ROOT = makeAuthority({ name: 'Corpus Root', keys: ROOT_KEYS });

/** A separate root, for cases about roots. */
export function rootWith(options: Parameters<typeof makeAuthority>[0]): Authority {
  return makeAuthority({ name: 'Corpus Root', keys: ROOT_KEYS, ...options });
}

export function below(options: Parameters<Authority['makeIntermediate']>[0] = {}, above: Authority = ROOT): Authority {
  return above.makeIntermediate({ name: 'Corpus Intermediate', keys: MIDDLE_KEYS, ...options });
}

export function issue(options: CertificateOptions = {}, by: Authority = ROOT): Issued {
  return by.issue({ keys: LEAF_KEYS, ...options });
}

export function casesOf(rows: readonly Row[]): Case[] {
  return rows.flatMap((row) => [
    caseOf(row, 'rfc5280', row.verdict),
    ...(row.strict === undefined ? [] : [caseOf(row, 'strict', row.strict)]),
  ]);
}

function caseOf(row: Row, profile: Profile, verdict: string): Case {
  const { clause, by = ROOT, approved = by, noHandshake } = row;
  const issued = row.made?.() ?? issue(row.leaf, by);
  const suffix = row.strict === undefined ? '' : `, profile ${profile}`;
  return {
    clause: /^\d/.test(clause) ? `RFC 5280 ${clause}` : clause,
    what: `${row.what}${suffix}`,
    chain: issued.chain,
    key: issued.key,
    issuers: [approve(approved, { profile, ...row.settings })],
    verdict,
    ...(noHandshake && { noHandshake }),
  };
}

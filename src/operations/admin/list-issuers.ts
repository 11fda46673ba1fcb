import { X509Certificate } from 'node:crypto';
import type { ApprovedIssuer } from '../../core/issuer.ts';
import { accept } from '../../core/outcome.ts';
import { rows } from '../../store/pages.ts';
import { issuers } from '../../store/tables/issuers.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';

/** An issuer as operators see it: its settings, and the facts of its certificate. */
export interface ListedIssuer extends Omit<ApprovedIssuer, 'certificate' | 'intermediates'> {
  readonly subject: string;
  /** A date, such as 2030-01-31. */
  readonly expires: string;
  /** SHA-256 of the certificate. */
  readonly fingerprint: string;
  /** How many intermediates are stored with it. */
  readonly intermediates: number;
}

/** The approved issuers; with `all`, withdrawn ones too. */
export async function listIssuers(
  { all = false }: { readonly all?: boolean },
  { store }: Pick<AdminPorts, 'store'>,
): Promise<readonly ListedIssuer[]> {
  const found = await Array.fromAsync(rows(store, issuers));
  return found.filter(({ enabled }) => all || enabled).map(listedIssuer);
}

/** One issuer, approved or withdrawn. */
export async function findIssuer(
  label: string,
  { store }: Pick<AdminPorts, 'store'>,
): Promise<AdminOutcome<ListedIssuer>> {
  const { found } = await store.load(issuers, label);
  return found ? accept(listedIssuer(found.row)) : decline('issuer-unknown', label);
}

export function listedIssuer({ certificate, intermediates, ...issuer }: ApprovedIssuer): ListedIssuer {
  const { subject, validTo, fingerprint256 } = new X509Certificate(certificate);
  return {
    ...issuer,
    subject: subject.replaceAll('\n', ', '),
    expires: new Date(validTo).toISOString().slice(0, 10),
    fingerprint: fingerprint256,
    intermediates: intermediates.length,
  };
}

import type { ApprovedIssuer, RevocationPolicy } from '../../core/issuer.ts';
import { accept } from '../../core/outcome.ts';
import { readPem } from '../../pki/der/pem.ts';
import { readCertificate } from '../../pki/x509/certificate.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import {
  draftedRevocation,
  type IssuerDraft,
  objectionToSettings,
  type RevocationDraft,
  readAuthorities,
  withoutDefaults,
} from './issuer-draft.ts';
import { changedBetween, type Decide, ending, perform } from './perform.ts';

/** What is absent stays. An empty list removes the list. */
export interface IssuerChange extends Partial<Omit<IssuerDraft, 'label' | 'revocation'>> {
  readonly revocation: Partial<RevocationDraft>;
}

/** Changes an approved issuer. The whole of it is checked as if it were approved now; its key must stay the same. */
export async function changeIssuer(
  label: string,
  change: IssuerChange,
  ports: AdminPorts,
): Promise<AdminOutcome<ApprovedIssuer>> {
  return perform('issuer', label, ports, changing(label, change));
}

export function changing(label: string, change: IssuerChange): Decide<'issuer'> {
  return (row, at) => {
    if (!row?.enabled) return decline('issuer-unknown', label);
    const next = changed(row, change);
    if (!next.ok) return next;
    const objection = objectionToSettings(next.value);
    if (objection) return objection;
    const { certificate, intermediates } = next.value;
    const chain = readAuthorities([certificate, ...intermediates], next.value, at);
    if (!chain.ok) return chain;
    if (!isSameKey(row.certificate, certificate)) return decline('issuer-key-differs', label);
    return accept({ next: next.value, deed: { did: 'changed', ...changedBetween(row, next.value) } });
  };
}

function changed(before: ApprovedIssuer, change: IssuerChange): AdminOutcome<ApprovedIssuer> {
  const { pem, revocation: revocationChange, ...rest } = change;
  const revocation = changedRevocation(before.revocation, revocationChange);
  if (!revocation.ok) return revocation;
  const [certificate, ...intermediates] = pem === undefined ? [] : readPem(pem, 'CERTIFICATE');
  if (pem !== undefined && !certificate) return decline('certificate-unreadable', 'no certificate');
  const next = { ...before, ...rest, revocation: revocation.value, ...(certificate && { certificate, intermediates }) };
  return accept(withoutDefaults(next));
}

function changedRevocation(before: RevocationPolicy, change: Partial<RevocationDraft>): AdminOutcome<RevocationPolicy> {
  const { crlFiles: files, ...rest } = change;
  const { crlFiles: paths, ...kept } = before;
  // As for a new issuer: a list that is named on purpose is required.
  const crl = rest.crl ?? (files && files.length > 0 ? 'required' : before.crl);
  const drafted = draftedRevocation({ ...kept, ...rest, crl, crlFiles: files ?? [] });
  return drafted.ok && !files ? accept({ ...drafted.value, crlFiles: paths }) : drafted;
}

function isSameKey(one: Uint8Array, other: Uint8Array): boolean {
  const [known, given] = [readCertificate(one), readCertificate(other)];
  return known.ok && given.ok && Buffer.compare(known.value.publicKey.spki, given.value.publicKey.spki) === 0;
}

/** Its certificates no longer authorize. The row stays, so that the list of all issuers shows who had the label. */
export function withdrawIssuer(label: string, ports: AdminPorts): Promise<AdminOutcome<ApprovedIssuer>> {
  return perform('issuer', label, ports, (row, at) =>
    row?.enabled ? ending('issuer', row, { did: 'withdrawn' }, at) : decline('issuer-unknown', label),
  );
}

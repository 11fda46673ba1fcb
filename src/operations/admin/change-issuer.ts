import type { ApprovedIssuer, RevocationPolicy } from '../../core/issuer.ts';
import { accept } from '../../core/outcome.ts';
import { readPem } from '../../pki/der/pem.ts';
import { readCertificate } from '../../pki/x509/certificate.ts';
import type { Decision } from '../../store/store.ts';
import { issuers } from '../../store/tables/issuers.ts';
import { type AdminOutcome, type AdminPorts, administered, decline } from './admin.ts';
import { draftedRevocation, type IssuerDraft, type RevocationDraft, readAuthorities } from './issuer-draft.ts';

/** What is absent stays. An empty list of curves, integrations or addresses removes the list. */
export interface IssuerChange extends Partial<Omit<IssuerDraft, 'label' | 'revocation'>> {
  readonly revocation: Partial<RevocationDraft>;
}

/** Changes an approved issuer. The whole of it is checked as if it were approved now; its key must stay the same. */
export async function changeIssuer(
  label: string,
  change: IssuerChange,
  { store, by }: AdminPorts,
): Promise<AdminOutcome<ApprovedIssuer>> {
  const now = await store.now();
  return store.change(issuers, label, (found, at): Decision<ApprovedIssuer, AdminOutcome<ApprovedIssuer>> => {
    if (!found?.row.enabled) return { outcome: decline('issuer-unknown', label) };
    const next = changed(found.row, change);
    if (!next.ok) return { outcome: next };
    const { certificate, intermediates } = next.value;
    const chain = readAuthorities([certificate, ...intermediates], next.value, now);
    if (!chain.ok) return { outcome: chain };
    if (!isSameKey(found.row.certificate, certificate)) return { outcome: decline('issuer-key-differs', label) };
    const detail = { issuer: label, changed: namesOf(change).join(', ') };
    return { outcome: next, next: next.value, events: [administered('issuer changed', { at, by, detail })] };
  });
}

function changed(before: ApprovedIssuer, change: IssuerChange): AdminOutcome<ApprovedIssuer> {
  const { pem, revocation: revocationChange, ...rest } = change;
  const revocation = changedRevocation(before.revocation, revocationChange);
  if (!revocation.ok) return revocation;
  const [certificate, ...intermediates] = pem === undefined ? [] : readPem(pem, 'CERTIFICATE');
  if (pem !== undefined && !certificate) return decline('certificate-unreadable', 'no certificate');
  const { curves, integrations, ...next } = { ...before, ...rest, revocation: revocation.value };
  return accept({
    ...next,
    ...(certificate && { certificate, intermediates }),
    ...(curves && curves.length > 0 && { curves }),
    ...(integrations && integrations.length > 0 && { integrations }),
  });
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

function namesOf({ revocation, ...rest }: IssuerChange): string[] {
  return [...Object.keys(rest), ...Object.keys(revocation)].map((name) => (name === 'pem' ? 'certificate' : name));
}

import { isLabel } from '../../core/identity.ts';
import type { ApprovedIssuer } from '../../core/issuer.ts';
import { accept } from '../../core/outcome.ts';
import { readPem } from '../../pki/der/pem.ts';
import { tokenIssuers } from '../../store/tables/token-issuers.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import {
  draftedRevocation,
  type IssuerDraft,
  objectionToSettings,
  readAuthorities,
  sameKey,
  withoutDefaults,
} from './issuer-draft.ts';
import { type Decide, perform } from './perform.ts';

/** Contract 5.4: approves an issuer, pinned by its key. It must be a CA (CVE-2025-6037). */
export async function approveIssuer(draft: IssuerDraft, ports: AdminPorts): Promise<AdminOutcome<ApprovedIssuer>> {
  const decide = await approving(draft, ports);
  return decide.ok ? perform('issuer', draft.label, ports, decide.value) : decide;
}

export async function approving(draft: IssuerDraft, ports: AdminPorts): Promise<AdminOutcome<Decide<'issuer'>>> {
  const { pem, revocation: revocationDraft, ...rest } = draft;
  if (!isLabel(rest.label)) return decline('label-malformed', rest.label);
  if ((await ports.store.load(tokenIssuers, rest.label)).found) return decline('label-taken', rest.label);
  const objection = objectionToSettings(rest);
  if (objection) return objection;
  const revocation = draftedRevocation(revocationDraft);
  if (!revocation.ok) return revocation;
  const chain = readAuthorities(readPem(pem, 'CERTIFICATE'), rest, await ports.store.now());
  if (!chain.ok) return chain;
  const [authority, ...intermediates] = chain.value;
  if (!authority) return decline('certificate-unreadable', 'no certificate');
  const namesake = await sameKey(authority, rest.label, ports);
  if (namesake) return decline('issuer-key-approved', namesake.label);
  const certificates = { certificate: authority.der, intermediates: intermediates.map(({ der }) => der) };
  const issuer = withoutDefaults({ ...rest, revocation: revocation.value, ...certificates, enabled: true });
  return accept((row) =>
    row?.enabled
      ? decline('issuer-exists', issuer.label)
      : accept({ next: issuer, deed: { did: 'approved', fingerprint: authority.fingerprint } }),
  );
}

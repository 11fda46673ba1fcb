import { isLabel } from '../../core/identity.ts';
import { accept } from '../../core/outcome.ts';
import type { TokenIssuer } from '../../core/token-issuer.ts';
import { rows } from '../../store/pages.ts';
import { integrations } from '../../store/tables/integrations.ts';
import { issuers } from '../../store/tables/issuers.ts';
import { tokenIssuers } from '../../store/tables/token-issuers.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import { changedBetween, type Decide, ending, perform } from './perform.ts';
import { draftedTokenIssuer, type TokenIssuerDraft } from './token-issuer-draft.ts';

type TokenIssuerOutcome = AdminOutcome<TokenIssuer>;

/** `ourIssuer`: our own tokens are never assertions. */
export async function registerTokenIssuer(
  named: Pick<TokenIssuer, 'label' | 'issuer'>,
  draft: TokenIssuerDraft,
  ports: AdminPorts & { readonly ourIssuer: string },
): Promise<TokenIssuerOutcome> {
  const { label } = named;
  const decide = await registering(named, draft, ports);
  return decide.ok ? perform('token-issuer', label, ports, decide.value) : decide;
}

export async function registering(
  named: Pick<TokenIssuer, 'label' | 'issuer'>,
  draft: TokenIssuerDraft,
  ports: AdminPorts & { readonly ourIssuer: string },
): Promise<AdminOutcome<Decide<'token-issuer'>>> {
  const { label, issuer } = named;
  if (!isLabel(label)) return decline('label-malformed', label);
  if (issuer === ports.ourIssuer) return decline('token-issuer-ours', issuer);
  const drafted = draftedTokenIssuer(named, draft);
  if (!drafted.ok) return drafted;
  if ((await ports.store.load(integrations, issuer)).found) return decline('client-id-of-token-issuer', issuer);
  if ((await ports.store.load(issuers, label)).found) return decline('label-taken', label);
  const namesake = await tokenIssuerOf(issuer, ports);
  if (namesake && namesake.label !== label) return decline('token-issuer-registered', namesake.label);
  const next = drafted.value;
  return accept((row) =>
    row?.enabled
      ? decline('token-issuer-exists', label)
      : accept({ next, deed: { did: 'added', issuer, rules: next.rules.length } }),
  );
}

/** Changes what the draft names. `iss` stays: another one would be somebody else under the same label. */
export function changeTokenIssuer(
  label: string,
  draft: TokenIssuerDraft,
  ports: AdminPorts,
): Promise<TokenIssuerOutcome> {
  return perform('token-issuer', label, ports, changing(label, draft));
}

export function changing(label: string, draft: TokenIssuerDraft): Decide<'token-issuer'> {
  return (row) => {
    if (!row?.enabled) return decline('token-issuer-unknown', label);
    const drafted = draftedTokenIssuer(row, draft, row);
    if (!drafted.ok) return drafted;
    return accept({ next: drafted.value, deed: { did: 'changed', ...changedBetween(row, drafted.value) } });
  };
}

/** Its assertions are no longer accepted. The row stays, so that the list of all shows who had the label. */
export function removeTokenIssuer(label: string, ports: AdminPorts): Promise<TokenIssuerOutcome> {
  return perform('token-issuer', label, ports, (row, at) =>
    row?.enabled ? ending('token-issuer', row, { did: 'removed' }, at) : decline('token-issuer-unknown', label),
  );
}

/** The one with this `iss`: with two labels, an assertion would have two identities. */
export async function tokenIssuerOf(issuer: string, { store }: Pick<AdminPorts, 'store'>) {
  for await (const known of rows(store, tokenIssuers)) {
    if (known.enabled && known.issuer === issuer) return known;
  }
  return undefined;
}

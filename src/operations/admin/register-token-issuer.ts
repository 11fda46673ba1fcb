import { accept } from '../../core/outcome.ts';
import type { TokenIssuer } from '../../core/token-issuer.ts';
import { rows } from '../../store/pages.ts';
import type { Decision } from '../../store/store.ts';
import { issuers } from '../../store/tables/issuers.ts';
import { tokenIssuers } from '../../store/tables/token-issuers.ts';
import { type AdminOutcome, type AdminPorts, administered, decline } from './admin.ts';
import { isLabel } from './label.ts';
import { draftedTokenIssuer, type TokenIssuerDraft } from './token-issuer-draft.ts';

type TokenIssuerOutcome = AdminOutcome<TokenIssuer>;
type TokenIssuerDecision = Decision<TokenIssuer, TokenIssuerOutcome>;

/** `ourIssuer`: our own tokens are never assertions. */
export async function registerTokenIssuer(
  named: Pick<TokenIssuer, 'label' | 'issuer'>,
  draft: TokenIssuerDraft,
  ports: AdminPorts & { readonly ourIssuer: string },
): Promise<TokenIssuerOutcome> {
  const { label, issuer } = named;
  if (!isLabel(label)) return decline('label-malformed', label);
  if (issuer === ports.ourIssuer) return decline('token-issuer-ours', issuer);
  const drafted = draftedTokenIssuer(named, draft);
  if (!drafted.ok) return drafted;
  if ((await ports.store.load(issuers, label)).found) return decline('label-taken', label);
  const namesake = await sameIssuer(named, ports);
  if (namesake) return decline('token-issuer-registered', namesake.label);
  const next = drafted.value;
  return ports.store.change(tokenIssuers, label, (found, at): TokenIssuerDecision => {
    if (found?.row.enabled) return { outcome: decline('token-issuer-exists', label) };
    const event = administered('token issuer added', { at, by: ports.by, detail: detailOf(next) });
    return { outcome: drafted, next, events: [event] };
  });
}

/** Changes what the draft names. `iss` stays: another one would be somebody else under the same label. */
export function changeTokenIssuer(
  label: string,
  draft: TokenIssuerDraft,
  { store, by }: AdminPorts,
): Promise<TokenIssuerOutcome> {
  return store.change(tokenIssuers, label, (found, at): TokenIssuerDecision => {
    if (!found?.row.enabled) return { outcome: decline('token-issuer-unknown', label) };
    const drafted = draftedTokenIssuer(found.row, draft, found.row);
    if (!drafted.ok) return { outcome: drafted };
    const event = administered('token issuer changed', { at, by, detail: detailOf(drafted.value) });
    return { outcome: drafted, next: drafted.value, events: [event] };
  });
}

/** Its assertions are no longer accepted. The row stays, so that the list of all shows who had the label. */
export function removeTokenIssuer(label: string, { store, by }: AdminPorts): Promise<TokenIssuerOutcome> {
  return store.change(tokenIssuers, label, (found, at): TokenIssuerDecision => {
    if (!found?.row.enabled) return { outcome: decline('token-issuer-unknown', label) };
    const next: TokenIssuer = { ...found.row, enabled: false };
    const event = administered('token issuer removed', { at, by, detail: detailOf(next) });
    return { outcome: accept(next), next, events: [event] };
  });
}

function detailOf({ label, issuer, rules }: TokenIssuer) {
  return { tokenIssuer: label, issuer, rules: rules.length };
}

/** With one `iss` under two labels, one assertion would have two identities. */
async function sameIssuer({ label, issuer }: Pick<TokenIssuer, 'label' | 'issuer'>, { store }: AdminPorts) {
  for await (const known of rows(store, tokenIssuers)) {
    if (known.enabled && known.label !== label && known.issuer === issuer) return known;
  }
  return undefined;
}

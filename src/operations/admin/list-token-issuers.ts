import { accept } from '../../core/outcome.ts';
import type { TokenIssuer } from '../../core/token-issuer.ts';
import { rows } from '../../store/pages.ts';
import { tokenIssuers } from '../../store/tables/token-issuers.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';

/** The registered token issuers; with `all`, removed ones too. */
export async function listTokenIssuers(
  { all = false }: { readonly all?: boolean },
  { store }: Pick<AdminPorts, 'store'>,
): Promise<readonly TokenIssuer[]> {
  const found = await Array.fromAsync(rows(store, tokenIssuers));
  return found.filter(({ enabled }) => all || enabled);
}

/** One token issuer, registered or removed. */
export async function findTokenIssuer(
  label: string,
  { store }: Pick<AdminPorts, 'store'>,
): Promise<AdminOutcome<TokenIssuer>> {
  const { found } = await store.load(tokenIssuers, label);
  return found ? accept(found.row) : decline('token-issuer-unknown', label);
}

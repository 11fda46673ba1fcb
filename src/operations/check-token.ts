import { accept, type Outcome, refuse } from '../core/outcome.ts';
import { type CheckedAccess, decideCheck } from '../core/rules/access.ts';
import { grants } from '../store/tables/grants.ts';
import { isAccessTokenOf } from '../tokens/pair.ts';
import { type AccessToken, parseAccessToken } from '../tokens/token-text.ts';
import type { Ports } from './ports.ts';

export interface CheckedToken extends CheckedAccess {
  readonly token: AccessToken;
}

/** What an access token allows at this moment. Always asks the store: after a revocation nothing is cached anywhere. */
export async function checkToken(accessToken: string, ports: Ports): Promise<Outcome<CheckedToken>> {
  const token = parseAccessToken(accessToken, ports.keyring);
  if (!token) return refuse('access-token-not-authentic');
  const { found, now } = await ports.store.load(grants, token.grantId);
  const grant = found && isAccessTokenOf(token, found.row) ? found.row : undefined;
  const integration = grant && ports.registry.integration(grant.clientId);
  const facts = {
    token,
    grant,
    holder: found?.companion,
    integration,
    settings: ports.settings,
    now,
  };
  const decision = decideCheck(facts);
  return decision.ok ? accept({ ...decision.value, token }) : decision;
}

import type { IdentityState } from '../feed.ts';
import type { Identity } from '../identity.ts';
import type { ClientId, Integration } from '../integration.ts';
import { whyNotAllowed } from './identity.ts';

/** What an identity may use. Undefined: it no longer exists. */
export function identityAccess(
  identity: Identity | undefined,
  integrations: readonly Integration[],
): Pick<IdentityState, 'isAllowed' | 'except'> {
  const refused: ClientId[] = [];
  for (const integration of integrations) {
    const reason = whyNotAllowed(identity, integration);
    // Every other reason holds for all integrations.
    if (reason === 'identity-without-integration-access') refused.push(integration.clientId);
    else if (reason) return { isAllowed: false, except: [] };
  }
  return { isAllowed: identity !== undefined, except: refused };
}

import type { Identity } from '../identity.ts';
import type { Integration } from '../integration.ts';
import type { SharedReason } from '../refusal.ts';

/** Why this identity may not have a token for this integration; undefined if it may. */
export function whyNotAllowed(identity: Identity | undefined, integration: Integration): SharedReason | undefined {
  if (!identity) return 'identity-unknown';
  if (!identity.enabled) return 'identity-disabled';
  if (!identity.mayUseApi) return 'identity-without-api-access';
  if (!isNamed(identity, integration)) return 'identity-without-integration-access';
  return undefined;
}

function isNamed(identity: Identity, { access }: Integration): boolean {
  if (access.to === 'everyone') return true;
  return access.identities.includes(identity.id) || identity.groups.some((group) => access.groups.includes(group));
}

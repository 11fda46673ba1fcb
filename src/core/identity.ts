import type { Integration } from './integration.ts';
import type { RefusalReason } from './refusal.ts';

/** `<provider label>:<id>`, the id a braced GUID or a hex string (spec 2.1). */
export type IdentityId = string & { readonly is: 'identity id' };

export interface Identity {
  readonly id: IdentityId;
  readonly enabled: boolean;
  /** Spec 5.4: the identity so mapped is authorized to use the web API. */
  readonly mayUseApi: boolean;
  readonly groups: readonly string[];
  /** How its directory knows it. Each is absent where the directory has none. */
  readonly userName?: string;
  readonly email?: string;
  readonly upn?: string;
}

const GUID = '\\{[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\\}';
const IDENTITY_ID = new RegExp(`^[A-Za-z][A-Za-z0-9_.+-]{0,63}:(?:${GUID}|(?:[0-9a-f]{2}){1,64})$`);

export function parseIdentityId(text: string): IdentityId | undefined {
  return IDENTITY_ID.test(text) ? (text as IdentityId) : undefined;
}

/** Why this identity may not hold a token of this integration, if so. */
export function whyNotAllowed(identity: Identity | undefined, integration: Integration): RefusalReason | undefined {
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

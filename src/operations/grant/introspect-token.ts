import { tokenId } from '../../core/grant.ts';
import { isLocal } from '../../core/identity.ts';
import type { ResourceServer } from '../../core/resource-server.ts';
import { scopeSeenBy } from '../../core/rules/audience.ts';
import type { Scope } from '../../core/scope.ts';
import type { EpochSeconds } from '../../core/time.ts';
import type { Ports } from '../ports.ts';
import { type CheckedToken, checkToken } from './check-token.ts';

/** What a resource server learns of a live access token. */
export interface Introspection extends Pick<CheckedToken, 'grant' | 'boundTo' | 'jkt' | 'issuedAt'> {
  /** Limited to what the resource server serves. */
  readonly scope: Scope;
  /** Of a person. */
  readonly userName: string | undefined;
  readonly tokenId: string;
  readonly expiresAt: EpochSeconds;
}

/** RFC 7662. Undefined for anything but a live access token for this resource server, which does not learn why. */
export async function introspectToken(
  token: string,
  server: ResourceServer,
  ports: Ports,
): Promise<Introspection | undefined> {
  const checked = await checkToken(token, ports);
  if (!checked.ok) return undefined;
  const { grant, holder, boundTo, jkt, issuedAt, token: read } = checked.value;
  const scope = scopeSeenBy(server, checked.value.scope, read.audience ?? grant.resource);
  if (!scope) return undefined;
  const { generation, expiresAt } = read;
  // Identities that are derived from certificates are machines.
  const userName = isLocal(holder) ? holder.userName : undefined;
  return { grant, scope, userName, tokenId: tokenId(grant, generation), boundTo, jkt, issuedAt, expiresAt };
}

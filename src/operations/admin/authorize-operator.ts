import type { Author } from '../../core/act.ts';
import type { Origin } from '../../core/grant.ts';
import type { Identity } from '../../core/identity.ts';
import type { ClientId } from '../../core/integration.ts';
import { accept, type Outcome, refuse } from '../../core/outcome.ts';
import type { StrongProof } from '../../core/person.ts';
import type { Refusal } from '../../core/refusal.ts';
import {
  includes,
  isForAdministration,
  isOwner,
  isRecent,
  limitOf,
  OPERATORS,
  ownerPermission,
  type Permission,
  permissionOf,
  VIEWERS,
} from '../../core/rules/operator.ts';
import { parseScope } from '../../core/scope.ts';
import { type CheckedToken, checkToken } from '../grant/check-token.ts';
import type { Presentation } from '../grant/identify-caller.ts';
import { isForUs, isPresentedRightly } from '../grant/identify-resource-server.ts';
import type { CallerPorts } from '../ports.ts';
import { type AdminRefusal, decline } from './admin.ts';

export interface Operator {
  readonly holder: Identity;
  readonly clientId: string;
  readonly grantId: string;
  /** Of an owner: the only integrations that it concerns. */
  readonly owned?: readonly ClientId[];
  readonly by: Author;
}

/** Who sends this access token, if it allows what is needed. */
export async function authorizeOperator(
  accessToken: string,
  needed: Permission,
  presentation: Presentation,
  ports: CallerPorts,
  overLimit?: Parameters<typeof checkToken>[2],
): Promise<Outcome<Operator, Refusal | AdminRefusal>> {
  const checked = await checkToken(accessToken, ports, overLimit);
  if (!checked.ok) return checked;
  const { grant, holder, scope, token, boundTo, now, issuedAt } = checked.value;
  if (!isOurs(checked.value, ports)) return decline('token-for-others', '');
  if (!(await isPresentedRightly(checked.value, presentation, ports))) return decline('token-bound-elsewhere', '');
  if (!isRecent({ now, issuedAt, expiresAt: token.expiresAt, createdAt: grant.createdAt }))
    return refuse('access-token-expired');
  const isWithCertificate = boundTo !== undefined || token.generation === 0;
  const proven = { scope, origin: grant.origin, isWithCertificate };
  const held = permissionOf({ ...proven, groups: holder.groups });
  const theirs = () => ports.registry.integrations.filter((each) => isOwner(holder, each));
  const owned = includes(held, needed) ? undefined : theirs().map(({ clientId }) => clientId);
  const asOwner = ownerPermission(proven);
  if (owned && (owned.length === 0 || !includes(asOwner, needed))) {
    const limit = limitOf({ scope, groups: holder.groups }, needed);
    // Owners are not told to become operators.
    return lacking(owned.length > 0 && limit === 'group' ? 'proof' : limit, needed);
  }
  const by = { as: 'identity', id: holder.id, proof: proofOf(grant.origin) } as const;
  return accept({ holder, clientId: grant.clientId, grantId: grant.id, by, ...(owned && { owned }) });
}

function lacking(limit: ReturnType<typeof limitOf>, needed: Permission) {
  if (limit === 'scope') return decline('login-scope-missing', `tessera:${needed}`);
  if (limit === 'group') return decline('group-missing', needed === 'read' ? VIEWERS : OPERATORS);
  return decline('permission-missing', needed);
}

function proofOf(origin: Origin): StrongProof | 'token' {
  if (origin.kind === 'certificate') return 'certificate';
  return (origin.kind === 'code' && origin.proof) || 'token';
}

/** Only a token that no API may have seen. */
function isOurs(checked: CheckedToken, ports: CallerPorts): boolean {
  const scope = parseScope(checked.grant.scope);
  return scope !== undefined && isForAdministration(scope) && isForUs(checked, ports);
}

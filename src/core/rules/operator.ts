// What an access token allows its holder at the admin door: the lowest of its scope, the holder's groups and the proof.
import type { Origin } from '../grant.ts';
import type { Identity } from '../identity.ts';
import type { Integration } from '../integration.ts';
import { isWithin, RESERVED_RESOURCE, type Scope } from '../scope.ts';
import { ADMINISTRATION } from '../settings.ts';
import type { EpochSeconds } from '../time.ts';

/** Each includes the one before. */
export const PERMISSIONS = ['read', 'operate', 'manage'] as const;
export type Permission = (typeof PERMISSIONS)[number];

export const OPERATORS = 'operators';
export const VIEWERS = 'viewers';

export interface OperatorFacts {
  readonly scope: Scope;
  readonly groups: Identity['groups'];
  readonly origin: Origin;
  /** Whether the token came with the certificate of the grant: it is bound to it, or was made for it and not by a refresh. */
  readonly isWithCertificate: boolean;
}

export function permissionOf({ groups, ...token }: OperatorFacts): Permission | undefined {
  return lowest([ownerPermission(token), groupPermission(groups)]);
}

/** An unknown permission includes nothing, and nobody has it. */
export function includes(held: Permission | undefined, needed: Permission): boolean {
  return held !== undefined && PERMISSIONS.slice(0, PERMISSIONS.indexOf(held) + 1).includes(needed);
}

/** Only a strong proof changes anything: a confirmation in a browser can be phished, and other proofs are kept in files. */
const PROVEN: Readonly<Record<Origin['kind'], Permission>> = {
  certificate: 'manage',
  device: 'read',
  code: 'read',
  assertion: 'read',
  client: 'read',
  exchange: 'read',
};

/** A code counts as its sign-in. A device code can be confirmed for somebody else; a refresh token is only a file. */
function provenBy({ origin, isWithCertificate }: Pick<OperatorFacts, 'origin' | 'isWithCertificate'>): Permission {
  if (origin.kind === 'certificate' && !isWithCertificate) return 'read';
  return origin.kind === 'code' && origin.proof ? 'manage' : PROVEN[origin.kind];
}

/** A token that is also for an API is in the hands of that API, so it is worth nothing here. */
export function isForAdministration({ resources }: Scope): boolean {
  return resources.size === 1 && resources.has(RESERVED_RESOURCE);
}

/** Whether a token of this scope may do more than look. */
export function isForChanges(scope: Scope): boolean {
  return includes(scopePermission(scope), 'operate');
}

/** What a token allows its holder by scope and proof, for the integrations that the holder's groups own. */
export function ownerPermission({ scope, ...proof }: Omit<OperatorFacts, 'groups'>): Permission | undefined {
  return lowest([scopePermission(scope), provenBy(proof)]);
}

interface Ages {
  readonly now: EpochSeconds;
  /** Of the token. */
  readonly issuedAt: EpochSeconds;
  readonly expiresAt: EpochSeconds;
  /** Of the grant. */
  readonly createdAt: EpochSeconds;
}

/** Power over this service is for hours, whatever was issued: by another release, or from a store that was changed. */
export function isRecent({ now, issuedAt, expiresAt, createdAt }: Ages): boolean {
  const { accessTokenLifetime, grantLifetime } = ADMINISTRATION;
  const isShort = now - issuedAt <= accessTokenLifetime && expiresAt - now <= accessTokenLifetime;
  return isShort && now - createdAt <= grantLifetime;
}

export function isOwner({ groups }: Pick<Identity, 'groups'>, { owners = [] }: Pick<Integration, 'owners'>): boolean {
  return owners.some((group) => groups.includes(group));
}

/** Whether somebody can do everything from elsewhere, once they prove who they are. */
export function isOperator({ enabled, mayUseApi, groups }: Identity): boolean {
  return enabled && mayUseApi && groupPermission(groups) === 'manage';
}

const TEXTS: readonly string[] = ['name', 'description', 'vendor', 'disabledByOwner'] satisfies (keyof Integration)[];

/** What somebody who is signed in may do in the console. A password alone only views: it can be phished. */
export function consolePermission(groups: Identity['groups'], isStrong: boolean): Permission | undefined {
  return lowest([groupPermission(groups), isStrong ? 'manage' : 'read']);
}

/** What an owner may change: texts, and whatever takes something away. */
export function isWithinPowerOfOwner(before: Integration, next: Integration): boolean {
  const fields = Object.keys({ ...before, ...next }) as (keyof Integration)[];
  return fields.every((field) => {
    if (TEXTS.includes(field)) return true;
    if (field === 'enabled') return !next.enabled || mayOwnerEnable(before);
    if (field === 'scope') return isWithin(next.scope, before.scope);
    if (field === 'flows') return hasNoOtherFlow(next.flows, before.flows);
    if (field === 'access') return isNoWider(next.access, before.access);
    return JSON.stringify(before[field]) === JSON.stringify(next[field]);
  });
}

/** What an operator has disabled stays so until an operator enables it. */
export function mayOwnerEnable({ enabled, disabledByOwner }: Integration): boolean {
  return enabled || disabledByOwner === true;
}

function hasNoOtherFlow({ code, ...next }: Integration['flows'], before: Integration['flows']): boolean {
  const isSameCode = !code || JSON.stringify(code) === JSON.stringify(before.code);
  return isSameCode && Object.entries(next).every(([flow, isOn]) => !isOn || before[flow as keyof typeof next]);
}

function isNoWider(next: Integration['access'], before: Integration['access']): boolean {
  if (before.to === 'everyone') return true;
  if (next.to === 'everyone') return false;
  return (
    next.identities.every((id) => before.identities.includes(id)) &&
    next.groups.every((group) => before.groups.includes(group))
  );
}

function scopePermission(scope: Scope): Permission | undefined {
  if (!isForAdministration(scope)) return undefined;
  const named = scope.resources.get(RESERVED_RESOURCE);
  return PERMISSIONS.findLast((permission) => named?.has(permission));
}

function groupPermission(groups: Identity['groups']): Permission | undefined {
  if (groups.includes(OPERATORS)) return 'manage';
  return groups.includes(VIEWERS) ? 'read' : undefined;
}

/** What a token lacks that does not allow `needed`. */
export function limitOf({ scope, groups }: Pick<OperatorFacts, 'scope' | 'groups'>, needed: Permission) {
  if (!includes(scopePermission(scope), needed)) return 'scope';
  return includes(groupPermission(groups), needed) ? 'proof' : 'group';
}

function lowest(permissions: readonly (Permission | undefined)[]): Permission | undefined {
  if (permissions.includes(undefined)) return undefined;
  return PERMISSIONS.find((permission) => permissions.includes(permission));
}

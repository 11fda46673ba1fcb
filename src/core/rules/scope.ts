import type { Integration } from '../integration.ts';
import { accept, type Outcome, refuse, refuseScope } from '../outcome.ts';
import type { ResourceServer } from '../resource-server.ts';
import {
  hasOpaqueItems,
  isWithin,
  narrow,
  narrowToResources,
  parseScope,
  RESERVED_RESOURCE,
  type Scope,
} from '../scope.ts';
import { type Target, targetOf } from './audience.ts';

/** What a door passes on if it lets callers leave the scope out: they get all that the integration has. */
export const WHOLE_SCOPE = Symbol('whole scope of the integration');

export type WantedScope = string | typeof WHOLE_SCOPE | undefined;

/** Contract 2.2: a request asks for the entire scope of the integration or for a subset of it. */
function requestedScope({ scope: text, isPlain, within }: WantedTarget, integration: Integration): Outcome<Scope> {
  const wanted = isPlain || typeof text !== 'string' ? text : meantScope(text, integration);
  if (!wanted) return refuse('scope-missing');
  if (wanted === WHOLE_SCOPE) return wholeScope(integration, within);
  const scope = isPlain && hasOpaqueItems(wanted) ? undefined : parseScope(wanted);
  if (!scope) return refuseScope('scope-malformed', wanted);
  if (!isWithin(scope, integration.scope)) return refuseScope('scope-exceeds-integration', wanted);
  return !within || isWithin(scope, within) ? accept(scope) : refuseScope('scope-exceeds-grant', wanted);
}

/** What libraries for OpenID Connect send by themselves. Ignored, unless the integration has a resource of this name. */
const OF_OPENID = new Set(['openid', 'offline_access', 'profile', 'email', 'address', 'phone']);

function meantScope(text: string, { scope }: Integration): string | typeof WHOLE_SCOPE {
  const isMeant = (item: string) => !OF_OPENID.has(item) || scope.resources.has(item);
  return text.split(';').filter(isMeant).join(';') || WHOLE_SCOPE;
}

/** What a request for a new grant wants. */
export interface WantedTarget {
  readonly scope: WantedScope;
  /** The audiences that the grant shall be limited to (RFC 8707). */
  readonly resource?: readonly string[] | undefined;
  /** Whether opaque items are malformed: they are not part of the contract. */
  readonly isPlain?: boolean;
  /** What the grant may have at most, besides the scope of the integration. */
  readonly within?: Scope | undefined;
}

/** The requested scope, limited to the resource servers that the request names, if any. */
export function requestedTarget(
  wanted: WantedTarget,
  integration: Integration,
  resourceServers: readonly ResourceServer[],
): Outcome<Target> {
  const scope = requestedScope(wanted, integration);
  return scope.ok ? targetOf(scope.value, wanted.resource, resourceServers) : scope;
}

function wholeScope({ scope }: Integration, within: Scope | undefined): Outcome<Scope> {
  const others = [...scope.resources.keys()].filter((resource) => resource !== RESERVED_RESOURCE);
  const whole = narrowToResources(scope, new Set(others));
  const rest = whole && within ? narrow(whole, within) : whole;
  return rest ? accept(rest) : refuse(within ? 'scope-exceeds-grant' : 'scope-missing');
}

/** RFC 6749 6: a refresh may name a scope within the grant's. */
export function checkScopeOfRefresh(wanted: string, granted: Scope, integration: Integration): Outcome<Scope> {
  const meant = meantScope(wanted, integration);
  if (meant === WHOLE_SCOPE) return accept(granted);
  const scope = parseScope(meant);
  if (!scope) return refuseScope('scope-malformed', wanted);
  return isWithin(scope, granted) ? accept(granted) : refuseScope('scope-exceeds-grant', wanted);
}

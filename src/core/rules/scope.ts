import type { Integration } from '../integration.ts';
import { accept, type Outcome, refuse } from '../outcome.ts';
import type { ResourceServer } from '../resource-server.ts';
import { isWithin, parseScope, RESERVED_RESOURCE, type Scope, scopeItems } from '../scope.ts';
import { type Target, targetOf } from './audience.ts';

/** What a door passes on if it lets callers leave the scope out: they get all that the integration has. */
export const WHOLE_SCOPE = Symbol('whole scope of the integration');

export type WantedScope = string | typeof WHOLE_SCOPE | undefined;

/** Contract 2.2: a request asks for the entire scope of the integration or for a subset of it. */
function requestedScope(wanted: WantedScope, integration: Integration): Outcome<Scope> {
  if (!wanted) return refuse('scope-missing');
  if (wanted === WHOLE_SCOPE) return wholeScope(integration);
  const scope = parseScope(wanted);
  if (!scope) return refuse('scope-malformed');
  return isWithin(scope, integration.scope) ? accept(scope) : refuse('scope-exceeds-integration');
}

/** What a request for a new grant wants. */
export interface WantedTarget {
  readonly scope: WantedScope;
  /** The audiences that the grant shall be limited to (RFC 8707). */
  readonly resource?: readonly string[] | undefined;
}

/** The requested scope, limited to the resource servers that the request names, if any. */
export function requestedTarget(
  { scope, resource }: WantedTarget,
  integration: Integration,
  resourceServers: readonly ResourceServer[],
): Outcome<Target> {
  const wanted = requestedScope(scope, integration);
  return wanted.ok ? targetOf(wanted.value, resource, resourceServers) : wanted;
}

function wholeScope({ scope }: Integration): Outcome<Scope> {
  if (!scope.resources.has(RESERVED_RESOURCE)) return accept(scope);
  const items = scopeItems(scope).filter((item) => item.split(':')[0] !== RESERVED_RESOURCE);
  const rest = parseScope(items.join(';'));
  return rest ? accept(rest) : refuse('scope-missing');
}

/** RFC 6749 6: a refresh may name a scope within the grant's. */
export function checkScopeOfRefresh(wanted: string, granted: Scope): Outcome<Scope> {
  const scope = parseScope(wanted);
  if (!scope) return refuse('scope-malformed');
  return isWithin(scope, granted) ? accept(granted) : refuse('scope-exceeds-grant');
}

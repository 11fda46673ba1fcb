// Which resource servers a token is for: those that serve its scope, or some of them by `resource` (RFC 8707).
import type { FeedState } from '../feed.ts';
import { accept, type Outcome, refuse } from '../outcome.ts';
import type { Audience, ResourceServer } from '../resource-server.ts';
import { narrowToResources, type Scope } from '../scope.ts';

/** The resource servers that serve the scope, and the issuer if nobody serves some of it. Sorted, never empty. */
export function audiencesOf(
  scope: Scope,
  resourceServers: readonly ResourceServer[],
  issuer: string,
  wanted?: readonly string[],
): readonly string[] {
  if (wanted && wanted.length > 0) return wanted;
  const serving = resourceServers.filter((server) => server.enabled && serves(server, scope));
  const isServed = (resource: string) => serving.some(({ resources }) => resources.includes(resource));
  const isComplete = [...scope.resources.keys()].every(isServed);
  const audiences: string[] = serving.map(({ audience }) => audience);
  return [...audiences, ...(isComplete ? [] : [issuer])].sort();
}

/** `audience`: what the token says. `known`: also disabled and removed ones, which may still be sent tokens. */
export function isForIssuerOnly(
  scope: Scope,
  audience: readonly string[] | undefined,
  known: readonly ResourceServer[],
  issuer: string,
): boolean {
  return (audience ?? [issuer]).every((each) => each === issuer) && !known.some((server) => serves(server, scope));
}

/** A scope, limited to resource servers. */
export interface Target {
  readonly scope: Scope;
  /** Audiences, sorted. Undefined: not limited. */
  readonly resource: readonly Audience[] | undefined;
}

/** RFC 8707 2: limits a scope to what the wanted resource servers serve. Each must be known and serve some of it. */
export function targetOf(
  scope: Scope,
  wanted: readonly string[] | undefined,
  resourceServers: readonly ResourceServer[],
): Outcome<Target> {
  if (!wanted || wanted.length === 0) return accept({ scope, resource: undefined });
  const known = resourceServers.filter(({ enabled }) => enabled);
  const named = wanted.map(
    (audience) =>
      known.find((server) => server.audience === audience) ??
      known.find((server) => isSameAudience(server.audience, audience)),
  );
  const servers = [...new Set(named)].filter((server) => server !== undefined);
  if (named.includes(undefined)) return refuse('resource-unknown');
  if (!servers.every((server) => serves(server, scope))) return refuse('resource-outside-scope');
  const limited = narrowToResources(scope, new Set(servers.flatMap(({ resources }) => resources)));
  if (!limited) return refuse('resource-outside-scope');
  return accept({ scope: limited, resource: servers.map(({ audience }) => audience).sort() });
}

/** RFC 8707 2.2: some of the confirmed resource servers; if none were named, any that serve the confirmed scope. */
export function redeemedTarget(
  confirmed: Target,
  wanted: readonly string[] | undefined,
  resourceServers: readonly ResourceServer[],
): Outcome<Target> {
  const { scope, resource } = confirmed;
  if (isSameTarget(wanted, resource)) return accept(confirmed);
  const isNarrower =
    !resource || wanted?.every((audience) => resource.some((known) => isSameAudience(known, audience)));
  return isNarrower ? targetOf(scope, wanted, resourceServers) : refuse('resource-differs-from-grant');
}

/** A refresh may repeat the resource servers that the grant is limited to, or leave them out. */
export function isSameTarget(wanted: readonly string[] | undefined, granted: readonly string[] | undefined): boolean {
  if (!wanted || wanted.length === 0) return true;
  const [asked, given] = [new Set(wanted.map(comparableAudience)), new Set(granted?.map(comparableAudience))];
  return asked.size === given.size && [...asked].every((audience) => given.has(audience));
}

/** RFC 3986 6.2.3: without a path is the same as with the path `/`. Some libraries add it to every address. */
export function isSameAudience(a: string, b: string): boolean {
  return a === b || comparableAudience(a) === comparableAudience(b);
}

export function comparableAudience(audience: string): string {
  return /^https?:\/\/[^/?#]+$/.test(audience) ? `${audience}/` : audience;
}

/** Its own resources; undefined if the token is not for it. Without `audiences`, the scope alone decides. */
export function scopeSeenBy(
  { enabled, audience, resources }: ResourceServer,
  scope: Scope,
  audiences: readonly string[] | undefined,
): Scope | undefined {
  if (!enabled || (audiences && !audiences.includes(audience))) return undefined;
  return narrowToResources(scope, new Set(resources));
}

/** Whether a resource server is sent a state of the revocation feed: tokens that it changes may be for it. */
export function isConcerned(server: ResourceServer, state: FeedState): boolean {
  switch (state.about) {
    case 'grant':
      return !state.scope || scopeSeenBy(server, state.scope, state.resource) !== undefined;
    case 'integration': {
      const { integration, formerScope } = state;
      if (formerScope === 'unknown' || serves(server, integration.scope)) return true;
      return formerScope !== undefined && serves(server, formerScope);
    }
    case 'identity':
    case 'keys':
      return true;
    case 'resource-server':
      return false;
  }
}

export function serves({ resources }: ResourceServer, scope: Scope): boolean {
  return resources.some((resource) => scope.resources.has(resource));
}

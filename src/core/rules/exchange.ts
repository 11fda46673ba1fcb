// Token exchange (RFC 8693): an access token that an API received, for one that it sends to the next API. Never wider, never longer.
import type { Actor, Grant } from '../grant.ts';
import type { Hex } from '../hex.ts';
import type { Identity } from '../identity.ts';
import type { ExchangeEntry, Integration } from '../integration.ts';
import { accept, type Outcome, refuse } from '../outcome.ts';
import type { ResourceServer } from '../resource-server.ts';
import { narrow, parseScope, type Scope } from '../scope.ts';
import type { CheckedAccess } from './access.ts';
import { scopeSeenBy, type Target } from './audience.ts';
import { whyUnbound } from './client.ts';
import { whyNotAllowed } from './identity.ts';
import { requestedTarget, type WantedTarget } from './scope.ts';

/** Who exchanges: an integration that has authenticated, or whose caller has presented a certificate. */
export interface ExchangeCaller {
  readonly integration: Integration;
  readonly identity: Identity;
  readonly thumbprint?: Hex | undefined;
  /** The key of its DPoP proof. */
  readonly jkt?: string | undefined;
}

export interface ExchangeFacts {
  readonly caller: ExchangeCaller;
  /** The live access token that was presented. */
  readonly subject: CheckedAccess;
  /** What it says about its audience, if it does. */
  readonly audience: readonly string[] | undefined;
  readonly wanted: WantedTarget;
  readonly resourceServers: readonly ResourceServer[];
}

export interface DecidedExchange extends Target {
  /** Of the new grant. */
  readonly actor: Actor;
}

/** A chain of APIs that is longer than this is a loop. */
const MOST_ACTORS = 4;

export function decideExchange(facts: ExchangeFacts): Outcome<DecidedExchange> {
  const { caller, subject, audience, wanted, resourceServers } = facts;
  const { integration, identity } = caller;
  const server = serverOf(integration, resourceServers);
  if (!server) return refuse('exchange-not-allowed');
  if (!scopeSeenBy(server, subject.scope, audience ?? subject.grant.resource)) return refuse('subject-token-invalid');
  const entry = entryFor(integration, subject);
  if (!entry || actorsOf(subject.grant) >= MOST_ACTORS) return refuse('exchange-not-allowed');
  const within = limitOf(entry, subject.scope);
  if (!within) return refuse('scope-exceeds-grant');
  const target = requestedTarget({ ...wanted, within }, integration, resourceServers);
  if (!target.ok) return target;
  const objection = whyNotAllowed(identity, integration) ?? whyNotAllowed(subject.holder, integration);
  if (objection) return refuse(objection);
  const unbound = whyUnbound(integration, caller.jkt) ?? whyShed(subject, caller);
  if (unbound) return refuse(unbound);
  const before = subject.grant.terms?.actor;
  const actor = { identityId: identity.id, clientId: integration.clientId, ...(before && { actor: before }) };
  return accept({ ...target.value, actor });
}

/** What an exchanged token allows now: within its parent, and what the parent's integration lets the actor have. */
export function scopeOfExchanged(
  { integration, scope }: CheckedAccess,
  subject: CheckedAccess,
  actor: Identity | undefined,
  resourceServers: readonly ResourceServer[],
): Outcome<Scope> {
  const objection = whyNotAllowed(actor, integration);
  if (objection) return refuse(objection);
  const server = serverOf(integration, resourceServers);
  const isForActor = server && scopeSeenBy(server, subject.scope, subject.grant.resource);
  const entry = isForActor && entryFor(integration, subject);
  const limit = entry && limitOf(entry, subject.scope);
  const left = limit && narrow(scope, limit);
  return left ? accept(left) : refuse('scope-no-longer-allowed');
}

function serverOf(
  { resourceServer }: Integration,
  resourceServers: readonly ResourceServer[],
): ResourceServer | undefined {
  return resourceServers.find(({ id }) => id === resourceServer);
}

function entryFor({ clientId }: Integration, { integration: { exchange } }: CheckedAccess): ExchangeEntry | undefined {
  return exchange?.find((each) => each.integration === clientId);
}

function limitOf({ scope }: ExchangeEntry, subject: Scope): Scope | undefined {
  const allowed = parseScope(scope);
  return allowed && narrow(subject, allowed);
}

/** A bound token gives one that is bound to the caller, never one that anybody can use. */
function whyShed(
  { binding, grant }: CheckedAccess,
  { thumbprint, jkt }: ExchangeCaller,
): 'exchange-unbound' | undefined {
  const isBound = binding.thumbprint !== undefined || grant.terms?.jkt !== undefined;
  return isBound && thumbprint === undefined && jkt === undefined ? 'exchange-unbound' : undefined;
}

function actorsOf({ terms }: Grant): number {
  let count = 0;
  for (let actor = terms?.actor; actor; actor = actor.actor) count += 1;
  return count;
}

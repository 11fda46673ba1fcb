// The entries of the revocation feed. Every entry is a complete state, so repeated ones may arrive in any order.
import { createHash } from 'node:crypto';
import type { Claims } from './claims.ts';

export type Entry = Readonly<Record<string, unknown>>;

interface Identity {
  readonly isAllowed: boolean;
  readonly except: ReadonlySet<string>;
  readonly keepUntil: number;
}

interface Integration {
  readonly isEnabled: boolean;
  readonly scope: ReadonlySet<string>;
  /** Tokens issued before must be introspected. Epoch seconds. */
  readonly recheckBefore: number;
  /** When that arrived, in milliseconds: earlier answers no longer count. */
  readonly recheckHeardAt: number;
}

/** Nodes of the service apply a change of an integration or of keys within a second. Their answers until then do not count. */
const FOLLOWED_MS = 2_000;
/** A busy node may take longer: until this long after a change, answers are requested again, at 2 s, 4 s, 8 s and so on. */
const SETTLED_MS = 60_000;

export class Revocations {
  readonly #now: () => number;
  /** Ended grants, and until when they must be remembered. */
  readonly #grants = new Map<string, number>();
  #identities = new Map<string, Identity>();
  #integrations = new Map<string, Integration>();
  #cleanedAt = 0;
  #keysHeardAt = Number.NEGATIVE_INFINITY;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Replaces all states by those of a snapshot. Only ended grants stay: a grant never lives again. */
  replace(entries: readonly Entry[]): void {
    this.#identities = new Map();
    this.#integrations = new Map();
    for (const entry of entries) this.add(entry);
  }

  add(entry: Entry): void {
    if (entry['type'] === 'grant') this.#grants.set(String(entry['grant']), Number(entry['keep_until']));
    else if (entry['type'] === 'identity') this.#addIdentity(entry);
    else if (entry['type'] === 'integration') this.#addIntegration(entry);
    else if (entry['type'] === 'keys') this.#keysHeardAt = this.#now();
    this.#clean();
  }

  /** Why a token with these claims is invalid; undefined if no entry says so. */
  whyRevoked({ grant, identity, integration }: Claims): string | undefined {
    if (this.#grants.has(grant)) return 'The grant of this token has ended.';
    const holder = this.#identities.size > 0 ? this.#identities.get(hashOf(identity)) : undefined;
    if (holder && (!holder.isAllowed || holder.except.has(integration))) return 'This identity is no longer allowed.';
    if (this.#integrations.get(integration)?.isEnabled === false) return 'This integration is disabled.';
    return undefined;
  }

  /** What the integration still allows. A bare resource is within the same resource with permissions. */
  narrow(scope: readonly string[], integration: string): readonly string[] {
    const known = this.#integrations.get(integration);
    if (!known) return scope;
    return scope.filter((item) => known.scope.has(item) || isBareWithin(item, [...known.scope]));
  }

  /**
   * Whether only the service can decide: who may use the integration has changed, or nothing of the token concerns this resource
   * server as far as the feed says. What does not concern it is not in the feed.
   */
  needsIntrospection({ integration, issuedAt, scope }: Claims): boolean {
    const known = this.#integrations.get(integration);
    return !known || issuedAt < known.recheckBefore || this.narrow(scope, integration).length === 0;
  }

  /** Published keys that were requested before this moment, in milliseconds, may have been removed since. */
  get keysGoodFrom(): number {
    return this.#appliedFrom(this.#keysHeardAt);
  }

  /** Whether an answer to an introspection that was sent at this time can still be used. */
  covers({ integration }: Claims, askedAt: number): boolean {
    return askedAt > this.#appliedFrom(this.#integrations.get(integration)?.recheckHeardAt ?? 0);
  }

  /** Answers requested before this moment may be of a node that had not applied the change. */
  #appliedFrom(heardAt: number): number {
    return heardAt + Math.min(Math.max((this.#now() - heardAt) / 2, FOLLOWED_MS), SETTLED_MS);
  }

  /** How many states are kept. */
  get size(): number {
    return this.#grants.size + this.#identities.size + this.#integrations.size;
  }

  #addIdentity({ identity, allowed, except, keep_until }: Entry): void {
    const state = { isAllowed: allowed === true, except: new Set(except as string[]), keepUntil: Number(keep_until) };
    if (state.isAllowed && state.except.size === 0) this.#identities.delete(String(identity));
    else this.#identities.set(String(identity), state);
  }

  #addIntegration({ client_id, enabled, scope, recheck_before }: Entry): void {
    const before = this.#integrations.get(String(client_id));
    const isNew = typeof recheck_before === 'number' && recheck_before > (before?.recheckBefore ?? 0);
    this.#integrations.set(String(client_id), {
      isEnabled: enabled === true,
      scope: new Set(String(scope).split(' ')),
      recheckBefore: isNew ? recheck_before : (before?.recheckBefore ?? 0),
      recheckHeardAt: isNew ? this.#now() : (before?.recheckHeardAt ?? 0),
    });
  }

  /** Once a minute: drops states that concern no valid token. */
  #clean(): void {
    const now = this.#now();
    if (now - this.#cleanedAt < 60_000) return;
    this.#cleanedAt = now;
    for (const [grant, until] of this.#grants) if (until * 1000 < now) this.#grants.delete(grant);
    for (const [key, { keepUntil }] of this.#identities) if (keepUntil * 1000 < now) this.#identities.delete(key);
  }
}

/** Whether a resource without a permission is within these. Opaque items, which have a slash, are compared whole. */
export function isBareWithin(item: string, scope: readonly string[]): boolean {
  return !item.includes(':') && scope.some((each) => each.startsWith(`${item}:`) && !each.includes('/'));
}

function hashOf(identity: string): string {
  return createHash('sha256').update(identity).digest('hex');
}

// States of the revocation feed as this door's JSON.
import type { FeedState } from '../../core/feed.ts';
import type { ResourceServer } from '../../core/resource-server.ts';
import { isConcerned, serves } from '../../core/rules/audience.ts';
import { narrowToResources, scopeItems } from '../../core/scope.ts';
import type { FeedEntry } from './schemas.ts';

/** Undefined for what this resource server is not sent. */
export function feedEntry(state: FeedState, server: ResourceServer): FeedEntry | undefined {
  if (!isConcerned(server, state)) return undefined;
  switch (state.about) {
    case 'grant':
      return { type: 'grant', grant: state.grantId, keep_until: state.keepUntil };
    case 'identity': {
      const { identity, isAllowed: allowed, keepUntil: keep_until } = state;
      const except = state.except.filter(({ scope }) => serves(server, scope)).map(({ clientId }) => clientId);
      return { type: 'identity', identity, allowed, except, keep_until };
    }
    case 'integration': {
      const { clientId: client_id, enabled, scope } = state.integration;
      const seen = narrowToResources(scope, new Set(server.resources));
      const recheck = state.recheckBefore !== undefined && { recheck_before: state.recheckBefore };
      return { type: 'integration', client_id, enabled, scope: seen ? scopeItems(seen).join(' ') : '', ...recheck };
    }
    case 'keys':
      return { type: 'keys', changed: state.changedAt };
    case 'resource-server':
      return undefined;
  }
}

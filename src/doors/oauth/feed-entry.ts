// States of the revocation feed as this door's JSON.
import type { FeedState } from '../../core/feed.ts';
import type { ResourceServer } from '../../core/resource-server.ts';
import { narrowToResources, scopeItems } from '../../core/scope.ts';
import type { FeedEntry } from './schemas.ts';

/** Undefined for what followers are not sent. */
export function feedEntry(state: FeedState, { resources }: ResourceServer): FeedEntry | undefined {
  switch (state.about) {
    case 'grant':
      return { type: 'grant', grant: state.grantId, keep_until: state.keepUntil };
    case 'identity': {
      const { identity, isAllowed: allowed, except, keepUntil: keep_until } = state;
      return { type: 'identity', identity, allowed, except: [...except], keep_until };
    }
    case 'integration': {
      const { clientId: client_id, enabled, scope } = state.integration;
      const seen = narrowToResources(scope, new Set(resources));
      const recheck = state.recheckBefore !== undefined && { recheck_before: state.recheckBefore };
      return { type: 'integration', client_id, enabled, scope: seen ? scopeItems(seen).join(' ') : '', ...recheck };
    }
    case 'resource-server':
      return undefined;
  }
}

// An event log in memory, and events for it.
import type { FeedStore } from '../../../src/operations/feed/read-feed.ts';
import type { LoggedEvent } from '../../../src/store/store.ts';
import { ADA, anIdentity, anIntegration, CLIENT, NOW } from '../../samples.ts';

export const integration = anIntegration();

/** A store with this log, one integration and one identity. */
export function storeWith(log: readonly object[]) {
  const events = log.map((event, at) => ({ sequence: at + 1, at: NOW, ...event }) as LoggedEvent);
  /** `meanwhile`: what is committed while the newest events are read. */
  const state = {
    epochs: [] as number[],
    pages: 0,
    reads: [] as number[],
    checks: 0,
    isAway: false,
    meanwhile: [] as LoggedEvent[],
  };
  const add = (...more: readonly object[]) => {
    for (const event of more) events.push({ sequence: events.length + 1, at: NOW, ...event } as LoggedEvent);
  };
  const store = {
    now: async () => NOW,
    load: async (_: unknown, key: string) => {
      if (key !== 'history') return { found: key === ADA ? { row: anIdentity({ enabled: false }) } : undefined };
      const epoch = state.epochs.shift();
      return { found: epoch === undefined ? undefined : { row: { epoch, rollback: undefined } } };
    },
    page: async () => {
      state.pages += 1;
      return [integration];
    },
    eventProgress: async () => {
      state.checks += 1;
      return { drawn: events.length, readable: events.length };
    },
    events: async ({ after, limit }: { after: number; limit: number }) => {
      if (state.isAway) throw new Error('the store is away');
      state.reads.push(limit);
      return events.filter(({ sequence }) => sequence > after).slice(0, limit);
    },
    newestEvents: async ({ count, before = Number.POSITIVE_INFINITY }: { count: number; before?: number }) => {
      if (state.isAway) throw new Error('the store is away');
      const found = events.filter(({ sequence }) => sequence < before).slice(-count);
      events.push(...state.meanwhile.splice(0));
      return found;
    },
  } as unknown as FeedStore;
  return { store, state, events, add };
}

export const revoked = (subjectId: string, more: object = {}) => ({
  ...{ type: 'revoked', subjectId, detail: { reason: 'by-caller' } },
  ...more,
});
export const changed = (facts: object, more: object = {}) => ({
  ...{ type: 'administered', clientId: CLIENT },
  detail: { kind: 'integration', did: 'changed', id: CLIENT, by: 'ada', changed: {}, ...facts },
  ...more,
});
export const scopeChange = (before: string) => changed({ changed: { scope: { before, after: 'orders:read' } } });

// Turns events into the states that they leave behind. States are loaded from the store at that moment, never from a cache.
import { hash } from 'node:crypto';
import { isNews } from '../../core/act.ts';
import { type FeedState, keepUntil } from '../../core/feed.ts';
import type { Hex } from '../../core/hex.ts';
import type { Integration } from '../../core/integration.ts';
import { identityAccess } from '../../core/rules/identity.ts';
import { after, seconds } from '../../core/time.ts';
import { rows } from '../../store/pages.ts';
import type { LoggedEvent, Store } from '../../store/store.ts';
import { identities } from '../../store/tables/identities.ts';
import { integrations } from '../../store/tables/integrations.ts';
import { type Position, positionOf } from './cursor.ts';

export interface FeedItem extends Position {
  /** Undefined if the event changes nothing for followers. */
  readonly state: FeedState | undefined;
}

export type FeedStore = Pick<Store, 'events' | 'newestEvents' | 'load' | 'page' | 'now'>;

/** Nodes follow changes of integrations within a second; until then they may issue tokens by the old state. */
const FOLLOWED = seconds(5);

/** At most `limit` items after a sequence number, oldest first. */
export async function itemsAfter(sequence: number, limit: number, store: FeedStore): Promise<FeedItem[]> {
  return itemsOf(await store.events({ after: sequence, limit, acts: true }), store);
}

export async function itemsOf(events: readonly LoggedEvent[], store: FeedStore): Promise<FeedItem[]> {
  // Few and rare: acts of operators.
  const isAct = events.some(({ type }) => type === 'administered');
  const known = isAct ? await Array.fromAsync(rows(store, integrations)) : [];
  const items: FeedItem[] = [];
  for (const event of events) items.push({ ...positionOf(event), state: await stateOf(event, known, store) });
  return items;
}

async function stateOf(
  event: LoggedEvent,
  known: readonly Integration[],
  store: FeedStore,
): Promise<FeedState | undefined> {
  const { type, at, subjectId, identityId, clientId, detail } = event;
  if (type === 'revoked')
    return subjectId ? { about: 'grant', grantId: subjectId, keepUntil: keepUntil(at) } : undefined;
  if (type !== 'administered' || !isNews(detail)) return undefined;
  if (detail.kind === 'resource-server') return { about: 'resource-server', id: detail.id };
  if (identityId !== undefined) return identityState(identityId, event, known, store);
  return clientId === undefined ? undefined : integrationState(clientId, event, known);
}

/** Whether an integration may be used by others than before. */
export function isAccessChange({ type, detail }: LoggedEvent): boolean {
  return (
    type === 'administered' &&
    detail.kind === 'integration' &&
    detail.did === 'changed' &&
    detail.accessChanged === true
  );
}

function integrationState(clientId: string, event: LoggedEvent, known: readonly Integration[]): FeedState | undefined {
  const integration = known.find((each) => each.clientId === clientId);
  const recheckBefore = isAccessChange(event) && after(event.at, FOLLOWED);
  return integration && { about: 'integration', integration, ...(recheckBefore && { recheckBefore }) };
}

async function identityState(
  identityId: string,
  { at }: LoggedEvent,
  known: readonly Integration[],
  store: FeedStore,
): Promise<FeedState> {
  const { found } = await store.load(identities, identityId);
  const identity = hash('sha256', identityId) as Hex;
  return { about: 'identity', identity, ...identityAccess(found?.row, known), keepUntil: keepUntil(at) };
}

// Turns events into the states that they leave behind. States are loaded from the store at that moment, never from a cache.
import { hash } from 'node:crypto';
import { isNews } from '../../core/act.ts';
import type { EventOf } from '../../core/event.ts';
import { FEED_WINDOW, type FeedState, keepUntil } from '../../core/feed.ts';
import type { Hex } from '../../core/hex.ts';
import type { Integration } from '../../core/integration.ts';
import type { ResourceServer } from '../../core/resource-server.ts';
import { identityAccess } from '../../core/rules/identity.ts';
import { isWithin, parseScope, type Scope } from '../../core/scope.ts';
import { after, type EpochSeconds, seconds } from '../../core/time.ts';
import { rows } from '../../store/pages.ts';
import type { LoggedEvent, Store } from '../../store/store.ts';
import { identities } from '../../store/tables/identities.ts';
import { integrations } from '../../store/tables/integrations.ts';
import { resourceServers } from '../../store/tables/resource-servers.ts';
import { isInLog, newestPosition, type Position, positionOf, serverMark } from './cursor.ts';

export interface FeedItem extends Position {
  /** Undefined if the event changes nothing for followers. */
  readonly state: FeedState | undefined;
}

export type FeedStore = Pick<Store, 'events' | 'newestEvents' | 'eventProgress' | 'load' | 'page' | 'now'>;

/** Nodes follow changes of integrations within a second; until then they may issue tokens by the old state. */
const FOLLOWED = seconds(5);

type Place = Pick<Position, 'epoch' | 'sequence'>;

/** At most `limit` items after a place, oldest first. */
export async function itemsAfter({ epoch, sequence }: Place, limit: number, store: FeedStore): Promise<FeedItem[]> {
  return itemsOf(await store.events({ after: sequence, limit, acts: true }), epoch, store);
}

async function itemsOf(events: readonly LoggedEvent[], epoch: number, store: FeedStore): Promise<FeedItem[]> {
  // Few and rare: acts of operators.
  const isAct = events.some(({ type }) => type === 'administered');
  const known = isAct ? await Array.fromAsync(rows(store, integrations)) : [];
  const items: FeedItem[] = [];
  for (const event of events) items.push({ ...positionOf(event, epoch), state: await stateOf(event, known, store) });
  return items;
}

async function stateOf(
  event: LoggedEvent,
  known: readonly Integration[],
  store: FeedStore,
): Promise<FeedState | undefined> {
  const { type, at, subjectId, identityId, detail } = event;
  if (type === 'revoked') return subjectId ? grantState(subjectId, at, detail) : undefined;
  if (type !== 'administered' || !isNews(detail)) return undefined;
  if (detail.kind === 'signing-key') return { about: 'keys', changedAt: at };
  if (detail.kind === 'resource-server') return { about: 'resource-server', id: detail.id };
  if (identityId !== undefined) return identityState(identityId, event, known, store);
  return integrationState(event, known);
}

function grantState(grantId: string, at: EpochSeconds, { scope, resource }: EventOf<'revoked'>['detail']): FeedState {
  const parsed = scope === undefined ? undefined : parseScope(scope);
  return { about: 'grant', grantId, scope: parsed, ...(resource && { resource }), keepUntil: keepUntil(at) };
}

interface AccessChange {
  /** The scope before it, if it changed that. */
  readonly formerScope?: Scope | 'unknown';
  /** Whether tokens issued before must be introspected: others may use the integration, or its scope grew. A follower that the
   *  grown scope did not concern was not sent which identities may not use the integration. */
  readonly isRecheck: boolean;
}

/** How a change of an integration concerns issued tokens. */
export function accessChangeOf({ type, detail }: LoggedEvent): AccessChange {
  if (type !== 'administered' || detail.kind !== 'integration' || detail.did !== 'changed') return { isRecheck: false };
  const { accessChanged = false, changed } = detail;
  const { scope } = changed;
  if (!scope) return { isRecheck: accessChanged };
  const [before, now] = [scopeIn(scope.before), scopeIn(scope.after)];
  return { formerScope: before ?? 'unknown', isRecheck: accessChanged || !before || !now || !isWithin(now, before) };
}

/** Undefined if the event does not have it: of a long text there is only a digest. */
function scopeIn(fact: unknown): Scope | undefined {
  return typeof fact === 'string' && !fact.startsWith('sha256:') ? parseScope(fact) : undefined;
}

function integrationState(event: LoggedEvent, known: readonly Integration[]): FeedState | undefined {
  const integration = known.find(({ clientId }) => clientId === event.clientId);
  const { formerScope, isRecheck } = accessChangeOf(event);
  return (
    integration && {
      about: 'integration',
      integration,
      ...(formerScope && { formerScope }),
      ...(isRecheck && { recheckBefore: after(event.at, FOLLOWED) }),
    }
  );
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

// All that a new follower must know, in pages. Changes older than the window concern no living token, so a snapshot is the
// recent part of the log, newest first, as the states that hold now; and every integration.

export interface SnapshotPage {
  /** Where the stream begins. Taken before the first page, so that what changes meanwhile is streamed. */
  readonly from: Position;
  readonly states: readonly FeedState[];
  /** The next page has the events before this number. Undefined: this is the last page. */
  readonly next: number | undefined;
}

const PAGE = 500;

export async function firstPage(store: FeedStore): Promise<SnapshotPage> {
  const from = await newestPosition(store);
  const known = await Array.fromAsync(rows(store, integrations));
  const page = await nextPage(from, from.sequence + 1, store);
  if (!page) return firstPage(store); // the store was put back meanwhile
  // First the plain states: those of recent changes say more.
  const states = known.map((integration): FeedState => ({ about: 'integration', integration }));
  return { ...page, states: [...states, ...page.states] };
}

/** Undefined if the snapshot was begun in another history of the store. Checked last, so that all of the page is of this one. */
export async function nextPage(from: Position, before: number, store: FeedStore): Promise<SnapshotPage | undefined> {
  const page = await pageBefore(from, before, store);
  return (await isInLog(from, store)) ? page : undefined;
}

async function pageBefore(from: Position, before: number, store: FeedStore): Promise<SnapshotPage> {
  const oldest = (await store.now()) - FEED_WINDOW;
  const events = await store.newestEvents({ count: PAGE, acts: true, before });
  const recent = events.filter(({ at }) => at >= oldest);
  const isLast = events.length < PAGE || recent.length < events.length;
  const items = await itemsOf(newestOfEach(recent.filter(isFeedEvent)), from.epoch, store);
  const states = items.map(({ state }) => state).filter((state) => state !== undefined);
  return { from, states, next: isLast ? undefined : events[0]?.sequence };
}

/** An act without news must not hide an earlier one: a password that was set after its identity was disabled. */
function isFeedEvent({ type, detail }: LoggedEvent): boolean {
  return type === 'revoked' || (type === 'administered' && isNews(detail));
}

/** States are current, so the last change of a thing is enough. A change that says more about issued tokens stays. */
function newestOfEach(events: readonly LoggedEvent[]): LoggedEvent[] {
  const seen = new Set<string>();
  return events.toReversed().filter((event) => {
    const { type, subjectId, identityId, clientId, detail } = event;
    const { formerScope, isRecheck } = accessChangeOf(event);
    const key = JSON.stringify(
      type === 'administered' ? [detail.kind, identityId, clientId, isRecheck, formerScope] : [subjectId],
    );
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** As it is in the store now: entries depend on what it serves. Undefined if it may no longer follow. */
export async function currentServer(
  { id }: Pick<ResourceServer, 'id'>,
  store: Pick<Store, 'load'>,
): Promise<ResourceServer | undefined> {
  const { found } = await store.load(resourceServers, id);
  return found?.row.enabled ? found.row : undefined;
}

/** Whether one of the items changed the resource server, so that it must connect and prove itself again. */
export async function isOutdated(
  server: ResourceServer,
  items: readonly FeedItem[],
  store: Pick<Store, 'load'>,
): Promise<boolean> {
  if (!items.some(({ state }) => state?.about === 'resource-server' && state.id === server.id)) return false;
  const now = await currentServer(server, store);
  return !now || serverMark(now) !== serverMark(server) || !hasSameProof(now, server);
}

/** A secret or an identity that was taken away ends the streams that it may have opened. */
function hasSameProof(now: ResourceServer, then: ResourceServer): boolean {
  const hashes = now.secrets.map(({ hash }) => hash);
  return now.identity === then.identity && then.secrets.every(({ hash }) => hashes.includes(hash));
}

// A place in the event log, as followers keep it. It names the history that it belongs to: by the epoch of the store, and by a mark
// of the event it stands at. In a store that was put back to an older state, or in another one, the number belongs to another
// event or to none. A cursor also carries a mark of what its resource server serves, since entries depend on that.
import { hash } from 'node:crypto';
import type { ResourceServer } from '../../core/resource-server.ts';
import type { LoggedEvent, Store } from '../../store/store.ts';
import { grants } from '../../store/tables/grants.ts';
import { readHistory } from '../../store/tables/store-history.ts';

export interface Position {
  /** Of the store. It grows when an operator accepts that the store was put back. */
  readonly epoch: number;
  /** 0: before the first event. */
  readonly sequence: number;
  readonly mark: string;
}

const MARK_LENGTH = 16;
const START = { sequence: 0, mark: '0'.repeat(MARK_LENGTH) };

export function positionOf(event: LoggedEvent, epoch: number): Position {
  return { epoch, sequence: event.sequence, mark: markOf(JSON.stringify(event)) };
}

/** `ofServer`: its `serverMark`. */
export function cursorText({ epoch, sequence, mark }: Position, ofServer: string): string {
  return `${epoch}.${sequence}-${mark}-${ofServer}`;
}

const CURSOR = /^([1-9][0-9]{0,14})\.(0|[1-9][0-9]{0,14})-([0-9a-f]{16})-([0-9a-f]{16})$/;

/** Undefined if it is malformed, or of another resource server, or of a time when this one served something else. */
export function parseCursor(text: string, server: ResourceServer): Position | undefined {
  const [, epoch, sequence, mark = '', ofServer] = CURSOR.exec(text) ?? [];
  return ofServer === serverMark(server) ? { epoch: Number(epoch), sequence: Number(sequence), mark } : undefined;
}

/** What a cursor depends on. */
export function serverMark({ id, audience, resources, enabled }: ResourceServer): string {
  return markOf(JSON.stringify([id, audience, resources, enabled]));
}

/**
 * Throws HistoryInDoubt while the store may have lost revocations: a follower would take what is left for all of them. No grant can be
 * loaded then (upkeep/event-watch.ts), also one that does not exist.
 */
async function currentEpoch(store: Pick<Store, 'load'>): Promise<number> {
  await store.load(grants, NO_GRANT);
  return (await readHistory(store)).epoch;
}

const NO_GRANT = '0'.repeat(32);

export async function newestPosition(store: Pick<Store, 'newestEvents' | 'load'>): Promise<Position> {
  const epoch = await currentEpoch(store);
  const [newest] = await store.newestEvents({ count: 1 });
  return newest ? positionOf(newest, epoch) : { epoch, ...START };
}

/** Whether this is still the history of the store, and its log has the event of this position. False also if that was swept. */
export async function isInLog(position: Position, store: Pick<Store, 'events' | 'load'>): Promise<boolean> {
  const { sequence, mark } = position;
  const [found] = await store.events({ after: Math.max(sequence - 1, 0), limit: 1 });
  const epoch = await currentEpoch(store);
  if (epoch !== position.epoch) return false;
  if (sequence > 0) return found !== undefined && positionOf(found, epoch).mark === mark;
  return mark === START.mark && (found === undefined || found.sequence <= FIRST_SEQUENCE);
}

/** The lowest numbers that back ends give to the first event. A log that begins later was swept. */
const FIRST_SEQUENCE = 2;

function markOf(text: string): string {
  return hash('sha256', text).slice(0, MARK_LENGTH);
}

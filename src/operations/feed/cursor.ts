// A place in the event log, as followers keep it. It carries a mark of the event it stands at: in a store that was put back to
// an older state, or in another one, the number belongs to another event or to none. It also carries a mark of what its
// resource server serves, since entries depend on that.
import { hash } from 'node:crypto';
import type { ResourceServer } from '../../core/resource-server.ts';
import type { LoggedEvent, Store } from '../../store/store.ts';

export interface Position {
  /** 0: before the first event. */
  readonly sequence: number;
  readonly mark: string;
}

const MARK_LENGTH = 16;
const START: Position = { sequence: 0, mark: '0'.repeat(MARK_LENGTH) };

export function positionOf(event: LoggedEvent): Position {
  return { sequence: event.sequence, mark: markOf(JSON.stringify(event)) };
}

/** `ofServer`: its `serverMark`. */
export function cursorText({ sequence, mark }: Position, ofServer: string): string {
  return `${sequence}-${mark}-${ofServer}`;
}

const CURSOR = /^(0|[1-9][0-9]{0,14})-([0-9a-f]{16})-([0-9a-f]{16})$/;

/** Undefined if it is malformed, or of another resource server, or of a time when this one served something else. */
export function parseCursor(text: string, server: ResourceServer): Position | undefined {
  const [, sequence, mark = '', ofServer] = CURSOR.exec(text) ?? [];
  return ofServer === serverMark(server) ? { sequence: Number(sequence), mark } : undefined;
}

/** What a cursor depends on. */
export function serverMark({ id, audience, resources, enabled }: ResourceServer): string {
  return markOf(JSON.stringify([id, audience, resources, enabled]));
}

/** The newest place that can be read. */
export async function newestPosition(store: Pick<Store, 'newestEvents'>): Promise<Position> {
  const [newest] = await store.newestEvents({ count: 1 });
  return newest ? positionOf(newest) : START;
}

/** Whether the log still has the event of this position. False: it was swept, or this is another history. */
export async function isInLog(position: Position, store: Pick<Store, 'events'>): Promise<boolean> {
  const [found] = await store.events({ after: Math.max(position.sequence - 1, 0), limit: 1 });
  if (position.sequence > 0) return found !== undefined && positionOf(found).mark === position.mark;
  return position.mark === START.mark && (found === undefined || found.sequence <= FIRST_SEQUENCE);
}

/** The lowest numbers that back ends give to the first event. A log that begins later was swept. */
const FIRST_SEQUENCE = 2;

function markOf(text: string): string {
  return hash('sha256', text).slice(0, MARK_LENGTH);
}

import { accept } from '../../core/outcome.ts';
import type { LoggedEvent } from '../../store/store.ts';
import { type AdminOutcome, type AdminPorts, decline } from './admin.ts';

export interface EventsDraft {
  /** A sequence number; without it, the newest events. */
  readonly after?: number;
  readonly limit: number;
}

/** Events in the order of their sequence numbers. */
export function readEvents(
  { after, limit }: EventsDraft,
  { store }: Pick<AdminPorts, 'store'>,
): Promise<readonly LoggedEvent[]> {
  return after === undefined ? store.newestEvents({ count: limit }) : store.events({ after, limit });
}

/**
 * What a follower reads after `after`. Refused if the log now ends before it: the store was restored from a copy, and a
 * follower would wait in silence while those numbers are given out a second time.
 */
export async function readNewEvents(
  draft: Required<EventsDraft>,
  ports: Pick<AdminPorts, 'store'>,
): Promise<AdminOutcome<readonly LoggedEvent[]>> {
  const events = await readEvents(draft, ports);
  if (events.length > 0) return accept(events);
  const { drawn } = await ports.store.eventProgress();
  return drawn >= draft.after
    ? accept(events)
    : decline('event-log-rolled-back', `${draft.after}, and ends at ${drawn} now`);
}

// Counted attempts: limits that hold exactly, across addresses, nodes and restarts.
import { after, type Seconds } from '../core/time.ts';
import { type Attempts, attempts } from '../store/tables/sign-in.ts';
import type { Ports } from './ports.ts';

export interface Limit {
  /** What is counted, for instance the failed sign-ins of one identity. */
  readonly about: string;
  readonly most: number;
  readonly within: Seconds;
}

export interface Attempt {
  /** The attempt succeeded, so it does not count. */
  forgive(): Promise<void>;
}

/**
 * Counts an attempt before it is made, so that any number of parallel ones get no more than `most` between them.
 * Undefined where there were too many. The window runs from the last counted attempt: so no span of its length, wherever
 * it begins, holds more than `most`; refused attempts do not extend it.
 */
export async function allowedAttempt({ about, most, within }: Limit, { store }: Ports): Promise<Attempt | undefined> {
  const allowed = await store.change(attempts, about, (found, now) => {
    const count = found && now < found.row.endsAt ? found.row.count : 0;
    if (count >= most) return { outcome: false };
    return { outcome: true, next: { about, count: count + 1, endsAt: after(now, within) } };
  });
  return allowed ? { forgive: () => forgive(about, store) } : undefined;
}

function forgive(about: string, store: Ports['store']): Promise<void> {
  return store.change(attempts, about, (found) => {
    if (!found || found.row.count === 0) return { outcome: undefined };
    const next: Attempts = { ...found.row, count: found.row.count - 1 };
    return { outcome: undefined, next };
  });
}

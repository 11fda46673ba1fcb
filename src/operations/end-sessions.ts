import { endedNow } from '../core/time.ts';
import { changeEvery } from '../store/pages.ts';
import { type StorePort, writeRow } from '../store/store.ts';
import { type BrowserSession, sessions, sessionsOf } from '../store/tables/sessions.ts';

export function endSession(id: string, { store }: StorePort): Promise<unknown> {
  return writeRow(store, sessions, id, endedNow);
}

/** Ends every browser session of an identity, except `keep`. */
export async function endSessionsOf(identityId: string, { store }: StorePort, keep?: string): Promise<void> {
  const end: typeof endedNow<BrowserSession> = (session, now) =>
    session?.id === keep ? undefined : endedNow(session, now);
  await changeEvery(store, sessions, end, sessionsOf(identityId));
}

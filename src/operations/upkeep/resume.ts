import type { Author } from '../../core/act.ts';
import { acted } from '../../core/event.ts';
import type { GrantId } from '../../core/grant.ts';
import { withOutage } from '../../core/rules/outage.ts';
import { isCovered, NEW_HISTORY, withoutRollback } from '../../core/rules/rollback.ts';
import type { LostAct, Rollback, StoreHistory } from '../../core/store-history.ts';
import { endedNow } from '../../core/time.ts';
import { changeEvery } from '../../store/pages.ts';
import { rowOf, type Store, type StorePort } from '../../store/store.ts';
import { attempts } from '../../store/tables/attempts.ts';
import { SERVICE, serviceTimes } from '../../store/tables/service-times.ts';
import { sessions } from '../../store/tables/sessions.ts';
import { ACCEPTED, acceptance, HISTORY, storeHistory } from '../../store/tables/store-history.ts';
import { endCodes } from '../grant/end-all.ts';
import { revokeById } from '../grant/revoke-grant.ts';

const STEP = 200;

/** Begins the next epoch. Undefined if there is no such rollback. */
export function beginEpoch(
  { store, by }: { readonly store: Store; readonly by: Author },
  isAccepted: (rollback: Rollback) => boolean = () => true,
): Promise<StoreHistory | undefined> {
  const all = [rowOf(storeHistory, HISTORY), rowOf(attempts, ACCEPTED), rowOf(serviceTimes, SERVICE)] as const;
  return store.changeAll(all, ([found, , times], at) => {
    const history = found?.row ?? NEW_HISTORY;
    if (!history.rollback || !isAccepted(history.rollback)) return { outcome: undefined };
    const next = withoutRollback(history);
    const { seen, found: end, noticedAt } = history.rollback;
    const act = { kind: 'store', id: '', did: 'rollback-accepted', epoch: next.epoch, seen, found: end } as const;
    // Callers got 503 meanwhile: their retries are no reuse.
    const outage = withOutage(times?.row, { silentFrom: noticedAt, answeringSince: at });
    return { outcome: next, next: [next, acceptance(at, next.epoch), outage], events: [acted(act, { at, by })] };
  });
}

/** Nodes accept a rollback themselves: the lost revocations are made again first. */
export async function resumeAfter({ lost }: Rollback, store: Store): Promise<void> {
  await revokeAgain(lost, store);
  await endOpenSteps({ store });
  // A node that was not known may have added acts meanwhile.
  const isSame = (rollback: Rollback) => isCovered(rollback) && rollback.lost.length === lost.length;
  await beginEpoch({ store, by: { as: 'service', why: 'rollback' } }, isSame);
}

export async function revokeAgain(lost: readonly LostAct[], store: Store): Promise<void> {
  const ended = lost.flatMap(({ type, subjectId, detail }) =>
    type === 'revoked' && subjectId !== undefined ? [{ id: subjectId as GrantId, reason: detail.reason }] : [],
  );
  for (let done = 0; done < ended.length; done += STEP)
    await Promise.all(ended.slice(done, done + STEP).map(({ id, reason }) => revokeById(id, reason, { store })));
}

/** What people had begun: some of it may have ended before the store was put back. */
export async function endOpenSteps({ store }: StorePort): Promise<void> {
  await endCodes({}, { store });
  await changeEvery(store, sessions, endedNow);
}

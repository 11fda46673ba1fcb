import { setTimeout as sleep } from 'node:timers/promises';
import { acted } from '../../core/event.ts';
import { accept } from '../../core/outcome.ts';
import type { Rollback, StoreHistory } from '../../core/store-history.ts';
import { takeBack } from '../../store/move-mark.ts';
import { readHistory } from '../../store/tables/store-history.ts';
import { beginEpoch, endOpenSteps } from '../upkeep/resume.ts';
import { type AdminOutcome, type AdminPorts, decline, type StorePort } from './admin.ts';

/** Nodes are ready again within seconds, without a restart. Refused if a node has added acts to those that were handled. */
export async function acceptRollback(
  ports: AdminPorts,
  handled?: Pick<Rollback, 'lost'>,
): Promise<AdminOutcome<StoreHistory>> {
  const { epoch, rollback } = await readHistory(ports.store);
  if (!rollback) return decline('rollback-none', String(epoch));
  await endOpenSteps(ports);
  const { length } = (handled ?? rollback).lost;
  const begun = await beginEpoch(ports, ({ lost }) => lost.length === length);
  return begun ? accept(begun) : decline('rollback-grew', String(length));
}

const HEARD_MS = 5_000;

/** The history, once every node that ran has written what it remembers, or has had time to. */
export async function heardHistory({ store }: StorePort): Promise<StoreHistory> {
  const latest = performance.now() + HEARD_MS;
  for (;;) {
    const history = await readHistory(store);
    if (!history.rollback?.awaited?.length || performance.now() > latest) return history;
    await sleep(100);
  }
}

/** The operator gives up the store that this one was moved to: services may start here again. */
export function takeStoreBack({ store, by }: AdminPorts): Promise<void> {
  return takeBack(store, (at) => acted({ kind: 'store', id: '', did: 'taken-back' }, { at, by }));
}

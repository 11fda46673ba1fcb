// Identities of directories elsewhere. Their row is kept as last seen, since grants, sessions and events refer to it.

import { setTimeout as sleep } from 'node:timers/promises';
import { acted } from '../../core/event.ts';
import { DirectoryAway, Overloaded } from '../../core/faults.ts';
import { type Identity, type IdentityId, isLocal, LOCAL, labelOf } from '../../core/identity.ts';
import { keepSeen } from '../../core/rules/directory.ts';
import type { EpochSeconds } from '../../core/time.ts';
import type { Lookup } from '../../directory/directory.ts';
import type { Decision } from '../../store/store.ts';
import { grantsOf } from '../../store/tables/grants.ts';
import { byEmail, byUpn, byUserName, identities } from '../../store/tables/identities.ts';
import type { Ports } from '../ports.ts';
import { revokeAll } from './revoke-grant.ts';

export type KeepSeen = (seen: Identity, ports: Pick<Ports, 'store'>) => Promise<Identity>;

export interface NameQuery {
  readonly by: Lookup;
  readonly name: string;
  /** Labels; if undefined, the local directory. */
  readonly directories: readonly string[] | undefined;
}

export async function findNamed(
  { by, name, directories = [LOCAL] }: NameQuery,
  ports: Pick<Ports, 'store' | 'directories'>,
  { seen: keep }: { readonly seen: KeepSeen },
): Promise<readonly Identity[]> {
  const found = await Promise.all(directories.map((label) => findIn(label, by, name, ports)));
  const [only, ...others] = found.flat();
  // Nobody is kept whose name somebody else has too: neither of them gets anything.
  if (!only || others.length > 0) return found.flat();
  return [isLocal(only) || only.seenAt !== undefined ? only : await keep(only, ports)];
}

const STORED_BY = { byUserName, byEmail, byUpn };

/** While the directory is away, its rows are used as last seen. */
async function findIn(
  label: string,
  by: Lookup,
  name: string,
  { store, directories }: Pick<Ports, 'store' | 'directories'>,
): Promise<readonly Identity[]> {
  const lookUp = async () => directories.get(label)[by](name);
  return lookUp().catch(async (fault: unknown) => {
    if (!(fault instanceof DirectoryAway)) throw fault;
    const now = await store.now();
    const rows = await store.find(identities, STORED_BY[by](name));
    const trusted = rows.filter(
      (row) => row.seenAt !== undefined && labelOf(row) === label && directories.isTrusted(row, now),
    );
    if (trusted.length === 0) throw fault;
    return trusted;
  });
}

export const storeSeen: KeepSeen = async (seen, ports) => (await settle(seen.id, seen, ports)) ?? seen;

/** Brings the row to what the directory says; undefined: the entry is gone. Grants of an ended account end. */
export function settle(id: IdentityId, seen: Identity | undefined, ports: Pick<Ports, 'store'>) {
  return settleBy(id, () => seen, ports);
}

type Settled = Identity | 'returning' | undefined;

/** The same, with what the directory says as a change of what it said before. */
export async function settleBy(
  id: IdentityId,
  see: (before: Identity | undefined) => Identity | undefined,
  ports: Pick<Ports, 'store'>,
): Promise<Identity | undefined> {
  const { store } = ports;
  const end = () => revokeAll(grantsOf.holder(id), 'account-ended', ports);
  let hasEndedGrants = false;
  const decide = (found: { readonly row: Identity } | undefined, now: EpochSeconds): Decision<Identity, Settled> => {
    const seen = see(found?.row);
    if (!hasEndedGrants && found?.row.endedAt !== undefined && seen?.enabled) return { outcome: 'returning' };
    const kept = keepSeen(found?.row, seen, now);
    if (!kept?.isNew) return { outcome: kept?.row };
    const by = { as: 'service', why: 'directory' } as const;
    const events = kept.deed ? [acted({ ...kept.deed, kind: 'identity', id }, { at: now, by })] : [];
    return { outcome: kept.row, next: kept.row, events };
  };
  let row = await store.change(identities, id, decide);
  if (row === 'returning') {
    // Not with grants that a dying node left unrevoked.
    await end();
    hasEndedGrants = true;
    row = (await store.change(identities, id, decide)) as Identity | undefined;
  }
  if (row?.endedAt !== undefined) await end();
  return row;
}

/** A row that may still be used waits no longer than this for a directory that does not answer. */
const PATIENCE_MS = 1_000;

/**
 * Asks the directory about a holder whose row is due. An entry that cannot be seen counts as a directory that is away: only the
 * walk, which knows how many others cannot be seen, ends it. Throws DirectoryAway if the row is too old to be used.
 */
export async function recheck(
  holder: Identity,
  now: EpochSeconds,
  ports: Pick<Ports, 'store' | 'directories'>,
): Promise<void> {
  const { directories } = ports;
  const isTrusted = directories.isTrusted(holder, now);
  const answer = directories.current(holder).then(
    (seen) => ({ seen, why: 'the entry cannot be seen' }),
    (why: unknown) => ({ seen: undefined, why }),
  );
  const late = { seen: undefined, why: new DirectoryAway('it takes too long') };
  const { seen, why } = isTrusted
    ? await Promise.race([answer, sleep(PATIENCE_MS, late, { ref: false })])
    : await answer;
  if (seen) return void (await settle(holder.id, seen, ports));
  if (why instanceof Error && !(why instanceof DirectoryAway || why instanceof Overloaded)) throw why;
  if (!isTrusted) throw new DirectoryAway(`${holder.id}: ${String(why)}`);
}

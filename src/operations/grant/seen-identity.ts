// Identities of directories elsewhere, and those made from what a certificate or an assertion says. Their rows are kept, since grants,
// sessions and events refer to them.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Author } from '../../core/act.ts';
import { acted } from '../../core/event.ts';
import { DirectoryAway, Overloaded } from '../../core/faults.ts';
import { firstHalf } from '../../core/hex.ts';
import { type Identity, type IdentityId, INTEGRATION_LABEL, isLocal, LOCAL, labelOf } from '../../core/identity.ts';
import type { Integration } from '../../core/integration.ts';
import { accept, type Outcome, refuse } from '../../core/outcome.ts';
import { keepSeen } from '../../core/rules/directory.ts';
import type { EpochSeconds } from '../../core/time.ts';
import type { Lookup } from '../../directory/directory.ts';
import type { Decision, StorePort } from '../../store/store.ts';
import { byEmail, byUpn, byUserName, identities } from '../../store/tables/identities.ts';
import { sha256 } from '../../tokens/sha256.ts';
import { endSessionsOf } from '../end-sessions.ts';
import type { Ports } from '../ports.ts';
import { endAll } from './end-all.ts';

export interface NameQuery {
  readonly by: Lookup;
  readonly name: string;
  /** Labels; if undefined, the local directory. */
  readonly directories: readonly string[] | undefined;
  /** What has the name. */
  readonly of: 'certificate' | 'assertion';
}

/** Two matches are refused; we never pick one (CVE-2022-26923). Nor is a row kept of either of them. */
export async function findNamed(
  { by, name, directories = [LOCAL], of }: NameQuery,
  ports: Pick<Ports, 'store' | 'directories'>,
): Promise<Outcome<Identity>> {
  const found = await Promise.all(directories.map((label) => findIn(label, by, name, ports)));
  const [only, ...others] = found.flat();
  if (!only) return refuse(`${of}-identity-unknown`);
  if (others.length > 0) return refuse(`${of}-identity-ambiguous`);
  return accept(isLocal(only) || only.seenAt !== undefined ? only : await storeSeen(only, ports));
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

export async function storeSeen(seen: Identity, ports: StorePort): Promise<Identity> {
  return (await settle(seen.id, seen, ports)) ?? seen;
}

/** Brings the row to what the directory says; undefined: the entry is gone. Codes, sessions and grants of an ended account end. */
export function settle(id: IdentityId, seen: Identity | undefined, ports: StorePort) {
  return settleBy(id, () => seen, ports);
}

type Settled = Identity | 'returning' | undefined;

/** The same, with what the directory says as a change of what it said before. */
export async function settleBy(
  id: IdentityId,
  see: (before: Identity | undefined) => Identity | undefined,
  ports: StorePort,
): Promise<Identity | undefined> {
  const { store } = ports;
  const end = async () => {
    await endSessionsOf(id, ports);
    await endAll({ holder: id }, 'account-ended', ports);
  };
  let hasEnded = false;
  const decide = (found: { readonly row: Identity } | undefined, now: EpochSeconds): Decision<Identity, Settled> => {
    const seen = see(found?.row);
    if (!hasEnded && found?.row.endedAt !== undefined && seen?.enabled) return { outcome: 'returning' };
    const kept = keepSeen(found?.row, seen, now);
    if (!kept?.isNew) return { outcome: kept?.row };
    const by = { as: 'service', why: 'directory' } as const;
    const events = kept.deed ? [acted({ ...kept.deed, kind: 'identity', id }, { at: now, by })] : [];
    return { outcome: kept.row, next: kept.row, events };
  };
  let row = await store.change(identities, id, decide);
  if (row === 'returning') {
    // Not with what a dying node has left.
    await end();
    hasEnded = true;
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

/** The row is created on first use, so that an operator can disable the identity. `source`: what it was made from. */
export function storeDerived(derived: Identity, source: string, { store }: StorePort): Promise<Identity> {
  return store.change(identities, derived.id, (found, now) => {
    if (found) return { outcome: found.row };
    const act = { kind: 'identity', id: derived.id, did: 'derived', source } as const;
    const by: Author = { as: 'service', why: 'first-use' };
    return { outcome: derived, next: derived, events: [acted(act, { at: now, by })] };
  });
}

/** `LABEL:` + hex of the first 16 bytes of a SHA-256 over what it is made from. */
export function derivedIdentity(label: string, from: string, name: string): Identity {
  const id = `${label}:${firstHalf(sha256(from))}` as IdentityId;
  return { id, enabled: true, mayUseApi: true, groups: [], userName: `${label}/${name}` };
}

export function integrationIdentity({ clientId }: Pick<Integration, 'clientId'>): Identity {
  return derivedIdentity(INTEGRATION_LABEL, `${INTEGRATION_LABEL}\0${clientId}`, clientId);
}

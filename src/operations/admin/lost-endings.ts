// After the store was put back to an older state: what had ended since then and works again, and how it is ended again.
import { hash } from 'node:crypto';
import { type Act, type ActOf, type EndingAct, type EndingKind, isEnding, KIND_WORDS, lifeOf } from '../../core/act.ts';
import { acted } from '../../core/event.ts';
import { type GrantId, grantState, type RevocationReason } from '../../core/grant.ts';
import { keyMarks } from '../../core/integration.ts';
import { secretMark } from '../../core/resource-server.ts';
import { endedBy, endsBetween, isUndone, type RowOf } from '../../core/rules/endings.ts';
import type { LostAct } from '../../core/store-history.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { readCertificate } from '../../pki/x509/certificate.ts';
import { REGISTERED } from '../../store/all-tables.ts';
import { eventPages, rows } from '../../store/pages.ts';
import { MOST_ROWS, rowOf, type Store, type StorePort } from '../../store/store.ts';
import type { Table } from '../../store/table.ts';
import { grants } from '../../store/tables/grants.ts';
import { integrations } from '../../store/tables/integrations.ts';
import { issuers } from '../../store/tables/issuers.ts';
import { resourceServers } from '../../store/tables/resource-servers.ts';
import { tokenIssuers } from '../../store/tables/token-issuers.ts';
import type { Keyring } from '../../tokens/keyring.ts';
import { revokeById } from '../grant/revoke-grant.ts';
import type { AdminPorts } from './admin.ts';

/** A grant that was revoked, or an act that ended a registered thing. */
export type LostEnding = (
  | { readonly kind: 'grant'; readonly id: GrantId; readonly reason: RevocationReason; readonly clientId?: string }
  | EndingAct
) & { readonly at?: EpochSeconds };

export function nameOf(kind: LostEnding['kind']): { readonly one: string; readonly many: string } {
  return kind === 'grant' ? { one: 'grant', many: 'grants' } : KIND_WORDS[kind];
}

/** From the acts that nodes remembered. What was opened again afterwards has not ended. */
export async function endingsFromActs(lost: readonly LostAct[], { store }: StorePort): Promise<readonly LostEnding[]> {
  const endings = new Map<string, LostEnding[]>();
  for (const { type, at, subjectId, clientId, detail } of lost) {
    if (type === 'revoked') {
      const grant = { kind: 'grant', id: subjectId as GrantId, reason: detail.reason, at } as const;
      endings.set(`grant ${subjectId}`, [{ ...grant, ...(clientId && { clientId }) }]);
    } else if (type === 'administered') {
      const { by: _, ...act } = detail;
      const thing = `${act.kind} ${act.id}`;
      if (isEnding(act)) endings.set(thing, [...(endings.get(thing) ?? []), { ...act, at }]);
      else if (act.kind === 'integration' && gaveProof(act))
        endings.set(thing, [...withoutKeys(act, endings.get(thing) ?? []), withoutProof(act.id, at)]);
      else if (lifeOf(act) === 'opens') endings.set(thing, await leftBy(act, endings.get(thing) ?? [], store));
    }
  }
  const found: LostEnding[] = [];
  for (const each of [...endings.values()].flat()) if (await works(each, store)) found.push(each);
  return found;
}

/** Whether an integration was confidential from then on. */
function gaveProof(act: ActOf<'integration'>): boolean {
  return act.did === 'key-added' || (act.did === 'changed' && act.changed?.['confidential']?.after === true);
}

/** What it was given is lost, and must not leave it public. */
function withoutProof(id: string, at: EpochSeconds): LostEnding {
  return { kind: 'integration', id, did: 'key-removed', ended: [], at };
}

/** Keys that were removed and added again work. */
function withoutKeys(act: ActOf<'integration'>, ended: readonly LostEnding[]): LostEnding[] {
  const added = act.did === 'key-added' ? act.key : '';
  return ended.map((each) =>
    each.kind === 'integration' && each.did === 'key-removed'
      ? { ...each, ended: each.ended.filter((mark) => !added.split(' ').includes(mark)) }
      : each,
  );
}

/** What stays ended when its id is used again: another authority or platform may have it, and what authenticates has other secrets and keys. */
async function leftBy(act: Act, ended: readonly LostEnding[], store: Store): Promise<LostEnding[]> {
  if (act.kind === 'issuer' && act.did === 'approved') {
    const { found } = await store.load(issuers, act.id);
    return found && hash('sha256', found.row.certificate) === act.fingerprint ? [] : [...ended];
  }
  if (act.kind === 'token-issuer' && act.did === 'added') {
    const { found } = await store.load(tokenIssuers, act.id);
    return found?.row.issuer === act.issuer ? [] : [...ended];
  }
  if (act.kind !== 'resource-server' && act.kind !== 'integration') return [];
  if (act.did === 'enabled') return ended.filter((each) => !('did' in each && each.did === 'disabled'));
  const { found } = await (act.kind === 'integration'
    ? store.load(integrations, act.id)
    : store.load(resourceServers, act.id));
  const marks = found?.row.secrets?.map(secretMark) ?? [];
  const keys = found && 'keys' in found.row ? keyMarks(found.row.keys) : [];
  const { kind, id } = act;
  return ended.flatMap(({ at }) => [
    { kind, id, did: 'secret-dropped', ended: marks, ...(at && { at }) } as const,
    ...(keys.length > 0
      ? [{ kind: 'integration', id, did: 'key-removed', ended: keys, ...(at && { at }) } as const]
      : []),
  ]);
}

/** From a copy of the store that is newer than the state it was put back to. */
export async function endingsFromCopy(copy: Pick<Store, 'page'>, ports: StorePort): Promise<readonly LostEnding[]> {
  const found: LostEnding[] = await registeredEndings(copy, ports);
  for await (const { id, revoked, clientId } of rows(copy, grants)) {
    const grant = revoked && ({ kind: 'grant', id, clientId, ...revoked } as const);
    if (grant && (await works(grant, ports.store))) found.push(grant);
  }
  return found;
}

/** The same, of registered things alone. */
export async function registeredEndings(copy: Pick<Store, 'page'>, { store }: StorePort): Promise<LostEnding[]> {
  const found: LostEnding[] = [];
  for (const kind of Object.keys(REGISTERED) as EndingKind[]) found.push(...(await endingsOf(kind, copy, store)));
  return found;
}

async function endingsOf<K extends EndingKind>(kind: K, copy: Pick<Store, 'page'>, store: Store) {
  const table: Table<RowOf[K]> = REGISTERED[kind];
  const found: LostEnding[] = [];
  for await (const newer of rows(copy, table)) {
    const id = table.keyOf(newer);
    const { found: older, now } = await store.load(table, id);
    if (!older) continue;
    const last = isOther(newer, older.row) ? { ...newer, enabled: false } : newer;
    found.push(...endsBetween(kind, last, older.row, now).map((deed) => ({ ...deed, kind, id }) as never));
  }
  return found;
}

/** Whether the label of an approved issuer was given to another authority. A renewed certificate has the same key. */
function isOther(newer: RowOf[EndingKind], older: RowOf[EndingKind]): boolean {
  if (!('certificate' in newer && 'certificate' in older)) return false;
  const [one, two] = [readCertificate(newer.certificate), readCertificate(older.certificate)];
  return !(one.ok && two.ok && Buffer.compare(one.value.publicKey.spki, two.value.publicKey.spki) === 0);
}

/** Other acts that a newer copy has and the store has lost, oldest first: an operator repeats those that are still wanted. */
export async function lostChanges(
  copy: Pick<Store, 'events'>,
  { store }: StorePort,
): Promise<readonly (Act & { readonly at: EpochSeconds })[]> {
  const [newest] = await store.newestEvents({ count: 1 });
  const found: (Act & { readonly at: EpochSeconds })[] = [];
  for await (const page of eventPages(copy, STEP, { after: newest?.sequence ?? 0, acts: true }))
    for (const { type, at, detail } of page)
      if (type === 'administered' && !isEnding(detail)) found.push({ ...detail, at });
  return found;
}

const STEP = 1000;

/** From the keyring, which is not put back together with a store: a key that it says was retired. */
export async function endingsFromKeyring(keyring: Keyring, { store }: StorePort): Promise<LostEnding[]> {
  const found: LostEnding[] = [];
  for (const id of keyring.retired) {
    const ending: EndingAct =
      typeof id === 'number'
        ? { kind: 'key', id: String(id), did: 'retired' }
        : { kind: 'signing-key', id, did: 'removed' };
    if (await works(ending, store)) found.push(ending);
  }
  return found;
}

/** What the store does not know does not work. */
async function works(ending: LostEnding, store: Store): Promise<boolean> {
  if (ending.kind === 'grant') {
    const { found, now } = await store.load(grants, ending.id);
    return found !== undefined && grantState(found.row, now) === 'live';
  }
  const { found, now } = await store.load(tableOf(ending.kind), ending.id);
  return found !== undefined && isUndone(ending.kind, found.row, ending, now);
}

/** Ends all of it again, for the same reasons as before: registered things in one commit. */
export async function endAgain(endings: readonly LostEnding[], ports: AdminPorts): Promise<void> {
  for (const ending of endings) if (ending.kind === 'grant') await revokeById(ending.id, ending.reason, ports);
  const acts = endings.filter((ending) => ending.kind !== 'grant');
  const things = [...Map.groupBy(acts, ({ kind, id }) => `${kind} ${id}`).values()];
  for (let at = 0; at < things.length; at += MOST_ROWS) await endThings(things.slice(at, at + MOST_ROWS), ports);
}

/** The acts on one thing, in their order. */
type Acts = readonly (EndingAct & { readonly at?: EpochSeconds })[];

async function endThings(things: readonly Acts[], { store, by }: AdminPorts): Promise<void> {
  const rows = things.map(([first]) => rowOf(tableOf(first?.kind as EndingKind), first?.id ?? ''));
  await store.changeAll(rows, (found, now) => ({
    outcome: undefined,
    next: things.map((acts, place) => {
      const row = found[place]?.row;
      return row && acts.reduce((next, act) => endedBy(act.kind, next, act, now), row);
    }),
    events: things.flat().map((ended) => {
      const { at: _at, ...act } = ended;
      return acted(act as EndingAct, { at: now, by });
    }),
  }));
}

function tableOf(kind: EndingKind): Table<RowOf[EndingKind]> {
  return REGISTERED[kind] as unknown as Table<RowOf[EndingKind]>;
}

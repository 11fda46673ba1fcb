import type { EndingDeedOf } from '../../core/act.ts';
import { foldName } from '../../core/certificate.ts';
import { acted } from '../../core/event.ts';
import { type Identity, type IdentityId, isLocal, localIdentityId } from '../../core/identity.ts';
import { accept } from '../../core/outcome.ts';
import type { Passkey } from '../../core/passkey.ts';
import { endedBy, isRemoved } from '../../core/rules/endings.ts';
import { attemptsAs } from '../../core/rules/sign-in.ts';
import { type EpochSeconds, isoTime } from '../../core/time.ts';
import { firstPassword, resetPassword } from '../../directory/local/passwords.ts';
import { PASSWORD_RULES as RULES } from '../../directory/password-rules.ts';
import { type StorePort, writeRow } from '../../store/store.ts';
import type { Where } from '../../store/table.ts';
import { attempts } from '../../store/tables/attempts.ts';
import { byEmail, byUpn, byUserName, identities } from '../../store/tables/identities.ts';
import type { Secret } from '../../tokens/secret.ts';
import { endSessionsOf } from '../end-sessions.ts';
import { invitePasskey, passkeysOf, removePasskeys } from '../person/passkeys.ts';
import { nameMark } from '../person/sign-in.ts';
import type { Random } from '../ports.ts';
import { endGrants } from './acts/work/grant.ts';
import { rowOf, unlessEmpty, type Whole } from './acts/work/kind.ts';
import { type Acted, type AdminOutcome, type AdminPorts, decline } from './admin.ts';
import { findIdentity } from './find-identity.ts';
import type { WrittenIdentity } from './objects.ts';
import { changedBetween, type PlannedOf, performPlan } from './perform.ts';
import { ADDRESS, USER_NAME } from './text-forms.ts';

/** What is absent stays. An empty address is removed. */
export type IdentityChange = Omit<WrittenIdentity, 'id' | 'password' | 'enabled' | 'seenAt' | 'endedAt'>;

export interface IdentityDraft extends IdentityChange {
  readonly userName: string;
  /** Absent for identities that authorize by certificate alone. */
  readonly password?: Secret;
}

/** A new identity of the local directory, with its password in the same commit. */
export async function addIdentity(
  draft: IdentityDraft,
  { store, by, random }: AdminPorts & { readonly random: Random },
): Acted<Identity> {
  const objection = objectionTo(draft);
  if (objection) return objection;
  const id = localIdentityId(guid(random));
  const next = draftedIdentity({ id, enabled: true, mayUseApi: true, groups: [] }, draft);
  const inserts = draft.password ? [await firstPassword(id, draft.password)] : [];
  const deeds = [{ did: 'added', userName: draft.userName }] as const;
  const row = { kind: 'identity', key: id, revision: undefined, next, deeds, inserts } as const;
  const plan = async () => (await objectionOfOthers(draft, { store })) ?? accept([row]);
  const added = await performPlan(plan, { store, by });
  return added.ok ? accept(next) : added;
}

type DraftPart = Partial<IdentityDraft>;

export function objectionTo({ userName, email, upn, password, groups = [] }: DraftPart) {
  if (userName !== undefined && !USER_NAME.test(userName)) return decline('user-name-malformed', userName);
  const malformed = [email, upn].find((address) => address && !ADDRESS.test(address));
  if (malformed) return decline('address-malformed', malformed);
  if (groups.some((group) => !USER_NAME.test(group))) return decline('text-malformed', 'group');
  return password && declinePassword(password);
}

async function objectionOfOthers(draft: DraftPart, { store }: StorePort, self?: IdentityId) {
  const { userName, email, upn, mayShare = false } = draft;
  const others = async (where: Where) => (await store.find(identities, where)).filter(({ id }) => id !== self);
  if (userName !== undefined && (await others(byUserName(userName))).some(isLocal))
    return decline('user-name-taken', userName);
  if (mayShare) return undefined;
  const wanted = [
    { address: email && foldName('email-san', email), by: byEmail },
    { address: upn && foldName('upn-san', upn), by: byUpn },
  ];
  for (const { address, by } of wanted) {
    if (address && (await others(by(address))).length > 0) return decline('address-shared', address);
  }
  return undefined;
}

/** A random GUID (RFC 9562 version 4), in lower case. */
function guid(random: Random): string {
  const bytes = random(16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Whoever was removed is not brought back: grants and events name the row, and nothing else does. */
async function findPerson(name: string, ports: StorePort): Acted<Identity> {
  const known = await findIdentity(name, ports);
  return known.ok && isRemoved(known.value) ? decline('identity-unknown', name) : known;
}

type Changed = Pick<PlannedOf<'identity'>, 'next' | 'deeds'>;

/** With the others' names, and what is said of all operators, as they are when it is committed. */
async function changePerson(
  name: string,
  ports: AdminPorts,
  change: (row: Identity) => AdminOutcome<Changed> | Acted<Changed>,
): Acted<Identity> {
  const done = await performPlan(async () => {
    const known = await findPerson(name, ports);
    if (!known.ok) return known;
    const { found } = await ports.store.load(identities, known.value.id);
    if (!found || isRemoved(found.row)) return decline('identity-unknown', name);
    const { row, revision } = found;
    if (ports.onlyIf !== undefined && revision !== ports.onlyIf) return decline('changed-meanwhile', name);
    const changed = await change(row);
    return changed.ok ? accept([{ kind: 'identity', key: row.id, revision, ...changed.value } as const]) : changed;
  }, ports);
  return done.ok ? accept(done.value[0]?.next as Identity) : done;
}

/** Changes an identity of the local directory. Its grants and its password stay. */
export function changeIdentity(name: string, change: IdentityChange, ports: AdminPorts): Acted<Identity> {
  return changePerson(name, ports, async (row) => {
    if (!isLocal(row)) return decline('identity-not-local', row.id);
    const checked = checkedPart(change, row);
    const objection = objectionTo(checked) ?? (await objectionOfOthers(checked, ports, row.id));
    if (objection) return objection;
    const next = draftedIdentity(row, change);
    return accept({ next, deeds: [{ did: 'changed', ...changedBetween(row, next) }] });
  });
}

/** An address that stays, or is removed, needs no check. */
function checkedPart({ email, upn, ...rest }: IdentityChange, before: Identity) {
  return {
    ...rest,
    ...(email && foldName('email-san', email) !== before.email && { email }),
    ...(upn && foldName('upn-san', upn) !== before.upn && { upn }),
  };
}

/** What the change leaves out stays. Addresses are folded as a certificate's name is before it is looked up. */
export function draftedIdentity(before: Identity, change: IdentityChange): Identity {
  const { email, upn, groups = before.groups } = change;
  const next: Whole<Identity> = {
    id: before.id,
    enabled: before.enabled,
    mayUseApi: change.mayUseApi ?? before.mayUseApi,
    groups: [...new Set(groups)],
    userName: change.userName ?? before.userName,
    email: email === undefined ? before.email : unlessEmpty(foldName('email-san', email)),
    upn: upn === undefined ? before.upn : unlessEmpty(foldName('upn-san', upn)),
    seenAt: before.seenAt,
    endedAt: before.endedAt,
    pushed: before.pushed,
  };
  return rowOf(next, before);
}

/** A disabled identity fails every check, refresh and sign-in from the next request on, at every node. */
export function enableIdentity(name: string, enabled: boolean, ports: AdminPorts): Acted<Identity> {
  return changePerson(name, ports, (row) =>
    enabled
      ? accept({ next: { ...row, enabled }, deeds: [{ did: 'enabled' }] })
      : ended(row, { did: 'disabled' }, ports),
  );
}

async function ended(row: Identity, deed: EndingDeedOf<'identity'>, { store }: StorePort): Acted<Changed> {
  return accept({ next: endedBy('identity', row, deed, await store.now()), deeds: [deed] });
}

/** Its names are free for others. A row with its id stays, since ended grants and events name it. Returns how many grants ended. */
export async function removeIdentity(name: string, { isConfirmed }: { isConfirmed: boolean }, ports: AdminPorts) {
  // First disabled, so that no grant begins while the others are ended.
  const identity = await changePerson(name, ports, (row) => {
    const { id, userName = '' } = row;
    if (!isLocal(row)) return decline('identity-derived', id);
    if (!isConfirmed) return decline('removal-unconfirmed', userName || id);
    return ended(row, { did: 'removed', userName }, ports);
  });
  if (!identity.ok) return identity;
  const grants = await endGrants({ filter: { identity: identity.value.id }, isConfirmed }, ports);
  return grants.ok ? accept({ identity: identity.value, grants: grants.value.grants }) : grants;
}

function declinePassword(password: Secret) {
  switch (RULES.findFlaw(password)) {
    case 'too-short':
      return decline('password-too-short', `${RULES.minLength}`);
    case 'too-long':
      return decline('text-malformed', 'password');
    case undefined:
      return undefined;
  }
}

/** Sessions of the old one end. No browser is known for the new one, so failures that others caused would lock the person out. */
export async function setPassword(name: string, password: Secret, { store, by }: AdminPorts): Acted<Identity> {
  const objection = declinePassword(password);
  if (objection) return objection;
  const identity = await findPerson(name, { store });
  if (!identity.ok) return identity;
  const { id } = identity.value;
  if (!isLocal(identity.value)) return decline('identity-not-local', id);
  const event = (at: EpochSeconds) => acted({ kind: 'identity', id, did: 'password-set' }, { at, by });
  await resetPassword(id, { next: password, event }, store);
  await endSessionsOf(id, { store });
  const { userName = '' } = identity.value;
  await writeRow(store, attempts, attemptsAs(nameMark(userName)), (row) => row && { ...row, count: 0 });
  return accept(identity.value);
}

// The passkeys of a local identity, for operators: somebody lost one, or it was stolen.

export async function listPasskeys(name: string, { store }: StorePort) {
  const identity = await findPerson(name, { store });
  return identity.ok ? accept((await passkeysOf(identity.value.id, { store })).map(shown)) : identity;
}

/** Whoever signs in as this identity adds one passkey with it, with which they administer the service if they may. */
export async function inviteToPasskey(name: string, ports: AdminPorts & { readonly random: Random }) {
  const identity = await findPerson(name, ports);
  if (!identity.ok) return identity;
  const { id } = identity.value;
  if (!isLocal(identity.value)) return decline('identity-not-local', id);
  const { code, until } = await invitePasskey(id, ports);
  return accept({ invitation: code.reveal(), endsAt: isoTime(until) });
}

/** `passkey`: the name or the id of one. Browser sessions of the identity end. */
export async function removePasskey(
  name: string,
  { passkey = '', all = false }: { readonly passkey?: string; readonly all?: boolean },
  ports: AdminPorts,
) {
  const identity = await findPerson(name, ports);
  if (!identity.ok) return identity;
  const isMeant = (key: Passkey) => all || key.id === passkey || key.name === passkey;
  const removed = await removePasskeys(identity.value.id, isMeant, ports);
  if (removed.length > 0) return accept(removed.map(shown));
  return decline('passkey-unknown', passkey === '' ? 'at all' : passkey);
}

function shown({ id, name, createdAt, usedAt }: Passkey) {
  return { id, name, createdAt: isoTime(createdAt), ...(usedAt !== undefined && { usedAt: isoTime(usedAt) }) };
}

// Users that a directory pushes (SCIM). Each is the identity of the person who signs in at its OpenID provider.

import { foldName, isPlainName } from '../../core/certificate.ts';
import {
  foldCase,
  type Identity,
  type IdentityId,
  isKnown,
  type KnownUser,
  labelOf,
  type PushedUser,
} from '../../core/identity.ts';
import { accept, type Outcome, refused } from '../../core/outcome.ts';
import { isPresent } from '../../core/rules/directory.ts';
import { claimedId } from '../../directory/names-here.ts';
import { rows } from '../../store/pages.ts';
import type { StorePort } from '../../store/store.ts';
import type { Where } from '../../store/table.ts';
import { byUserName, identities, seenIn } from '../../store/tables/identities.ts';
import { settleBy } from './seen-identity.ts';

/** A directory that is pushed to. */
export interface Pushing {
  readonly label: string;
  /** Of the OpenID provider where its people sign in. */
  readonly issuer: string;
  /** The attribute whose value is the last claim that identities are made from. */
  readonly id: 'externalId' | 'userName';
  /** The values of the claims before it. */
  readonly firstClaims: readonly string[];
}

export type PushReason =
  | 'unknown'
  | 'exists'
  | 'id-missing'
  | 'id-changed'
  | 'name-malformed'
  | 'member-unknown'
  | 'groups-too-many';
export type Pushed<T> = Outcome<T, PushReason>;

export async function createUser(user: PushedUser, pushing: Pushing, ports: StorePort): Promise<Pushed<KnownUser>> {
  const id = idOf(user, pushing);
  if (id === undefined) return refused('id-missing');
  const flaw = isKnown(await loadRow(id, ports)) ? 'exists' : await flawOf(user, id, ports);
  return flaw ? refused(flaw) : accept((await write(id, () => user, ports)) as KnownUser);
}

/** `change` is called again if somebody else changes the user meanwhile. */
export async function changeUser<Flaw>(
  id: IdentityId,
  change: (before: PushedUser) => Outcome<PushedUser, Flaw>,
  pushing: Pushing,
  ports: StorePort,
): Promise<Outcome<KnownUser, PushReason | Flaw>> {
  const row = await loadRow(id, ports);
  if (!isKnown(row)) return refused('unknown');
  let user = change(row.pushed);
  if (!user.ok) return user;
  // The id must stay what it is at the provider.
  if (idOf(user.value, pushing) !== id) return refused('id-changed');
  const flaw = await flawOf(user.value, id, ports);
  if (flaw) return refused(flaw);
  // Somebody may have deleted it meanwhile: it is not changed back to life.
  const again = (before: PushedUser | undefined) => {
    if (before) user = change(before);
    return before && user.ok ? user.value : before;
  };
  const changed = await write(id, again, ports);
  if (!user.ok) return user;
  return isKnown(changed) ? accept(changed) : refused('unknown');
}

/** Its grants end. Its names are free for others. */
export function removeUser(id: IdentityId, ports: StorePort): Promise<unknown> {
  return write(id, () => ({ userName: '', active: false, emails: [], isGone: true }), ports);
}

export async function findUser(id: IdentityId, ports: StorePort): Promise<KnownUser | undefined> {
  const row = await loadRow(id, ports);
  return isKnown(row) ? row : undefined;
}

export async function findUsers(
  by: 'userName' | 'externalId',
  value: string,
  pushing: Pushing,
  ports: StorePort,
): Promise<readonly KnownUser[]> {
  const { label } = pushing;
  if (by === 'userName') return inDirectory(label, byUserName(foldCase(value)), ports);
  if (pushing.id === 'externalId') return [(await findUser(idFor(value, pushing), ports)) ?? []].flat();
  const found: KnownUser[] = [];
  for await (const user of allUsers(label, ports)) if (user.pushed.externalId === value) found.push(user);
  return found;
}

/** `type`: of that address, if it matters. */
export async function usersByEmail(
  { value, type }: { readonly value: string; readonly type?: string | undefined },
  label: string,
  ports: StorePort,
): Promise<readonly KnownUser[]> {
  const wanted = foldCase(value);
  const found: KnownUser[] = [];
  for await (const user of allUsers(label, ports)) {
    const { emails } = user.pushed;
    if (emails.some((one) => foldCase(one.value) === wanted && (type === undefined || one.type === type)))
      found.push(user);
  }
  return found;
}

export async function* allUsers(label: string, { store }: StorePort): AsyncGenerator<KnownUser> {
  for await (const row of rows(store, identities, { where: seenIn(label) })) if (isKnown(row)) yield row;
}

async function inDirectory(label: string, where: Where, { store }: StorePort): Promise<readonly KnownUser[]> {
  return (await store.find(identities, where)).filter(isKnown).filter((row) => labelOf(row) === label);
}

async function loadRow(id: IdentityId, { store }: StorePort): Promise<Identity | undefined> {
  return (await store.load(identities, id)).found?.row;
}

function idOf(user: PushedUser, pushing: Pushing): IdentityId | undefined {
  const value = user[pushing.id];
  return value ? idFor(value, pushing) : undefined;
}

function idFor(value: string, { label, issuer, firstClaims }: Pushing): IdentityId {
  return claimedId(label, issuer, [...firstClaims, value]);
}

async function flawOf({ userName }: PushedUser, id: IdentityId, ports: StorePort): Promise<PushReason | undefined> {
  if (!isPlainName(userName)) return 'name-malformed';
  const named = await inDirectory(labelOf({ id }), byUserName(foldCase(userName)), ports);
  return named.some((other) => other.id !== id) ? 'exists' : undefined;
}

/** The row afterwards. `next`: undefined leaves it as it is. */
function write(id: IdentityId, next: (before: PushedUser | undefined) => PushedUser | undefined, ports: StorePort) {
  const see = (before: Identity | undefined) => {
    const user = next(isKnown(before) ? before.pushed : undefined);
    return user ? identityOf(id, user, before) : before;
  };
  return settleBy(id, see, ports);
}

/** User names ignore case (RFC 7643 4.1.1), so they are kept in one. */
function identityOf(id: IdentityId, user: PushedUser, before: Identity | undefined): Identity {
  const { userName, emails, isGone } = user;
  const address = (emails.find(({ primary }) => primary) ?? emails[0])?.value;
  const facts = {
    id,
    enabled: isPresent(user),
    mayUseApi: true,
    groups: isKnown(before) && !isGone ? before.groups : [],
    pushed: user,
  };
  if (isGone) return facts;
  return {
    ...facts,
    userName: foldCase(userName),
    ...(address?.includes('@') && isPlainName(address) && { email: foldName('email-san', address) }),
    ...(userName.includes('@') && { upn: foldName('upn-san', userName) }),
  };
}

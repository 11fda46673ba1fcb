// Groups that a directory pushes (SCIM). Members have `LABEL/name` in their rows, so a check reads nothing else.

import { isPlainName } from '../../core/certificate.ts';
import { type IdentityId, isKnown, type KnownUser, type PushedGroup } from '../../core/identity.ts';
import { accept, refused } from '../../core/outcome.ts';
import { rows } from '../../store/pages.ts';
import { type StorePort, writeRow } from '../../store/store.ts';
import { groupsOf, pushedGroups } from '../../store/tables/identities.ts';
import { newId, type Ports } from '../ports.ts';
import { allUsers, findUser, type Pushed, type PushReason } from './pushed-users.ts';
import { settleBy } from './seen-identity.ts';

export interface GroupChange extends Pick<PushedGroup, 'displayName' | 'externalId'> {
  /** Instead of those that it has. */
  readonly members?: readonly IdentityId[] | undefined;
  readonly add?: readonly IdentityId[];
  readonly remove?: readonly IdentityId[];
}

const MOST_GROUPS = 1_000;
const AT_ONCE = 20;

export async function createGroup(
  directory: string,
  { displayName, externalId, members = [] }: GroupChange,
  ports: Pick<Ports, 'store' | 'clock' | 'random'>,
): Promise<Pushed<PushedGroup>> {
  const id = `${directory}/${newId(ports)}`;
  const group: PushedGroup = { id, directory, displayName, ...(externalId !== undefined && { externalId }) };
  const flaw = (await flawOf(group, ports)) ?? (await flawIn(members, ports));
  if (flaw) return refused(flaw);
  await ports.store.create(pushedGroups, id, () => ({ outcome: undefined, next: group }));
  await edit(members, [], [nameOf(group)], ports);
  if (await findGroup(id, ports)) return accept(group);
  await edit(members, [nameOf(group)], [], ports); // it was deleted meanwhile
  return refused('unknown');
}

/** Members first: if it breaks off in the middle, the same request again completes it. */
export async function changeGroup(
  before: PushedGroup,
  { displayName, externalId, members, add = [], remove = [] }: GroupChange,
  ports: StorePort,
): Promise<Pushed<PushedGroup>> {
  const { id, directory } = before;
  const group: PushedGroup = { id, directory, displayName, ...(externalId !== undefined && { externalId }) };
  const flaw = (await flawOf(group, ports)) ?? (await flawIn(members ?? add, ports));
  if (flaw) return refused(flaw);
  const names = [...new Set([before, group].map(nameOf))];
  const current = members || names.length > 1 ? await membersIn(directory, names, ports) : [];
  const leaving = new Set(remove); // thousands
  const staying = new Set(members ?? [...current, ...add].filter((member) => !leaving.has(member)));
  await edit(members ? current.filter((member) => !staying.has(member)) : remove, names, [], ports);
  await edit([...staying], names, [nameOf(group)], ports);
  const isThere = await writeRow(ports.store, pushedGroups, id, (row) => (row?.isGone ? undefined : group));
  if (isThere) return accept(group);
  await edit([...staying], [nameOf(group)], [], ports);
  return refused('unknown');
}

export async function removeGroup(group: PushedGroup, ports: StorePort): Promise<void> {
  await empty(group.directory, [nameOf(group)], ports);
  let last = group; // it may have been renamed meanwhile
  await writeRow(ports.store, pushedGroups, group.id, (row = group) => {
    last = row;
    return { ...row, isGone: true as const };
  });
  await empty(group.directory, [group, last].map(nameOf), ports); // members that were added meanwhile
}

async function empty(directory: string, names: readonly string[], ports: StorePort): Promise<void> {
  await edit(await membersIn(directory, names, ports), names, [], ports);
}

export async function findGroup(id: string, { store }: StorePort): Promise<PushedGroup | undefined> {
  const row = (await store.load(pushedGroups, id)).found?.row;
  return row?.isGone ? undefined : row;
}

export async function findGroups(
  by: 'displayName' | 'externalId',
  value: string,
  label: string,
  ports: StorePort,
): Promise<readonly PushedGroup[]> {
  if (by === 'displayName') return ports.store.find(pushedGroups, groupsOf.name(label, value));
  return (await Array.fromAsync(allGroups(label, ports))).filter(({ externalId }) => externalId === value);
}

export function allGroups(label: string, { store }: StorePort): AsyncGenerator<PushedGroup> {
  return rows(store, pushedGroups, { where: groupsOf.directory(label) });
}

export function membersOf(group: PushedGroup, ports: StorePort): Promise<readonly IdentityId[]> {
  return membersIn(group.directory, [nameOf(group)], ports);
}

/** Of a user, by the names in its row. */
export async function groupsOfUser({ groups }: KnownUser, label: string, ports: StorePort) {
  const own = groups.filter((name) => name.startsWith(`${label}/`)).map((name) => name.slice(label.length + 1));
  const found: PushedGroup[] = [];
  for (const name of own) found.push(...(await findGroups('displayName', name, label, ports)));
  return found;
}

async function membersIn(label: string, names: readonly string[], ports: StorePort): Promise<readonly IdentityId[]> {
  const ids: IdentityId[] = [];
  for await (const { id, groups } of allUsers(label, ports))
    if (groups.some((one) => names.includes(one))) ids.push(id);
  return ids;
}

function nameOf({ directory, displayName }: Pick<PushedGroup, 'directory' | 'displayName'>): string {
  return `${directory}/${displayName}`;
}

async function flawOf({ id, directory, displayName }: PushedGroup, ports: StorePort): Promise<PushReason | undefined> {
  if (!isPlainName(displayName)) return 'name-malformed';
  const named = await findGroups('displayName', displayName, directory, ports);
  return named.some((other) => other.id !== id) ? 'exists' : undefined;
}

async function flawIn(members: readonly IdentityId[], ports: StorePort): Promise<PushReason | undefined> {
  for (const id of members) {
    const user = await findUser(id, ports);
    if (!user) return 'member-unknown';
    if (user.groups.length >= MOST_GROUPS) return 'groups-too-many';
  }
  return undefined;
}

/** Takes these names from their groups, and gives them others. */
async function edit(ids: readonly IdentityId[], taken: readonly string[], given: readonly string[], ports: StorePort) {
  const editOne = (id: IdentityId) =>
    settleBy(
      id,
      (row) => {
        if (!isKnown(row)) return row;
        const rest = row.groups.filter((name) => !taken.includes(name));
        return { ...row, enabled: row.pushed.active, groups: [...new Set([...rest, ...given])].sort() };
      },
      ports,
    );
  for (let at = 0; at < ids.length; at += AT_ONCE) await Promise.all(ids.slice(at, at + AT_ONCE).map(editOne));
}

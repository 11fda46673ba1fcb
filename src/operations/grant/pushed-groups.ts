// Groups that a directory pushes (SCIM). Members have `LABEL/name` in their rows, so a check reads nothing else.
import { isPlainName } from '../../core/certificate.ts';
import { type IdentityId, isKnown, type PushedGroup } from '../../core/identity.ts';
import { accept, type Outcome, refused } from '../../core/outcome.ts';
import { rows } from '../../store/pages.ts';
import { groupsOf, pushedGroups } from '../../store/tables/pushed-groups.ts';
import { newId, type Ports } from '../ports.ts';
import { allUsers, findUser, type Pushed, type PushReason } from './pushed-users.ts';
import { settleBy } from './seen-identity.ts';

export type GroupFacts = Pick<PushedGroup, 'displayName' | 'externalId'>;

export interface GroupChange extends GroupFacts {
  /** Instead of those that it has. */
  readonly members?: readonly IdentityId[] | undefined;
  readonly add?: readonly IdentityId[];
  readonly remove?: readonly IdentityId[];
}

type StorePorts = Pick<Ports, 'store'>;
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
  return addMembers(group, members, ports);
}

/** Members first: if it breaks off in the middle, the same request again completes it. */
export async function changeGroup(
  before: PushedGroup,
  { displayName, externalId, members, add = [], remove = [] }: GroupChange,
  ports: StorePorts,
): Promise<Pushed<PushedGroup>> {
  const { id, directory } = before;
  const group: PushedGroup = { id, directory, displayName, ...(externalId !== undefined && { externalId }) };
  const added = members ?? add;
  const flaw = (await flawOf(group, ports)) ?? (await flawIn(added, ports));
  if (flaw) return refused(flaw);
  if (displayName !== before.displayName)
    await editMembers(await membersOf(before, ports), before, (names) => [...names, nameOf(group)], ports);
  if (members) await editMembers(await membersOf(before, ports), before, (names) => names, ports, members);
  await editMembers(remove, group, (names) => names, ports);
  const done = await addMembers(group, added, ports);
  if (done.ok) await ports.store.change(pushedGroups, id, () => ({ outcome: undefined, next: group }));
  return done;
}

export async function removeGroup(group: PushedGroup, ports: StorePorts): Promise<void> {
  await editMembers(await membersOf(group, ports), group, (names) => names, ports);
  await ports.store.change(pushedGroups, group.id, () => ({
    outcome: undefined,
    next: { ...group, isGone: true as const },
  }));
}

export async function findGroup(id: string, { store }: StorePorts): Promise<PushedGroup | undefined> {
  const row = (await store.load(pushedGroups, id)).found?.row;
  return row?.isGone ? undefined : row;
}

export async function findGroups(
  by: 'displayName' | 'externalId',
  value: string,
  label: string,
  ports: StorePorts,
): Promise<readonly PushedGroup[]> {
  if (by === 'displayName') return ports.store.find(pushedGroups, groupsOf.name(label, value));
  return (await Array.fromAsync(allGroups(label, ports))).filter(({ externalId }) => externalId === value);
}

export function allGroups(label: string, { store }: StorePorts): AsyncGenerator<PushedGroup> {
  return rows(store, pushedGroups, { where: groupsOf.directory(label) });
}

export async function membersOf(group: PushedGroup, ports: StorePorts): Promise<readonly IdentityId[]> {
  const ids: IdentityId[] = [];
  for await (const { id, groups } of allUsers(group.directory, ports)) if (groups.includes(nameOf(group))) ids.push(id);
  return ids;
}

function nameOf({ directory, displayName }: Pick<PushedGroup, 'directory' | 'displayName'>): string {
  return `${directory}/${displayName}`;
}

async function flawOf({ id, directory, displayName }: PushedGroup, ports: StorePorts): Promise<PushReason | undefined> {
  if (!isPlainName(displayName)) return 'name-malformed';
  const named = await findGroups('displayName', displayName, directory, ports);
  return named.some((other) => other.id !== id) ? 'exists' : undefined;
}

async function flawIn(members: readonly IdentityId[], ports: StorePorts): Promise<PushReason | undefined> {
  for (const id of members) {
    const user = await findUser(id, ports);
    if (!user) return 'member-unknown';
    if (user.groups.length >= MOST_GROUPS) return 'groups-too-many';
  }
  return undefined;
}

async function addMembers(
  group: PushedGroup,
  ids: readonly IdentityId[],
  ports: StorePorts,
): Promise<Outcome<PushedGroup, never>> {
  await editMembers(ids, group, (names) => [...names, nameOf(group)], ports);
  return accept(group);
}

/** Takes `group` from their groups, and gives them what `next` makes of the rest. Those of `kept` are left alone. */
async function editMembers(
  ids: readonly IdentityId[],
  group: PushedGroup,
  next: (names: readonly string[]) => readonly string[],
  ports: StorePorts,
  kept: readonly IdentityId[] = [],
): Promise<void> {
  const others = new Set(kept);
  const edit = (id: IdentityId) =>
    settleBy(
      id,
      (row) => {
        if (!isKnown(row)) return row;
        const groups = next(row.groups.filter((name) => name !== nameOf(group)));
        return { ...row, enabled: row.pushed.active, groups: [...groups].sort() };
      },
      ports,
    );
  const edited = ids.filter((id) => !others.has(id));
  for (let at = 0; at < edited.length; at += AT_ONCE) await Promise.all(edited.slice(at, at + AT_ONCE).map(edit));
}

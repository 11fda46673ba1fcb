// Groups of the scim door.
import type { IdentityId, PushedGroup } from '../../core/identity.ts';
import type { JsonObject as Json } from '../../core/json.ts';
import {
  allGroups,
  changeGroup,
  createGroup,
  findGroup,
  findGroups,
  type GroupChange,
  membersOf,
  removeGroup,
} from '../../operations/grant/pushed-groups.ts';
import {
  badFilter,
  isWanted,
  listed,
  MALFORMED,
  malformed,
  NOT_FOUND,
  paged,
  readFilter,
  type ScimAnswer,
  type ScimRequest,
  WORDS,
} from './answers.ts';
import { type Operation, patched, readOperations } from './patch.ts';
import { groupResource, readGroup, readMembers } from './resources.ts';

const GROUPS_BY = ['displayName', 'externalId'] as const;

export async function listGroups(request: ScimRequest): Promise<ScimAnswer> {
  const { query, pushing, ports } = request;
  const filter = readFilter(query['filter'], GROUPS_BY);
  if (filter === 'malformed') return badFilter(GROUPS_BY);
  const { label } = pushing;
  const all = filter ? await findGroups(filter.by, filter.value, label, ports) : allGroups(label, ports);
  const { page, total, startIndex } = await paged<PushedGroup>(all, request);
  const groups: Json[] = [];
  for (const group of page) groups.push((await shownGroup(group, request)).body as Json);
  return listed(groups, total, startIndex);
}

/** Members are looked for in the whole directory: who does not need them says so. */
export async function shownGroup(
  group: PushedGroup,
  { query, ports, base }: ScimRequest,
  status = 200,
): Promise<ScimAnswer> {
  const members = isWanted('members', query) ? await membersOf(group, ports) : undefined;
  return { status, body: groupResource(group, members, base) };
}

export async function postGroup(request: ScimRequest): Promise<ScimAnswer> {
  const { body, pushing, ports } = request;
  const group = readGroup(body, pushing.label);
  if (!group.ok) return malformed(group.refusal.attribute);
  const created = await createGroup(pushing.label, group.value, ports);
  return created.ok ? shownGroup(created.value, request, 201) : WORDS[created.refusal];
}

type GroupEndpoint = (group: PushedGroup, request: ScimRequest) => Promise<ScimAnswer>;

export function withGroup(run: GroupEndpoint): (request: ScimRequest) => Promise<ScimAnswer> {
  return async (request) => {
    const group = await findGroup(`${request.pushing.label}/${request.id}`, request.ports);
    return group ? run(group, request) : NOT_FOUND;
  };
}

export async function putGroup(group: PushedGroup, request: ScimRequest): Promise<ScimAnswer> {
  const read = readGroup(request.body, request.pushing.label);
  if (!read.ok) return malformed(read.refusal.attribute);
  return rewriteGroup(group, { ...read.value, members: read.value.members ?? [] }, request);
}

export async function patchGroup(group: PushedGroup, request: ScimRequest): Promise<ScimAnswer> {
  const operations = readOperations(request.body);
  if (!operations) return MALFORMED;
  const { label } = request.pushing;
  const { displayName, externalId } = group;
  const facts = operations.filter(({ attribute }) => attribute !== 'members');
  const read = readGroup(patched({ displayName, externalId }, facts), label);
  if (!read.ok) return malformed(read.refusal.attribute);
  const members = membersIn(
    operations.filter(({ attribute }) => attribute === 'members'),
    label,
  );
  return members ? rewriteGroup(group, { ...read.value, ...members }, request) : malformed('members');
}

/** Entra ID removes members by value, Okta by filter. */
function membersIn(operations: readonly Operation[], label: string): Partial<GroupChange> | undefined {
  let members: readonly IdentityId[] | undefined;
  const [add, remove] = [new Set<IdentityId>(), new Set<IdentityId>()];
  for (const { op, filter, value } of operations) {
    const isAll = op !== 'add' && !filter && value === undefined;
    const ids = isAll ? [] : readMembers(filter ? { value: filter.value } : value, label);
    if (!ids) return undefined;
    if (op === 'replace' || isAll) [members] = [ids, add.clear(), remove.clear()];
    for (const id of ids) {
      (op === 'remove' ? remove : add).add(id);
      (op === 'remove' ? add : remove).delete(id);
    }
  }
  if (!members) return { add: [...add], remove: [...remove] };
  return { members: [...add] };
}

async function rewriteGroup(group: PushedGroup, change: GroupChange, request: ScimRequest): Promise<ScimAnswer> {
  const changed = await changeGroup(group, change, request.ports);
  return changed.ok ? shownGroup(changed.value, request) : WORDS[changed.refusal];
}

export async function deleteGroup(group: PushedGroup, { ports }: ScimRequest): Promise<ScimAnswer> {
  await removeGroup(group, ports);
  return { status: 204 };
}

// What the door answers, path by path.
import type { IdentityId, KnownUser, PushedGroup } from '../../core/identity.ts';
import type { JsonObject as Json } from '../../core/json.ts';
import type { Outcome } from '../../core/outcome.ts';
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
  allUsers,
  changeUser,
  createUser,
  findUser,
  findUsers,
  type Pushing,
  type PushReason,
  removeUser,
} from '../../operations/grant/pushed-users.ts';
import type { TokenPorts } from '../../operations/ports.ts';
import { type Operation, patched, readOperations } from './patch.ts';
import { groupResource, readGroup, readId, readMembers, readUser, userResource } from './resources.ts';
import { MOST_RESULTS, providerConfig, resourceTypes, schemas } from './schemas.ts';

/** An answer of an endpoint. */
export interface ScimAnswer {
  readonly status: number;
  readonly body?: Json;
}

/** RFC 7644 3.12. `scimType`: for programs, which the status alone does not help. */
export function scimError(status: number, detail: string, scimType?: string): ScimAnswer {
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:Error'];
  return { status, body: { schemas, status: String(status), ...(scimType && { scimType }), detail } };
}

export interface ScimRequest {
  readonly id: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Json;
  /** The address of this directory's resources. */
  readonly base: string;
  readonly pushing: Pushing;
  readonly ports: TokenPorts;
}

interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly needsBody?: true;
  readonly run: (request: ScimRequest) => Promise<ScimAnswer>;
}

const MALFORMED = scimError(400, 'The operations are malformed.', 'invalidSyntax');
const NOT_FOUND = scimError(404, 'There is no such resource.');

const WORDS: Readonly<Record<PushReason, ScimAnswer>> = {
  unknown: NOT_FOUND,
  exists: scimError(409, 'Another resource of this directory already has this name.', 'uniqueness'),
  'id-missing': scimError(
    400,
    'The attribute that carries the id of people is missing: look at scim.id.',
    'invalidValue',
  ),
  'id-changed': scimError(400, 'The attribute that carries the id of people cannot be changed.', 'mutability'),
  'name-malformed': scimError(
    400,
    'The name has characters that cannot be printed, or spaces around it.',
    'invalidValue',
  ),
  'member-unknown': scimError(400, 'One of the members is no user of this directory.', 'invalidValue'),
  'groups-too-many': scimError(400, 'One of the members is in too many groups.', 'invalidValue'),
};

const malformed = (attribute: string) =>
  scimError(400, `The attribute ${attribute} is missing or malformed.`, 'invalidValue');

function answered<T>(outcome: Outcome<T, PushReason>, show: (value: T) => Json, status = 200): ScimAnswer {
  return outcome.ok ? { status, body: show(outcome.value) } : WORDS[outcome.refusal];
}

export const ENDPOINTS: readonly Endpoint[] = [
  {
    method: 'GET',
    path: '/ServiceProviderConfig',
    run: async ({ base }) => ({ status: 200, body: providerConfig(base) }),
  },
  ...described('/ResourceTypes', resourceTypes),
  ...described('/Schemas', schemas),
  { method: 'POST', path: '/.search', run: async () => scimError(501, 'Search with GET at /Users and /Groups.') },
  { method: 'GET', path: '/Users', run: listUsers },
  { method: 'POST', path: '/Users', needsBody: true, run: postUser },
  { method: 'GET', path: '/Users/:id', run: getUser },
  { method: 'PUT', path: '/Users/:id', needsBody: true, run: putUser },
  { method: 'PATCH', path: '/Users/:id', needsBody: true, run: patchUser },
  { method: 'DELETE', path: '/Users/:id', run: deleteUser },
  { method: 'GET', path: '/Groups', run: listGroups },
  { method: 'POST', path: '/Groups', needsBody: true, run: postGroup },
  { method: 'GET', path: '/Groups/:id', run: withGroup((group, request) => shownGroup(group, request)) },
  { method: 'PUT', path: '/Groups/:id', needsBody: true, run: withGroup(putGroup) },
  { method: 'PATCH', path: '/Groups/:id', needsBody: true, run: withGroup(patchGroup) },
  { method: 'DELETE', path: '/Groups/:id', run: withGroup(deleteGroup) },
];

function described(path: string, all: (base: string, pushing: Pushing) => readonly Json[]): readonly Endpoint[] {
  return [
    {
      method: 'GET',
      path,
      run: async ({ base, pushing }) => listed(all(base, pushing), all(base, pushing).length, 1),
    },
    {
      method: 'GET',
      path: `${path}/:id`,
      run: async ({ base, pushing, id }) => shown(all(base, pushing).find((one) => one['id'] === id)),
    },
  ];
}

function shown(body: Json | undefined): ScimAnswer {
  return body ? { status: 200, body } : NOT_FOUND;
}

function listed(resources: readonly Json[], totalResults: number, startIndex: number): ScimAnswer {
  const counted = { totalResults, startIndex, itemsPerPage: resources.length };
  const body = { schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'], ...counted, Resources: resources };
  return { status: 200, body };
}

const ALWAYS = ['id', 'schemas', 'meta'];

/** RFC 7644 3.9. */
function isWanted(attribute: string, query: ScimRequest['query']): boolean {
  const names = (given: unknown) =>
    String(given)
      .toLowerCase()
      .split(/[\s,]+/);
  const name = attribute.toLowerCase();
  if (ALWAYS.includes(name)) return true;
  if (query['attributes']) return names(query['attributes']).includes(name);
  return !names(query['excludedAttributes']).includes(name);
}

/** The resources of an answer without the attributes that were not asked for. */
export function trimmed(body: Json, query: ScimRequest['query']): Json {
  if (Array.isArray(body['Resources']))
    return { ...body, Resources: body['Resources'].map((one) => trimmed(one, query)) };
  return Object.fromEntries(Object.entries(body).filter(([name]) => isWanted(name, query)));
}

const FILTER = /^\s*([a-z]+)\s+eq\s+("(?:[^"\\]|\\.)*")\s*$/i;

/** The only filter of both: one attribute equals a text. Undefined if there is none; `malformed` if it is another. */
function readFilter<By extends string>(given: unknown, attributes: readonly By[]) {
  if (given === undefined || given === '') return undefined;
  const [, name, text = ''] = FILTER.exec(String(given)) ?? [];
  const by = attributes.find((attribute) => attribute.toLowerCase() === name?.toLowerCase());
  return by ? { by, value: JSON.parse(text) as string } : 'malformed';
}

function badFilter(attributes: readonly string[]): ScimAnswer {
  return scimError(400, `The filter can be: ${attributes.join(' or ')} eq "…".`, 'invalidFilter');
}

/** One page of all. Everything is counted, and no more than a page is kept. */
async function paged<T>(all: AsyncIterable<T> | Iterable<T>, { query }: ScimRequest) {
  const startIndex = Math.max(1, Math.trunc(Number(query['startIndex'] ?? 1)) || 1);
  const wanted = Number(query['count'] ?? MOST_RESULTS);
  const count = Number.isNaN(wanted) ? MOST_RESULTS : Math.min(Math.max(0, Math.trunc(wanted)), MOST_RESULTS);
  const page: T[] = [];
  let total = 0;
  for await (const one of all) {
    total += 1;
    if (total >= startIndex && page.length < count) page.push(one);
  }
  return { page, total, startIndex };
}

const USERS_BY = ['userName', 'externalId'] as const;

async function listUsers(request: ScimRequest): Promise<ScimAnswer> {
  const { query, pushing, ports, base } = request;
  const filter = readFilter(query['filter'], USERS_BY);
  if (filter === 'malformed') return badFilter(USERS_BY);
  const all = filter ? await findUsers(filter.by, filter.value, pushing, ports) : allUsers(pushing.label, ports);
  const { page, total, startIndex } = await paged<KnownUser>(all, request);
  return listed(
    page.map((user) => userResource(user, base)),
    total,
    startIndex,
  );
}

async function postUser({ body, pushing, ports, base }: ScimRequest): Promise<ScimAnswer> {
  const user = readUser({ active: true, ...body });
  if (!user.ok) return malformed(user.refusal.attribute);
  return answered(await createUser(user.value, pushing, ports), (row) => userResource(row, base), 201);
}

async function getUser({ id, pushing, ports, base }: ScimRequest): Promise<ScimAnswer> {
  const known = readId(id, pushing.label);
  const user = known && (await findUser(known, ports));
  return shown(user && userResource(user, base));
}

/** A user without `active` stays what it was: nobody is let in by leaving something out. */
function putUser(request: ScimRequest): Promise<ScimAnswer> {
  return rewriteUser(request, (before) => ({ active: before['active'], ...request.body }));
}

async function patchUser(request: ScimRequest): Promise<ScimAnswer> {
  const operations = readOperations(request.body);
  return operations ? rewriteUser(request, (before) => patched(before, operations)) : MALFORMED;
}

async function rewriteUser(
  { id, pushing, ports, base }: ScimRequest,
  rewrite: (before: Json) => Json,
): Promise<ScimAnswer> {
  const known = readId(id, pushing.label);
  const row = known && (await findUser(known, ports));
  if (!known || !row) return NOT_FOUND;
  const first = readUser(rewrite({ ...row.pushed }));
  if (!first.ok) return malformed(first.refusal.attribute);
  const change = (before: KnownUser['pushed']) => {
    const next = readUser(rewrite({ ...before }));
    return next.ok ? next.value : before;
  };
  return answered(await changeUser(known, change, pushing, ports), (user) => userResource(user, base));
}

async function deleteUser({ id, pushing, ports }: ScimRequest): Promise<ScimAnswer> {
  const known = readId(id, pushing.label);
  const removed = known && (await removeUser(known, ports));
  return removed?.ok ? { status: 204 } : NOT_FOUND;
}

const GROUPS_BY = ['displayName', 'externalId'] as const;

async function listGroups(request: ScimRequest): Promise<ScimAnswer> {
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
async function shownGroup(group: PushedGroup, { query, ports, base }: ScimRequest, status = 200): Promise<ScimAnswer> {
  const members = isWanted('members', query) ? await membersOf(group, ports) : undefined;
  return { status, body: groupResource(group, members, base) };
}

async function postGroup(request: ScimRequest): Promise<ScimAnswer> {
  const { body, pushing, ports } = request;
  const group = readGroup(body, pushing.label);
  if (!group.ok) return malformed(group.refusal.attribute);
  const created = await createGroup(pushing.label, group.value, ports);
  return created.ok ? shownGroup(created.value, request, 201) : WORDS[created.refusal];
}

type GroupEndpoint = (group: PushedGroup, request: ScimRequest) => Promise<ScimAnswer>;

function withGroup(run: GroupEndpoint): Endpoint['run'] {
  return async (request) => {
    const group = await findGroup(`${request.pushing.label}/${request.id}`, request.ports);
    return group ? run(group, request) : NOT_FOUND;
  };
}

async function putGroup(group: PushedGroup, request: ScimRequest): Promise<ScimAnswer> {
  const read = readGroup(request.body, request.pushing.label);
  if (!read.ok) return malformed(read.refusal.attribute);
  return rewriteGroup(group, { ...read.value, members: read.value.members ?? [] }, request);
}

async function patchGroup(group: PushedGroup, request: ScimRequest): Promise<ScimAnswer> {
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

async function deleteGroup(group: PushedGroup, { ports }: ScimRequest): Promise<ScimAnswer> {
  await removeGroup(group, ports);
  return { status: 204 };
}

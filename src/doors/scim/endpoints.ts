// What the door answers, path by path. Users and groups are served alike: `Kind` has what differs.
import type { IdentityId, KnownUser, PushedGroup, PushedUser } from '../../core/identity.ts';
import type { JsonObject as Json } from '../../core/json.ts';
import { accept, type Outcome, refused } from '../../core/outcome.ts';
import {
  allGroups,
  changeGroup,
  createGroup,
  findGroup,
  findGroups,
  type GroupChange,
  groupsOfUser,
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
  usersByEmail,
} from '../../operations/grant/pushed-users.ts';
import {
  type Filter,
  isWanted,
  listed,
  NOT_FOUND,
  paged,
  readFilter,
  type ScimAnswer,
  type ScimRequest,
  scimError,
  worded,
} from './answers.ts';
import { type Operation, patched, readOperations } from './patch.ts';
import { groupResource, type Malformed, readGroup, readId, readMembers, readUser, userResource } from './resources.ts';
import { providerConfig, resourceTypes, schemas } from './schemas.ts';

interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly run: (request: ScimRequest) => Promise<ScimAnswer>;
}

type Changed<Row> = Promise<Outcome<Row, PushReason | Malformed>>;

interface Kind<Row, By extends string> {
  readonly path: '/Users' | '/Groups';
  /** The attributes that a filter may name. */
  readonly filters: readonly By[];
  readonly all: (request: ScimRequest) => AsyncIterable<Row>;
  readonly find: (filter: Filter<By>, request: ScimRequest) => Promise<readonly Row[]>;
  /** Whether a resource that was found fits the second part of a filter too. */
  readonly fits: (row: Row, filter: Filter<By>, request: ScimRequest) => Promise<boolean>;
  readonly load: (request: ScimRequest) => Promise<Row | undefined>;
  readonly show: (row: Row, request: ScimRequest) => Promise<Json>;
  readonly create: (request: ScimRequest) => Changed<Row>;
  readonly replace: (row: Row, request: ScimRequest) => Changed<Row>;
  readonly patch: (row: Row, operations: readonly Operation[], request: ScimRequest) => Changed<Row>;
  readonly remove: (row: Row, request: ScimRequest) => Promise<unknown>;
}

type UserFilter = 'userName' | 'externalId' | 'id' | 'emails' | 'manager';
type GroupFilter = 'displayName' | 'externalId' | 'id' | 'members';

const USERS: Kind<KnownUser, UserFilter> = {
  path: '/Users',
  filters: ['userName', 'externalId', 'id', 'emails', 'manager'],
  all: ({ pushing, ports }) => allUsers(pushing.label, ports),
  find: async ({ by, value, type }, { pushing, ports }) => {
    if (by === 'emails') return usersByEmail({ value, type }, pushing.label, ports);
    if (by === 'id') return [(await userWith(value, pushing, ports)) ?? []].flat();
    return by === 'manager' ? [] : findUsers(by, value, pushing, ports);
  },
  fits: async () => false, // nobody has a manager here
  load: ({ id, pushing, ports }) => userWith(id, pushing, ports),
  // In a list, each user would cost a query for each of its groups.
  show: async (user, { id, pushing, ports, base }) =>
    userResource(user, id === '' ? undefined : await groupsOfUser(user, pushing.label, ports), base),
  create: async ({ body, pushing, ports }) => {
    const user = readUser({ ...body, active: body['active'] ?? true });
    return user.ok ? createUser(user.value, pushing, ports) : user;
  },
  // A user without `active` stays what it was: nobody is let in by leaving something out.
  replace: ({ id }, { body, pushing, ports }) =>
    changeUser(id, ({ active }) => readUser({ ...body, active: body['active'] ?? active }), pushing, ports),
  patch: ({ id }, operations, { pushing, ports }) => {
    const change = (before: PushedUser) => {
      const user = patched({ ...before }, operations);
      return user.ok ? readUser(user.value) : user;
    };
    return changeUser(id, change, pushing, ports);
  },
  remove: ({ id }, { ports }) => removeUser(id, ports),
};

async function userWith(id: string, { label }: Pushing, ports: ScimRequest['ports']) {
  const known = readId(id, label);
  return known && findUser(known, ports);
}

const GROUPS: Kind<PushedGroup, GroupFilter> = {
  path: '/Groups',
  filters: ['displayName', 'externalId', 'id', 'members'],
  all: ({ pushing, ports }) => allGroups(pushing.label, ports),
  find: async ({ by, value }, { pushing: { label }, ports }) => {
    if (by === 'id') return [(await findGroup(`${label}/${value}`, ports)) ?? []].flat();
    return by === 'members' ? [] : findGroups(by, value, label, ports);
  },
  fits: async (group, { by, value }, { pushing: { label }, ports }) => {
    const member = readId(value, label);
    return by === 'members' && member !== undefined && (await membersOf(group, ports)).includes(member);
  },
  load: ({ id, pushing, ports }) => findGroup(`${pushing.label}/${id}`, ports),
  // Members are looked for in the whole directory: clients that do not need them say so.
  show: async (group, { query, ports, base }) =>
    groupResource(group, isWanted('members', query) ? await membersOf(group, ports) : undefined, base),
  create: async ({ body, pushing: { label }, ports }) => {
    const group = readGroup(body, label);
    return group.ok ? createGroup(label, group.value, ports) : group;
  },
  replace: async (group, { body, pushing, ports }) => {
    const read = readGroup(body, pushing.label);
    return read.ok ? changeGroup(group, read.value, ports) : read;
  },
  patch: async (group, operations, { pushing: { label }, ports }) => {
    const on = (...names: readonly string[]) => operations.filter(({ attribute }) => names.includes(attribute));
    const { displayName, externalId } = group;
    const after = patched({ displayName, externalId }, on('displayName', 'externalId'));
    const read = after.ok ? readGroup(after.value, label) : after;
    const members = membersIn(on('members'), label);
    if (!read.ok) return read;
    const change = { ...read.value, members: undefined, ...members };
    return members ? changeGroup(group, change, ports) : refused({ attribute: 'members' });
  },
  remove: (group, { ports }) => removeGroup(group, ports),
};

/** Entra ID removes members by value, Okta by filter. */
function membersIn(operations: readonly Operation[], label: string): Partial<GroupChange> | undefined {
  let isAnew = false;
  const [add, remove] = [new Set<IdentityId>(), new Set<IdentityId>()];
  for (const { op, filter, value } of operations) {
    const isAll = op !== 'add' && !filter && value === undefined;
    const ids = isAll ? [] : readMembers(filter ? { value: filter.value } : value, label);
    if (!ids) return undefined;
    if (op === 'replace' || isAll) [isAnew] = [true, add.clear(), remove.clear()];
    for (const id of ids) {
      (op === 'remove' ? remove : add).add(id);
      (op === 'remove' ? add : remove).delete(id);
    }
  }
  return isAnew ? { members: [...add] } : { add: [...add], remove: [...remove] };
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
  ...endpointsOf(USERS),
  ...endpointsOf(GROUPS),
];

function described(path: string, all: (base: string, pushing: Pushing) => readonly Json[]): readonly Endpoint[] {
  const list = async ({ base, pushing }: ScimRequest) => listed(all(base, pushing), all(base, pushing).length, 1);
  const show = async ({ base, pushing, id }: ScimRequest) => {
    const body = all(base, pushing).find((one) => one['id'] === id);
    return body ? { status: 200, body } : NOT_FOUND;
  };
  return [
    { method: 'GET', path, run: list },
    { method: 'GET', path: `${path}/:id`, run: show },
  ];
}

function endpointsOf<Row, By extends string>(kind: Kind<Row, By>): readonly Endpoint[] {
  const { path } = kind;
  const answer = async (changed: Awaited<Changed<Row>>, request: ScimRequest, status = 200): Promise<ScimAnswer> =>
    changed.ok ? { status, body: await kind.show(changed.value, request) } : worded(changed.refusal);
  const onOne = (method: Endpoint['method'], run: (row: Row, request: ScimRequest) => Promise<ScimAnswer>) => ({
    method,
    path: `${path}/:id`,
    run: async (request: ScimRequest) => {
      const row = await kind.load(request);
      return row ? run(row, request) : NOT_FOUND;
    },
  });
  return [
    { method: 'GET', path, run: (request) => list(kind, request) },
    { method: 'POST', path, run: async (request) => answer(await kind.create(request), request, 201) },
    onOne('GET', (row, request) => answer(accept(row), request)),
    onOne('PUT', async (row, request) => answer(await kind.replace(row, request), request)),
    onOne('PATCH', async (row, request) => {
      const operations = readOperations(request.body);
      if (!operations) return scimError(400, 'The operations are malformed.', 'invalidSyntax');
      const done = await kind.patch(row, operations, request);
      // RFC 7644 3.5.2. To show a group, its members are looked for in the whole directory.
      const isShown = path === '/Users' || request.query['attributes'] !== undefined;
      return done.ok && !isShown ? { status: 204 } : answer(done, request);
    }),
    onOne('DELETE', async (row, request) => {
      await kind.remove(row, request);
      return { status: 204 };
    }),
  ];
}

async function filtered<Row, By extends string>(kind: Kind<Row, By>, filter: Filter<By>, request: ScimRequest) {
  const found = await kind.find(filter, request);
  const { and } = filter;
  if (!and) return found;
  const fitting = await Promise.all(found.map((row) => kind.fits(row, and, request)));
  return found.filter((_, at) => fitting[at]);
}

async function list<Row, By extends string>(kind: Kind<Row, By>, request: ScimRequest): Promise<ScimAnswer> {
  const { filters } = kind;
  const filter = readFilter(request.query['filter'], filters);
  if (filter === 'malformed')
    return scimError(400, `The filter can be: ${filters.join(' or ')} eq "…", and two joined by and.`, 'invalidFilter');
  const all = filter ? await filtered(kind, filter, request) : kind.all(request);
  const { page, total, startIndex } = await paged<Row>(all, request);
  const shown: Json[] = [];
  for (const row of page) shown.push(await kind.show(row, request));
  return listed(shown, total, startIndex);
}

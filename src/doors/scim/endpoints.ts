// What the door answers, path by path.
import type { KnownUser } from '../../core/identity.ts';
import type { JsonObject as Json } from '../../core/json.ts';
import {
  allUsers,
  changeUser,
  createUser,
  findUser,
  findUsers,
  type Pushing,
  removeUser,
} from '../../operations/grant/pushed-users.ts';
import {
  answered,
  badFilter,
  listed,
  MALFORMED,
  malformed,
  NOT_FOUND,
  paged,
  readFilter,
  type ScimAnswer,
  type ScimRequest,
  scimError,
} from './answers.ts';
import { deleteGroup, listGroups, patchGroup, postGroup, putGroup, shownGroup, withGroup } from './groups.ts';
import { patched, readOperations } from './patch.ts';
import { readId, readUser, userResource } from './resources.ts';
import { providerConfig, resourceTypes, schemas } from './schemas.ts';

interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly needsBody?: true;
  readonly run: (request: ScimRequest) => Promise<ScimAnswer>;
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

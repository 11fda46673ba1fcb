// Users and groups that a directory pushes, as Entra ID and Okta send them.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { IdentityId } from '../../../src/core/identity.ts';
import { identityOf } from '../../../src/directory/oidc/oidc-directory.ts';
import { storeSeen } from '../../../src/operations/grant/seen-identity.ts';
import { identities } from '../../../src/store/tables/identities.ts';
import { callerOver, json, reachOf } from '../../e2e/caller.ts';
import type { TestService } from '../../e2e/service.ts';
import { CERTIFICATE, CLIENT, SCOPE } from '../../e2e/steps.ts';
import { eventually } from '../../eventually.ts';
import {
  GROUP,
  ISSUER_URL,
  PATCH_OP,
  type Resource,
  type Scim,
  scimAt,
  secretFor,
  startPushed,
  USER,
} from './pushing-service.ts';

let service: TestService;
let secret: string;
let entra: Scim;
let okta: Scim;
let tested: Scim;

before(async () => {
  service = await startPushed();
  secret = await secretFor(service, 'entra-scim');
  entra = scimAt(service, 'entra', secret);
  okta = scimAt(service, 'okta', await secretFor(service, 'okta-scim'));
  tested = scimAt(service, 'tested', await secretFor(service, 'tested-scim'));
});
after(() => service.stop());

const rowOf = async (id: IdentityId) => (await service.ports.store.load(identities, id)).found?.row;
const list = async (scim: Scim, path: string) => (await scim.send('GET', path)).body as unknown as Listed;
interface Listed {
  readonly totalResults: number;
  readonly Resources: readonly { readonly id: string; readonly [name: string]: unknown }[];
}

/** What the log says of the request with this answer. */
async function loggedOf(headers: Readonly<Record<string, unknown>>): Promise<readonly unknown[]> {
  const find = () => service.logLines.find((each) => each.includes(`"id":"${headers['request-id']}"`));
  await eventually('the request is logged', () => find() !== undefined);
  const { outcome, reason, clientId } = JSON.parse(find() ?? '');
  return [outcome, reason, clientId];
}

/** What Entra ID sends for a new user. */
const entraUser = (name: string, externalId: string) => ({
  schemas: [USER, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
  externalId,
  userName: `${name}@corp.example`,
  active: true,
  emails: [{ primary: true, type: 'work', value: `${name}@corp.example` }],
  meta: { resourceType: 'User' },
  name: { formatted: `${name} family`, familyName: 'family', givenName: name },
  roles: [],
});

/** What Okta sends for a new user. */
const oktaUser = (name: string, externalId: string) => ({
  schemas: [USER],
  userName: `${name}@okta.example`,
  name: { givenName: name, familyName: 'User' },
  emails: [{ primary: true, value: `${name}@okta.example`, type: 'work' }],
  displayName: `${name} User`,
  locale: 'en-US',
  externalId,
  groups: [],
  password: 'canary-1mz050nq',
  active: true,
});

const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';
const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';
const patch = (...Operations: object[]) => ({ schemas: [PATCH_OP], Operations });

async function authorize(upn: string) {
  const certificate = service.authority.issue({ commonName: 'any', upns: [upn] });
  const caller = callerOver('HTTP/1.1', reachOf(service, certificate));
  try {
    return await caller.ask({ path: CERTIFICATE, ...json({ client_id: CLIENT, scope: SCOPE }) });
  } finally {
    caller.close();
  }
}

async function verify(accessToken: unknown): Promise<number> {
  const caller = callerOver('HTTP/1.1', reachOf(service));
  try {
    const headers = { authorization: `Bearer ${accessToken}` };
    return (await caller.ask({ method: 'GET', path: '/authsvc/Authorize/Verify', headers })).status;
  } finally {
    caller.close();
  }
}

suite('what Entra ID and Okta ask', () => {
  test('finds one user or group, as they look for it before they create or refer to it', async () => {
    const { body: user } = await entra.send('POST', '/Users', entraUser('fay', 'oid-of-fay'));
    const members = [{ value: user.id }];
    const { body: group } = await entra.send('POST', '/Groups', { displayName: 'Found', members });
    for (const [path, filter, id] of [
      ['/Users', 'userName eq "fay@corp.example"', user.id],
      ['/Users', 'emails[type eq "work"].value eq "FAY@corp.example"', user.id],
      ['/Users', 'emails.value eq "fay@corp.example"', user.id],
      ['/Users', 'emails[type eq "home"].value eq "fay@corp.example"', undefined],
      ['/Users', `id eq "${user.id}" and manager eq "${user.id}"`, undefined],
      ['/Users', `id eq "${user.id}"`, user.id],
      ['/Groups', 'displayName eq "Found"', group.id],
      ['/Groups', `id eq "${group.id}" and members eq "${user.id}"`, group.id],
      ['/Groups', `id eq "${group.id}" and members eq "${'0'.repeat(32)}"`, undefined],
    ] as const) {
      const found = await list(entra, `${path}?${new URLSearchParams({ filter, attributes: 'id' })}`);
      assert.deepEqual(
        found.Resources.map((each) => each.id),
        id === undefined ? [] : [id],
        filter,
      );
    }
    const { body: shown } = await entra.send('GET', `/Users/${user.id}`);
    assert.deepEqual(
      (shown as { groups?: { value: string; display: string }[] }).groups?.map(({ value, display }) => [
        value,
        display,
      ]),
      [[group.id, 'Found']],
    );
    for (const path of [`/Groups/${group.id}`, `/Users/${user.id}`]) await entra.send('DELETE', path);
  });
});

suite('the door', () => {
  test('is served only where a listener names it, and says what to check if a secret is refused', async () => {
    const unnamed = scimAt(service, 'entra', secret, service.portsOfListeners[1]);
    assert.equal((await unnamed.send('GET', '/Users')).status, 404);
    const { body } = await scimAt(service, 'other', secret).send('GET', '/Users');
    assert.match(String(body['detail']), /^Check the label in the address/);
  });

  test('refuses what it cannot read, and says why, to the caller and in the log [RFC 7644 3.12]', async () => {
    const { body: user } = await entra.send('POST', '/Users', entraUser('una', 'oid-of-una'));
    const { body: group } = await entra.send('POST', '/Groups', { displayName: 'Unread' });
    const change = (value: unknown) => patch({ op: 'replace', path: 'displayName', value });
    const others = (op: string, value?: unknown) => patch({ op, path: 'members', value });
    for (const [method, path, body, status, scimType] of [
      ['POST', '/Users', [], 400, 'invalidSyntax'],
      ['POST', '/Users', { userName: 'x' }, 400, 'invalidValue'],
      ['POST', '/Users', { userName: ' x', externalId: 'x' }, 400, 'invalidValue'],
      ['PUT', `/Users/${user.id}`, { userName: 'x' }, 400, 'mutability'],
      ['PATCH', `/Users/${user.id}`, patch({ op: 'Replace', path: 'externalId', value: 'x' }), 400, 'mutability'],
      ['PATCH', `/Users/${user.id}`, {}, 400, 'invalidSyntax'],
      ['PATCH', `/Users/${user.id}`, change(5), 400, 'invalidValue'],
      ['POST', '/Groups', { displayName: 'x', members: [{ value: 'no' }] }, 400, 'invalidValue'],
      ['POST', '/Groups', { displayName: 'UNREAD' }, 409, 'uniqueness'],
      ['PUT', `/Groups/${group.id}`, { members: [] }, 400, 'invalidValue'],
      ['PATCH', `/Groups/${group.id}`, change(''), 400, 'invalidValue'],
      ['PATCH', `/Groups/${group.id}`, others('add'), 400, 'invalidValue'],
      ['PATCH', `/Groups/${group.id}`, others('add', [{ value: 'no' }]), 400, 'invalidValue'],
      ['PATCH', `/Groups/${group.id}`, others('add', [{ value: 'f'.repeat(32) }]), 400, 'invalidValue'],
      ['GET', '/Users?filter=userName%20co%20%22a%22', undefined, 400, 'invalidFilter'],
      ['GET', '/Users/nobody', undefined, 404, undefined],
      ['DELETE', `/Users/${'0'.repeat(32)}`, undefined, 404, undefined],
      ['GET', '/Schemas/urn:x', undefined, 404, undefined],
      ['PUT', '/Users', {}, 405, undefined],
      ['GET', '/Nothing', undefined, 404, undefined],
      ['POST', '/.search', {}, 501, undefined],
    ] as const) {
      const { status: found, body: error, headers } = await entra.send(method, path, body);
      const at = `${method} ${path} ${JSON.stringify(body)}`;
      assert.deepEqual([found, error['status'], error['scimType']], [status, String(status), scimType], at);
      assert.deepEqual([headers['www-authenticate'], error['schemas']], [undefined, [ERROR]], at);
      const reason = { 404: 'not-found', 405: 'method-not-allowed' }[status as number] ?? 'request-malformed';
      assert.deepEqual((await loggedOf(headers)).slice(0, 2), ['refused', reason], at);
    }
    assert.deepEqual((await entra.send('GET', `/Users/${user.id}`)).body, user, 'nothing has changed');
    await entra.send('DELETE', `/Users/${user.id}`);
  });

  test('reads 2 MiB of a caller that it knows, and no octet more', async () => {
    const path = '/scim/v2/entra/Users';
    const caller = callerOver('HTTP/1.1', reachOf(service));
    const headers = { 'content-type': 'application/scim+json', authorization: `Bearer ${secret}` };
    const sized = async (body: string, more: object = {}) =>
      (await caller.ask({ method: 'POST', path, body, headers: { ...headers, ...more } })).status;
    assert.equal(await sized('{}'.padEnd(2_097_152)), 400);
    assert.equal(await sized('{}', { 'content-length': '2097153' }), 413);
    caller.close();
  });

  test('says what it can do, as RFC 7643 writes it', async () => {
    const { status, body, headers } = await entra.send('GET', '/ServiceProviderConfig');
    const at = 'https://tokens.example/scim/v2/entra';
    assert.deepEqual([status, headers['location']], [200, undefined]);
    assert.deepEqual(body, {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
      patch: { supported: true },
      bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
      filter: { supported: true, maxResults: 200 },
      changePassword: { supported: false },
      sort: { supported: false },
      etag: { supported: false },
      authenticationSchemes: [
        { type: 'oauthbearertoken', name: 'Bearer', description: 'A secret of the integration, as a bearer token.' },
      ],
      meta: { resourceType: 'ServiceProviderConfig', location: `${at}/ServiceProviderConfig` },
    });
    const types = [['User', USER] as const, ['Group', GROUP] as const].map(([id, schema]) => ({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
      ...{ id, name: id, endpoint: `/${id}s`, schema },
      meta: { resourceType: 'ResourceType', location: `${at}/ResourceTypes/${id}` },
    }));
    const counted = { totalResults: 2, startIndex: 1, itemsPerPage: 2 };
    assert.deepEqual((await entra.send('GET', '/ResourceTypes')).body, {
      schemas: [LIST],
      ...counted,
      Resources: types,
    });
    assert.deepEqual((await entra.send('GET', '/ResourceTypes/Group')).body, types[1]);
  });

  test('publishes its schemas, and which attribute cannot be changed [RFC 7643 7, 8.7.1]', async () => {
    const shown = async (scim: Scim) => {
      const { Resources } = await list(scim, '/Schemas');
      return Resources.map(({ id, attributes, meta }) => [
        id,
        meta,
        (attributes as Attribute[]).flatMap(attributeLines),
      ]);
    };
    const schemaAt = (scim: string, id: string) => {
      return { resourceType: 'Schema', location: `https://tokens.example/scim/v2/${scim}/Schemas/${id}` };
    };
    const rest = [
      'displayName: string readWrite default',
      'active: boolean readWrite default',
      'emails: complex many readWrite default',
      'emails.value: string readWrite default',
      'emails.type: string readWrite default',
      'emails.primary: boolean readWrite default',
      'groups: complex many readOnly default',
      'groups.value: string readOnly default',
      'groups.display: string readOnly default',
      'groups.$ref: reference Group readOnly default',
    ];
    const group = [
      'displayName: string required readWrite default server',
      'members: complex many readWrite default',
      'members.value: string immutable default',
      'members.$ref: reference User readOnly default',
    ];
    for (const [label, scim, userName] of [
      ['entra', entra, 'userName: string required readWrite default server'],
      ['tested', tested, 'userName: string required immutable default server'],
    ] as const)
      assert.deepEqual(await shown(scim), [
        [USER, schemaAt(label, USER), [userName, ...rest]],
        [GROUP, schemaAt(label, GROUP), group],
      ]);
    assert.deepEqual((await entra.send('GET', `/Schemas/${GROUP}`)).body['name'], 'Group');
  });
});

interface Attribute {
  readonly name: string;
  readonly subAttributes?: readonly Attribute[];
  readonly [fact: string]: unknown;
}

/** What an attribute has beyond the usual: one value, not required, in any case, not unique. */
function attributeLines({ name, subAttributes = [], ...facts }: Attribute): readonly string[] {
  const { type, referenceTypes, multiValued, required, caseExact, mutability, returned, uniqueness } = facts;
  const words = [type, ...((referenceTypes as string[]) ?? []), multiValued && 'many', required && 'required'];
  const line = [...words, caseExact && 'exact', mutability, returned, uniqueness !== 'none' && uniqueness];
  assert.ok([multiValued, required, caseExact].every((flag) => typeof flag === 'boolean') && facts['description']);
  const below = subAttributes.flatMap(attributeLines).map((each) => `${name}.${each}`);
  return [`${name}: ${line.filter(Boolean).join(' ')}`, ...below];
}

suite('Entra ID', () => {
  test('creates a user who is the person that signs in, and finds it', async () => {
    const test = await entra.send('GET', '/Users?filter=userName+eq+%22e0a7d9ba-0000-4000-8000-000000000000%22');
    const none = { schemas: [LIST], totalResults: 0, startIndex: 1, itemsPerPage: 0, Resources: [] };
    assert.deepEqual([test.status, test.body], [200, none]);
    const { status, body, headers } = await entra.send('POST', '/Users', entraUser('ada', 'oid-of-ada'));
    assert.equal(status, 201, JSON.stringify(body));
    assert.match(String(headers['content-type']), /^application\/scim\+json/);
    const location = `https://tokens.example/scim/v2/entra/Users/${body.id}`;
    const { schemas: _, meta: __, name: ___, roles: ____, ...kept } = entraUser('ada', 'oid-of-ada');
    assert.deepEqual(body, { schemas: [USER], id: body.id, ...kept, meta: { resourceType: 'User', location } });
    const again = await entra.send('GET', `/Users/${body.id}`);
    assert.deepEqual([again.body, headers['location'], again.headers['location']], [body, location, undefined]);
    const settings = { label: 'entra', issuer: ISSUER_URL, idClaims: ['tid', 'oid'], claims: {} };
    const answer = { claims: { tid: 'the tenant', oid: 'oid-of-ada' }, userInfo: async () => ({}) };
    const atSignIn = await identityOf(answer, settings);
    assert.ok(atSignIn.ok);
    assert.equal(atSignIn.value.id, entra.identity(body));
    for (const filter of ['userName eq "ADA@corp.example"', 'externalId eq "oid-of-ada"']) {
      const found = await list(entra, `/Users?filter=${encodeURIComponent(filter)}`);
      assert.deepEqual([found.totalResults, found.Resources[0]?.id], [1, body.id], filter);
    }
    assert.equal((await entra.send('POST', '/Users', entraUser('ada', 'oid-of-ada'))).status, 409);
    assert.equal((await entra.send('POST', '/Users', entraUser('ada', 'another'))).status, 409);
  });

  test('disables a user, whose grants end at once and whom a sign-in does not bring back', async () => {
    const { body: user } = await entra.send('POST', '/Users', entraUser('bob', 'oid-of-bob'));
    const granted = await authorize('bob@corp.example');
    assert.deepEqual([granted.status, granted.json['identity']], [200, entra.identity(user)]);
    assert.equal(await verify(granted.json['access_token']), 200);
    const off = patch({ op: 'Replace', path: 'active', value: 'False' });
    assert.deepEqual((await entra.send('PATCH', `/Users/${user.id}`, off)).body['active'], false);
    assert.equal(await verify(granted.json['access_token']), 401);
    const events = await service.ports.store.newestEvents({ count: 2, acts: true });
    assert.deepEqual(
      events.map(({ type, detail }) => [type, type === 'revoked' ? detail.reason : undefined]),
      [
        ['administered', undefined],
        ['revoked', 'account-ended'],
      ],
    );
    const before = await rowOf(entra.identity(user));
    assert.ok(before);
    const { pushed: _, ...signedIn } = { ...before, enabled: true, groups: ['entra/admins'], seenAt: undefined };
    const after = await storeSeen(signedIn as never, service.ports);
    assert.deepEqual([after.enabled, after.groups], [false, []]);
    assert.equal((await authorize('bob@corp.example')).status, 400);
    const on = patch({ op: 'Replace', path: 'active', value: true });
    assert.equal((await entra.send('PATCH', `/Users/${user.id}`, on)).body['active'], true);
    assert.equal(await verify(granted.json['access_token']), 401, 'ended grants stay ended');
    assert.equal((await authorize('bob@corp.example')).status, 200);
  });

  test('changes attributes by path, by filter, and with paths as names', async () => {
    const { body: user } = await entra.send('POST', '/Users', entraUser('carl', 'oid-of-carl'));
    const { body } = await entra.send(
      'PATCH',
      `/Users/${user.id}`,
      patch(
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'carl.new@corp.example' },
        { op: 'Add', path: 'emails[type eq "home"].value', value: 'carl@home.example' },
        { op: 'Add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', value: 'R&D' },
        { op: 'Add', path: 'name.givenName', value: 'Carl' },
        {
          op: 'add',
          value: { displayName: 'Carl', 'name.familyName': 'C', 'phoneNumbers[type eq "work"].value': '1' },
        },
        { op: 'Replace', path: 'userName', value: 'Carl.New@corp.example' },
      ),
    );
    assert.deepEqual(body['emails'], [
      { value: 'carl.new@corp.example', type: 'work', primary: true },
      { value: 'carl@home.example', type: 'home' },
    ]);
    assert.deepEqual([body['displayName'], body['userName']], ['Carl', 'Carl.New@corp.example']);
    const row = await rowOf(entra.identity(user));
    assert.deepEqual([row?.userName, row?.email], ['carl.new@corp.example', 'carl.new@corp.example']);
  });

  test('pushes groups, which open and close integrations', async () => {
    const { body: user } = await entra.send('POST', '/Users', entraUser('dora', 'oid-of-dora'));
    const { status, body: group } = await entra.send('POST', '/Groups', {
      schemas: [GROUP, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
      externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
      displayName: 'Ops',
      meta: { resourceType: 'Group' },
    });
    assert.equal(status, 201, JSON.stringify(group));
    const path = `/Groups/${group.id}`;
    const members = async () =>
      ((await entra.send('GET', path)).body['members'] as { value: string }[]).map((one) => one.value);
    const add = patch({ op: 'Add', path: 'members', value: [{ $ref: null, value: user.id }] });
    assert.equal((await entra.send('PATCH', path, add)).status, 204);
    const shown = await entra.send('PATCH', `${path}?attributes=members`, add);
    assert.deepEqual([shown.status, (shown.body['members'] as { value: string }[])[0]?.value], [200, user.id]);
    assert.deepEqual(await members(), [user.id]);
    const groupsOf = async () => (await rowOf(entra.identity(user)))?.groups;
    assert.deepEqual(await groupsOf(), ['entra/Ops']);
    const found = await list(entra, '/Groups?excludedAttributes=members&filter=displayName+eq+%22ops%22');
    assert.deepEqual([found.totalResults, found.Resources[0]?.['members']], [1, undefined]);
    for (const [externalId, count] of [['8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159', 1] as const, ['another', 0] as const])
      assert.equal((await list(entra, `/Groups?filter=externalId+eq+%22${externalId}%22`)).totalResults, count);
    await entra.send('PATCH', path, patch({ op: 'Replace', path: 'displayName', value: 'Operators' }));
    assert.deepEqual(await groupsOf(), ['entra/Operators']);
    await entra.send('PATCH', path, patch({ op: 'Remove', path: 'members', value: [{ $ref: null, value: user.id }] }));
    assert.deepEqual([await groupsOf(), await members()], [[], []]);
    await entra.send('PATCH', path, add);
    assert.equal((await entra.send('DELETE', path)).status, 204);
    assert.deepEqual(await groupsOf(), []);
    assert.equal((await entra.send('GET', path)).status, 404);
    assert.equal((await entra.send('POST', '/Groups', { displayName: 'Ops' })).status, 201, 'the name is free again');
  });

  test('deletes a user, whose name is free and who can be created again', async () => {
    const { body: user } = await entra.send('POST', '/Users', entraUser('eve', 'oid-of-eve'));
    const granted = await authorize('eve@corp.example');
    assert.equal((await entra.send('DELETE', `/Users/${user.id}`)).status, 204);
    assert.equal(await verify(granted.json['access_token']), 401);
    assert.equal((await entra.send('GET', `/Users/${user.id}`)).status, 404);
    assert.equal((await authorize('eve@corp.example')).status, 401);
    assert.equal((await entra.send('POST', '/Users', entraUser('eve', 'another-oid'))).status, 201);
    const back = await entra.send('POST', '/Users', { ...entraUser('evelyn', 'oid-of-eve') });
    assert.deepEqual([back.status, back.body.id], [201, user.id]);
    assert.equal((await rowOf(entra.identity(user)))?.enabled, true);
  });
});

test('members change in the order of the operations, however a client writes them [RFC 7644 3.5.2]', async () => {
  const ids: Record<string, string> = {};
  for (const name of 'abc') ids[name] = (await tested.send('POST', '/Users', { userName: name })).body.id;
  const valuesOf = (names: string) => names.split('').map((name) => ({ value: ids[name] }));
  const { body: group } = await tested.send('POST', '/Groups', {
    displayName: 'G',
    externalId: 'e',
    members: valuesOf('a'),
  });
  const at = 'https://tokens.example/scim/v2/tested';
  assert.deepEqual(group, {
    schemas: [GROUP],
    ...{ id: group.id, displayName: 'G', externalId: 'e' },
    members: [{ value: ids['a'], $ref: `${at}/Users/${ids['a']}` }],
    meta: { resourceType: 'Group', location: `${at}/Groups/${group.id}` },
  });
  const change = (op: string, names?: string) => ({ op, path: 'members', ...(names && { value: valuesOf(names) }) });
  for (const [operations, expected] of [
    [[change('add', 'b')], 'ab'],
    [[change('remove', 'a')], 'b'],
    [[{ op: 'add', value: { members: valuesOf('ac') } }], 'abc'],
    [[{ op: 'remove', path: `members[value eq "${ids['b']}"]` }], 'ac'],
    [[change('add', 'b'), change('remove', 'b')], 'ac'],
    [[change('remove', 'c'), change('add', 'c')], 'ac'],
    [[change('replace', 'b')], 'b'],
    [[change('add', 'a'), change('replace', 'bc'), change('remove', 'c')], 'b'],
    [[change('remove'), change('add', 'c')], 'c'],
    [[{ op: 'remove', path: 'members.display' }, change('add', 'a')], 'ac'],
    [[{ op: 'add', path: 'emails', value: 'x' }], 'ac'],
    [[{ op: 'remove', path: 'members.value' }], ''],
    [[change('add', 'b'), change('replace')], ''],
  ] as const) {
    assert.equal((await tested.send('PATCH', `/Groups/${group.id}`, patch(...operations))).status, 204);
    const now: Resource = (await tested.send('GET', `/Groups/${group.id}`)).body;
    const members = (now['members'] as { value: string }[]).map(({ value }) => value);
    const names = 'abc'.split('').filter((name) => members.includes(ids[name] ?? ''));
    const found = [names.join(''), now['displayName'], now['externalId']];
    assert.deepEqual(found, [expected, 'G', 'e'], JSON.stringify(operations));
  }
});

suite('Okta', () => {
  test('creates, replaces, deactivates, and pushes groups', async () => {
    const { status, body: user } = await okta.send('POST', '/Users', oktaUser('fay', '00ujl29u0le5T6Aj10h7'));
    assert.equal(status, 201, JSON.stringify(user));
    assert.doesNotMatch(JSON.stringify([user, await rowOf(okta.identity(user))]), /canary/);
    const put = await okta.send('PUT', `/Users/${user.id}`, {
      ...oktaUser('fay', '00ujl29u0le5T6Aj10h7'),
      displayName: 'Fay',
    });
    assert.deepEqual([put.status, put.body['displayName']], [200, 'Fay']);
    const { body: group } = await okta.send('POST', '/Groups', {
      schemas: [GROUP],
      displayName: 'Test SCIMv2',
      members: [{ value: user.id, display: 'fay@okta.example' }],
    });
    const path = `/Groups/${group.id}`;
    assert.deepEqual((await rowOf(okta.identity(user)))?.groups, ['okta/Test SCIMv2']);
    await okta.send('PATCH', path, patch({ op: 'replace', value: { id: group.id, displayName: 'Renamed' } }));
    assert.deepEqual((await rowOf(okta.identity(user)))?.groups, ['okta/Renamed']);
    await okta.send('PATCH', path, patch({ op: 'remove', path: `members[value eq "${user.id}"]` }));
    assert.deepEqual((await rowOf(okta.identity(user)))?.groups, []);
    await okta.send('PATCH', path, patch({ op: 'replace', path: 'members', value: [{ value: user.id }] }));
    await okta.send('PUT', path, { schemas: [GROUP], displayName: 'Renamed again', members: [] });
    assert.deepEqual((await rowOf(okta.identity(user)))?.groups, [], 'a new name and no members in one request');
    const off = await okta.send('PATCH', `/Users/${user.id}`, patch({ op: 'replace', value: { active: false } }));
    assert.deepEqual([off.status, off.body['active']], [200, false]);
    const { active: _, ...silent } = oktaUser('fay', '00ujl29u0le5T6Aj10h7');
    assert.equal((await okta.send('PUT', `/Users/${user.id}`, silent)).body['active'], false, 'left out is not let in');
    const page = await list(okta, '/Users?startIndex=1&count=1');
    assert.deepEqual([page.totalResults, page.Resources.length], [1, 1]);
    assert.equal((await list(okta, '/Users?startIndex=2&count=100')).Resources.length, 0);
  });
});

test('clients that prove nothing have a limit of their own, and do not hold a directory back', async (t) => {
  const few = { perMinute: 1, burst: 2 };
  const limited = await startPushed({ requestsPerAddress: few, checksPerAddress: few });
  t.after(() => limited.stop());
  const known = scimAt(limited, 'okta', await secretFor(limited, 'okta-scim'));
  const upToLimit = async (sent?: string) => {
    for (let tries = 0; tries < 10; tries++) {
      const { status, headers } = await known.send('GET', '/Users', undefined, sent);
      if (status === 429) return headers['retry-after'] !== undefined;
    }
    return false;
  };
  assert.ok(await upToLimit('tsc_wrong'));
  assert.equal((await known.send('GET', '/Users')).status, 200);
  assert.ok(await upToLimit());
});

test('a group of thousands may be sent in one request, by those who have authenticated', async () => {
  const { body: group } = await okta.send('POST', '/Groups', { schemas: [GROUP], displayName: 'Everybody' });
  const value = Array.from({ length: 5_000 }, (_, index) => ({
    value: index.toString(16).padStart(32, '0'),
    display: `person.${index}@okta.example`,
  }));
  const removal = patch({ op: 'remove', path: 'members', value });
  assert.equal((await okta.send('PATCH', `/Groups/${group.id}`, removal)).status, 204);
  assert.equal((await okta.send('PATCH', `/Groups/${group.id}`, removal, 'tsc_wrong')).status, 401);
});

test('a directory whose ids are user names finds a user by its external id, too', async () => {
  const { status, body: user } = await tested.send('POST', '/Users', oktaUser('gil', 'an external id'));
  assert.equal(status, 201, JSON.stringify(user));
  for (const filter of ['userName eq "gil@okta.example"', 'externalId eq "an external id"']) {
    const found = await list(tested, `/Users?filter=${encodeURIComponent(filter)}`);
    assert.deepEqual([found.totalResults, found.Resources[0]?.id], [1, user.id], filter);
  }
  assert.equal((await list(tested, '/Users?filter=externalId+eq+%22gil@okta.example%22')).totalResults, 0);
});

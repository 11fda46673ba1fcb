// Users and groups that a directory pushes, as Entra ID and Okta send them.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { IdentityId } from '../../../src/core/identity.ts';
import { identityOf } from '../../../src/directory/oidc/oidc-directory.ts';
import { dropIntegrationSecrets } from '../../../src/operations/admin/secrets.ts';
import { storeSeen } from '../../../src/operations/grant/seen-identity.ts';
import { identities } from '../../../src/store/tables/identities.ts';
import { callerOver, json, reachOf } from '../../e2e/caller.ts';
import type { TestService } from '../../e2e/service.ts';
import { CERTIFICATE, CLIENT, SCOPE } from '../../e2e/steps.ts';
import { OPERATOR } from '../../samples.ts';
import { GROUP, ISSUER_URL, PATCH_OP, type Scim, scimAt, secretFor, startPushed, USER } from './pushing-service.ts';

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

suite('the door', () => {
  test('is served only where a listener names it, and only to a live secret of its integration', async () => {
    const unnamed = scimAt(service, 'entra', secret, service.portsOfListeners[1]);
    assert.equal((await unnamed.send('GET', '/Users')).status, 404);
    assert.equal((await entra.send('GET', '/Users')).status, 200);
    const others = await secretFor(service, 'third-scim');
    for (const wrong of ['', 'tsc_wrong', others, `${secret}x`]) {
      const { status, body, headers } = await entra.send('GET', '/Users', undefined, wrong);
      assert.deepEqual([status, body['status'], headers['www-authenticate']], [401, '401', 'Bearer realm="tessera"']);
    }
    const other = await scimAt(service, 'other', secret).send('GET', '/Users');
    assert.equal(other.status, 401);
    assert.match(String(other.body['detail']), /^Check the label in the address/);
    const spare = await secretFor(service, 'spare-scim');
    assert.ok((await dropIntegrationSecrets('spare-scim', { all: true }, { ...service.ports, by: OPERATOR })).ok);
    assert.equal((await entra.send('GET', '/Users', undefined, spare)).status, 401);
  });

  test('refuses what it cannot read, and says why', async () => {
    const refused = async (method: string, path: string, body?: unknown) => {
      const { status, body: error } = await entra.send(method, path, body);
      return [status, error['scimType']];
    };
    assert.deepEqual(await refused('POST', '/Users', []), [400, 'invalidSyntax']);
    assert.deepEqual(await refused('POST', '/Users', { externalId: 'x' }), [400, 'invalidValue']);
    assert.deepEqual(await refused('POST', '/Users', { userName: 'x' }), [400, 'invalidValue'], 'no id');
    assert.deepEqual(await refused('POST', '/Users', { userName: ' x', externalId: 'x' }), [400, 'invalidValue']);
    assert.deepEqual(await refused('POST', '/Users', { ...entraUser('x', 'x'), active: 'maybe' }), [
      400,
      'invalidValue',
    ]);
    assert.deepEqual(await refused('GET', '/Users?filter=userName%20co%20%22a%22'), [400, 'invalidFilter']);
    assert.deepEqual(await refused('GET', '/Users?filter=password%20eq%20%22a%22'), [400, 'invalidFilter']);
    assert.deepEqual(await refused('GET', '/Users/nobody'), [404, undefined]);
    assert.deepEqual(await refused('DELETE', `/Users/${'0'.repeat(32)}`), [404, undefined]);
    assert.deepEqual(await refused('POST', '/Groups', { displayName: 'x', members: [{ value: 'no' }] }), [
      400,
      'invalidValue',
    ]);
    assert.equal((await entra.send('PUT', '/Users')).status, 405);
    assert.equal((await entra.send('GET', '/Nothing')).status, 404);
  });
});

suite('Entra ID', () => {
  test('creates a user who is the person that signs in, and finds it', async () => {
    const test = await entra.send('GET', '/Users?filter=userName+eq+%22e0a7d9ba-0000-4000-8000-000000000000%22');
    assert.deepEqual([test.status, test.body['totalResults'], test.body['Resources']], [200, 0, []]);
    const { status, body, headers } = await entra.send('POST', '/Users', entraUser('ada', 'oid-of-ada'));
    assert.equal(status, 201, JSON.stringify(body));
    assert.match(String(headers['content-type']), /^application\/scim\+json/);
    assert.equal(headers['location'], (body['meta'] as { location: string }).location);
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
    const changed = await entra.send(
      'PATCH',
      `/Users/${body.id}`,
      patch({ op: 'Replace', path: 'externalId', value: 'x' }),
    );
    assert.deepEqual([changed.status, changed.body['scimType']], [400, 'mutability']);
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
    const removed = await entra.send('PATCH', `/Users/${user.id}`, patch({ op: 'Remove', path: 'displayName' }));
    assert.equal(removed.body['displayName'], undefined);
    for (const bad of [{ op: 'move' }, { op: 'add', path: '[' }, { op: 'remove' }, 'x'])
      assert.equal((await entra.send('PATCH', `/Users/${user.id}`, patch(bad as object))).status, 400);
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
    const nobody = patch({ op: 'Add', path: 'members', value: [{ value: 'f'.repeat(32) }] });
    assert.equal((await entra.send('PATCH', path, nobody)).status, 400);
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

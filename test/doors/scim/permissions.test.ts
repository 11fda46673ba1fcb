// Whose secret may do what at the scim door, as test/permissions.md has it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { seconds } from '../../../src/core/time.ts';
import { dropIntegrationSecrets, makeIntegrationSecret } from '../../../src/operations/admin/secrets.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { callerOver, reachOf } from '../../e2e/caller.ts';
import { registryFollows } from '../../e2e/registry-follows.ts';
import type { TestService } from '../../e2e/service.ts';
import { pairByCertificate } from '../../e2e/steps.ts';
import { rowsBelow, servedBy } from '../../permission-table.ts';
import { OPERATOR } from '../../samples.ts';
import { GROUP, PATCH_OP, type Scim, scimAt, secretFor, startPushed, USER } from './pushing-service.ts';

const BEARERS = rowsBelow('### Whose secret is taken', ['Bearer token', 'At its directory', 'At another']);
const ROWS = rowsBelow('### What a directory reaches', ['Request', 'What another directory has pushed']);
const NOTHING = '0'.repeat(32);

let service: TestService;
let okta: Scim;
const tokens: Record<string, string> = {};
/** Of the directory okta, and what it is called. */
const pushed: Record<string, string> = {};

async function secretOf(id: string, lifetime: number): Promise<string> {
  const made = await makeIntegrationSecret(id, seconds(lifetime), { ...service.ports, by: OPERATOR });
  assert.ok(made.ok);
  return made.value.secret.reveal();
}

before(async () => {
  service = await startPushed();
  const certificate = service.authority.issue({ commonName: 'any', upns: ['ann@corp.example'] });
  const caller = callerOver('HTTP/1.1', reachOf(service, certificate));
  tokens['a dropped secret'] = await secretFor(service, 'entra-scim');
  await dropIntegrationSecrets('entra-scim', { all: true }, { ...service.ports, by: OPERATOR });
  tokens['a secret that has ended'] = await secretOf('entra-scim', 60);
  service.pass(60);
  tokens['a secret of its integration'] = await secretOf('entra-scim', 86_400);
  tokens['a second secret of its integration'] = await secretOf('entra-scim', 86_400);
  tokens['a forged secret'] = `${tokens['a secret of its integration']}x`;
  tokens['a secret of an integration of no directory'] = await secretFor(service, 'third-scim');
  tokens['a secret of its integration, which is disabled'] = await secretFor(service, 'tested-scim');
  await service.ports.store.change(integrations, 'tested-scim', (found) => ({
    outcome: undefined,
    ...(found && { next: { ...found.row, enabled: false } }),
  }));
  okta = scimAt(service, 'okta', await secretFor(service, 'okta-scim'));
  const user = { schemas: [USER], userName: 'otis@okta.example', externalId: 'o-1' };
  pushed['Users'] = (await okta.send('POST', '/Users', user)).body.id;
  pushed['Groups'] = (await okta.send('POST', '/Groups', { schemas: [GROUP], displayName: 'Okta staff' })).body.id;
  await scimAt(service, 'entra', tokens['a secret of its integration'] ?? '').send('POST', '/Users', {
    ...user,
    userName: 'ann@corp.example',
    externalId: 'ann',
  });
  tokens['an access token of a person'] = (await pairByCertificate(caller)).access_token;
  caller.close();
  await registryFollows();
});
after(() => service?.stop());

/** What passes the checks of the body, so that who may not send it is refused for that. */
const BODIES: Readonly<Record<string, object>> = {
  'POST Users': { schemas: [USER], userName: 'eve@corp.example', externalId: 'eve' },
  'PUT Users': { schemas: [USER], userName: 'eve@corp.example', externalId: 'o-1', active: false },
  'POST Groups': { schemas: [GROUP], displayName: 'Eves' },
  'PUT Groups': { schemas: [GROUP], displayName: 'Eves' },
};
const PATCH = { schemas: [PATCH_OP], Operations: [{ op: 'replace', path: 'externalId', value: 'eve' }] };

function ask(scim: Scim, { Request }: (typeof ROWS)[number], id: string) {
  const [method = '', path = ''] = Request.split(' ');
  const kind = path.split('/')[1] ?? '';
  const body = BODIES[`${method} ${kind}`] ?? (method.startsWith('P') ? PATCH : undefined);
  return scim.send(method, path.replace('{id}', id), body);
}

test('every request that is served has a row, and every row is served', async () => {
  const named = ROWS.map(({ Request }) => Request.replace(' ', ' /scim/v2/{label}'));
  assert.deepEqual(named.sort(), await servedBy('scim'));
});

for (const { 'Bearer token': bearer, 'At its directory': own, 'At another': other } of BEARERS)
  test(`${bearer}: ${own} at its directory, ${other} at another and at none`, async () => {
    const token = bearer === 'none' ? '' : (tokens[bearer] ?? assert.fail(bearer));
    const label = bearer.endsWith('disabled') ? 'tested' : 'entra';
    const before = await okta.send('GET', '/Users');
    for (const [at, expected] of [
      [label, own],
      ['okta', other],
      ['nowhere', other],
    ] as const)
      for (const row of ROWS) {
        const { status, headers } = await ask(scimAt(service, at, token), row, NOTHING);
        const isServed = status !== 401 && status !== 403;
        assert.equal(isServed ? 'served' : `${status}`, expected, `${row.Request} at ${at}`);
        if (!isServed) assert.equal(headers['www-authenticate'], 'Bearer realm="tessera"');
      }
    assert.deepEqual((await okta.send('GET', '/Users')).body, before.body);
  });

for (const row of ROWS)
  test(`${row.Request}: what another directory has pushed is ${row['What another directory has pushed']}`, async () => {
    const kind = row.Request.includes('Groups') ? 'Groups' : 'Users';
    const read = async () => (await okta.send('GET', `/${kind}/${pushed[kind]}`)).body;
    const before = await read();
    assert.equal(before.id, pushed[kind]);
    const { status, body } = await ask(
      scimAt(service, 'entra', tokens['a secret of its integration'] ?? ''),
      row,
      before.id,
    );
    assert.equal(status === 404, row['What another directory has pushed'] === 'not found', `${status}`);
    assert.doesNotMatch(JSON.stringify(body ?? ''), /otis|Okta staff/);
    assert.deepEqual(await read(), before);
  });

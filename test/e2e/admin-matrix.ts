// Who may do what at the admin door, as test/permissions.md has it.
import assert from 'node:assert/strict';
import { after, before, suite, type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { GrantId } from '../../src/core/grant.ts';
import type { Identity } from '../../src/core/identity.ts';
import type { ResourceServerId } from '../../src/core/resource-server.ts';
import { PERMISSIONS } from '../../src/core/rules/operator.ts';
import { seconds } from '../../src/core/time.ts';
import { ON_INTEGRATIONS } from '../../src/operations/admin/acts/owned-act.ts';
import { ACTS } from '../../src/operations/admin/acts.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { integrations } from '../../src/store/tables/integrations.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { rowsBelow, servedBy } from '../permission-table.ts';
import { ADA, aGrant, anIntegration, aResourceServer, hexOf, scopeOf } from '../samples.ts';
import { AdminScene } from './admin-scene.ts';
import { ath, type DpopKey, dpopKey } from './dpop-steps.ts';
import { postForm } from './oauth-steps.ts';
import { registryFollows } from './registry-follows.ts';
import { clientId, PUBLIC_URL } from './service.ts';
import { revoke } from './steps.ts';

const MOUNT = '/admin/v1';
const ACT_ROWS = rowsBelow('### What each act needs', ['Act', 'Request', 'Command', 'Needs', 'An owner may'] as const);
const HOLDERS = rowsBelow('### Whose token allows what', ['Token of', 'Allows at most', 'Beyond that'] as const);
type ActRow = (typeof ACT_ROWS)[number];

const LEVELS = ['nothing', 'read', 'operate', 'manage'];
const NOTHING = 'nothing-of-this-name';

function allows(held: string, needed: string): boolean {
  assert.ok(LEVELS.includes(held) && LEVELS.indexOf(needed) > 0, `${held}, ${needed}`);
  return LEVELS.indexOf(held) >= LEVELS.indexOf(needed);
}

let scene: AdminScene;
let dpop: DpopKey;
/** Of operators and owners, for each permission. */
const tokens: Record<string, string> = {};
/** PostgreSQL's clock cannot be moved. */
let hasOwnClock = false;

async function open(backEnd: string): Promise<void> {
  scene = await AdminScene.open({}, backEnd);
  dpop = await dpopKey();
  hasOwnClock = backEnd === 'PostgreSQL';
  const { service } = scene;
  const tessera = scopeOf('tessera:read,manage');
  const both = { scope: scopeOf('tessera:read,manage;orders:read'), access: { to: 'everyone' } as const };
  const exchange = [{ integration: clientId('api'), scope: 'tessera:read,manage;orders:read' }];
  const short = { accessTokenLifetime: seconds(1) };
  await service.put(resourceServers, aResourceServer({ identity: ADA }));
  const more = [
    { ...both, clientId: clientId('both'), exchange },
    { ...both, clientId: clientId('api'), resourceServer: 'orders-api' as ResourceServerId },
    { ...both, clientId: clientId('for-everyone'), scope: tessera },
    { ...both, clientId: clientId('bound-to-key'), scope: tessera, binding: 'dpop' as const },
    { ...both, clientId: clientId('short'), scope: tessera, overrides: short },
    { ...both, clientId: clientId('short-jwt'), scope: tessera, overrides: short, accessTokenFormat: 'jwt' as const },
  ];
  for (const each of more) await service.register(anIntegration(each));
  await setShop('enabled');
  await registryFollows();
}

async function operatorWhoIs(name: string, later: Partial<Identity>): Promise<string> {
  const operator = await scene.add(name, ['operators']);
  const token = await scene.token(name);
  await scene.service.put(identities, { ...operator, ...later });
  return token;
}

async function byDisabled(): Promise<string> {
  const given = { clientId: clientId('for-a-while'), scope: scopeOf('tessera:read,manage') };
  await scene.service.register(anIntegration(given));
  const token = await scene.token('olga', 'tessera:manage', 'for-a-while');
  await scene.service.register(anIntegration({ ...given, enabled: false }));
  return token;
}

async function expired(integration: string): Promise<string> {
  const token = await scene.token('olga', 'tessera:manage', integration);
  scene.service.pass(3);
  if (hasOwnClock) await pause(2_100);
  return token;
}

/** RFC 9449: bound to the key of the caller. */
async function boundToKey(): Promise<string> {
  const htu = `${PUBLIC_URL}/oauth2/token`;
  const fields = { client_id: 'bound-to-key', scope: 'tessera:manage', grant_type: 'client_credentials' };
  const send = async (nonce?: string) =>
    postForm(scene.caller('olga'), '/oauth2/token', fields, {
      dpop: await dpop.proof({ htu, iat: scene.service.now(), nonce }),
    });
  const refused = await send();
  const answer = await send(String(refused.headers['dpop-nonce']));
  assert.deepEqual([answer.status, answer.json['token_type']], [200, 'DPoP'], answer.text);
  return String(answer.json['access_token']);
}

/** RFC 8693: an API that received the token of an operator exchanges it. */
async function exchanged(): Promise<string> {
  const subject_token = await scene.token('olga', 'tessera:manage orders:read', 'both');
  const answer = await postForm(scene.caller('ada'), '/oauth2/token', {
    client_id: 'api',
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
  });
  assert.equal(answer.status, 200, answer.text);
  return String(answer.json['access_token']);
}

async function revoked(integration = 'tessera-cli'): Promise<string> {
  const token = await scene.token('olga', 'tessera:manage', integration);
  assert.equal((await revoke(scene.caller(), token)).status, 200);
  return token;
}

type Token = () => Promise<string | undefined>;

const byCode = (name: string, group: string, by: 'password' | 'passkey') => async () =>
  scene.tokenByCode(await scene.add(name, [group]), by);

const TOKENS: Readonly<Record<string, Token>> = {
  nobody: async () => undefined,
  'a forged token': async () => 'tsa_forged',
  'a token of an API': () => scene.token('ada', 'orders:read', 'orders-sync'),
  'an operator whose token is for an API too': () => scene.token('olga', 'tessera:manage orders:read', 'both'),
  'somebody without a group': () => scene.token('ada', 'tessera:manage', 'for-everyone'),
  'an operator, read': () => scene.token('olga', 'tessera:read'),
  'an operator, operate': () => scene.token('olga', 'tessera:operate'),
  'an operator, manage': () => scene.token('olga', 'tessera:manage'),
  'an operator, operate, as JWT': () => scene.token('olga', 'tessera:operate', 'tessera-jwt'),
  'an operator, manage, as JWT': () => scene.token('olga', 'tessera:manage', 'tessera-jwt'),
  'a viewer who asked for everything': () => scene.token('vera'),
  'an operator by device code': async () => scene.tokenByDevice(await scene.add('olga', ['operators'])),
  'an operator by code, after a sign-in with the password': byCode('olga', 'operators', 'password'),
  'an operator by code, after a sign-in with a passkey': byCode('olga', 'operators', 'passkey'),
  'a viewer by code, after a sign-in with a passkey': byCode('vera', 'viewers', 'passkey'),
  'an operator with a token that is bound to a key': boundToKey,
  'the same with a DPoP proof': boundToKey,
  'an API with the token of an operator, exchanged': exchanged,
  'a disabled operator': () => operatorWhoIs('omar', { enabled: false }),
  'an operator who may not use the API': () => operatorWhoIs('otis', { mayUseApi: false }),
  'an operator who lost the group': () => operatorWhoIs('otto', { groups: ['viewers'] }),
  'an operator by an integration that was disabled': byDisabled,
  'a revoked token': () => revoked(),
  'a revoked JWT': () => revoked('tessera-jwt'),
  'an expired token': () => expired('short'),
  'an expired JWT': () => expired('short-jwt'),
};

async function proofOf(token: string, htm: string, path: string) {
  const htu = `${PUBLIC_URL}${MOUNT}${path}`;
  const dpopProof = await dpop.proof({ htm, htu, iat: scene.service.now(), ath: ath(token) });
  return { authorization: `DPoP ${token}`, dpop: dpopProof };
}

/** What passes the schema, so that who may not do it is refused for that. */
const BODIES: Readonly<Record<string, (integration: string) => object>> = {
  'integration-put': () => ({ scope: 'orders:read', owners: ['shop-team'], description: 'ours' }),
  'integration-import': (id) => ({ integrations: [{ id, scope: 'orders:read' }], update: true }),
  'integration-key-add': () => ({ file: 'x' }),
  'resource-server-put': () => ({ audience: 'https://a.example', resources: ['a'] }),
  'issuer-put': () => ({ pem: 'x', identitySources: ['common-name'] }),
  'token-issuer-put': () => ({ issuer: 'https://a.example', rules: [{ when: { '/sub': 'a' }, identity: '{/sub}' }] }),
  'identity-put': () => ({}),
  'identity-password': () => ({ password: 'long-enough-for-everybody' }),
  'grant-revoke-all': (integration) => ({ integration, confirmed: true }),
  'explain-token': () => ({ token: 'x' }),
  'explain-certificate': () => ({ certificates: 'x' }),
  'explain-assertion': () => ({ assertion: 'x' }),
  'object-plan': () => ({ objects: {} }),
  'object-apply': () => ({ objects: {} }),
};
const QUERIES: Readonly<Record<string, (integration: string) => string>> = {
  'grant-list': (integration) => `?integration=${integration}`,
  'integration-key-remove': () => '?key=x',
  'integration-secret-make': () => '?endsIn=3600',
  'explain-scope': (integration) => `?integration=${integration}&scope=orders:read`,
};

const GRANT_OF: Readonly<Record<string, string>> = { shop: hexOf(16, 1), 'orders-sync': hexOf(16, 2) };

/** Asks for an act on nothing, with nothing to do. */
function askIdly(token: string | undefined, { Request }: ActRow, headers = {}) {
  const [method = '', path = ''] = Request.replace('{id}', NOTHING).split(' ');
  return scene.ask(token, method, path, { headers });
}

/** Asks for an act on an integration, or on a grant of it. */
function ask(token: string, { Act, Request }: ActRow, integration: string) {
  const [method = '', path = ''] = Request.split(' ');
  const id = Act.startsWith('grant-') ? (GRANT_OF[integration] ?? integration) : integration;
  const where = path.replace('{id}', id) + (QUERIES[Act]?.(integration) ?? '');
  return scene.ask(token, method, where, { body: BODIES[Act]?.(integration) });
}

/** As it is before each act: by an operator, by an owner, or not disabled. */
async function setShop(state: 'enabled' | 'by an owner' | 'by an operator'): Promise<void> {
  const isByOwner = state === 'by an owner' && { disabledByOwner: true as const };
  const shop = { clientId: clientId('shop'), owners: ['shop-team'], enabled: state === 'enabled', ...isByOwner };
  await scene.service.put(integrations, anIntegration(shop));
  for (const [integration, id] of Object.entries(GRANT_OF))
    await scene.service.put(grants, aGrant({ id: id as GrantId, clientId: clientId(integration) }));
}

type Case = readonly [what: string, isAllowed: boolean, refusal: () => ReturnType<typeof ask>];

/** What an owner may do, in the words of the table. */
function ownersCases(row: ActRow, token: string): Case[] {
  const { 'An owner may': words } = row;
  const on = (integration: string) => () => ask(token, row, integration);
  const theirs = async (state: Parameters<typeof setShop>[0]) => {
    await setShop(state);
    return ask(token, row, 'shop');
  };
  const isTheirs = words !== 'no';
  const cases: Case[] = [
    ['theirs', isTheirs, () => theirs('enabled')],
    ['disabled by them', isTheirs, () => theirs('by an owner')],
    ['disabled by an operator', isTheirs && words !== 'unless an operator disabled it', () => theirs('by an operator')],
  ];
  if (words === 'in a list of theirs only') return cases;
  const others: Case[] = ['orders-sync', NOTHING].map((id) => [id, false, on(id)]);
  return [...cases, ...others];
}

/** In what the door differs from a row. */
async function* flawsOf(row: ActRow) {
  const { Needs: needs } = row;
  for (const level of PERMISSIONS) {
    const answer = await askIdly(tokens[`operator ${level}`], row);
    if (isDone(answer) !== allows(level, needs)) yield `an operator, ${level}: ${answer.status} ${answer.text}`;
    const owner = tokens[`owner ${level}`] ?? '';
    const cases = ownersCases(row, owner);
    for (const [what, isAllowed, send] of allows(level, needs) ? cases : cases.slice(0, 1)) {
      const { status, text } = await send();
      if (isDone({ status }) !== (isAllowed && allows(level, needs)))
        yield `an owner, ${level}, ${what}: ${status} ${text}`;
    }
  }
}

function isDone({ status }: { readonly status: number }): boolean {
  return status !== 401 && status !== 403;
}

async function getTokens(): Promise<void> {
  for (const level of PERMISSIONS) {
    tokens[`operator ${level}`] = await scene.token('olga', `tessera:${level}`);
    tokens[`owner ${level}`] = await scene.token('shaun', `tessera:${level}`);
  }
}

export function permissionMatrix(backEnd: string): void {
  suite(`permissions at the admin door, on ${backEnd}`, () => {
    before(() => open(backEnd));
    before(getTokens);
    after(() => scene.close());

    test('every act that is served has a row, and every row is served, by the command that it names', async () => {
      const served = (await servedBy('admin')).filter((each) => each !== `GET ${MOUNT}/openapi.json`);
      assert.deepEqual(ACT_ROWS.map(({ Request }) => Request.replace(' ', ` ${MOUNT}`)).sort(), served);
      const named = ACT_ROWS.map(({ Act, Request, Command }) => [Act, Request, Command]);
      const acts = Object.entries(ACTS).map(([name, { method, path, command }]) => [
        name,
        `${method} ${path}`,
        command,
      ]);
      assert.deepEqual(named, acts);
    });

    for (const { 'Token of': who, 'Allows at most': most, 'Beyond that': beyond } of HOLDERS) {
      test(`${who}: ${most}`, async () => {
        const token = await (TOKENS[who] ?? assert.fail(who))();
        for (const row of ACT_ROWS) {
          const [method = '', path = ''] = row.Request.replace('{id}', NOTHING).split(' ');
          const headers = who.endsWith('with a DPoP proof') ? await proofOf(token ?? '', method, path) : {};
          const { status, json, headers: sent } = await askIdly(token, row, headers);
          if (allows(most, row.Needs)) assert.ok(isDone({ status }), `${row.Act}: ${status}`);
          else assert.equal(`${status}`, beyond, row.Act);
          if (status < 400) continue;
          assert.equal(sent['content-type'], 'application/problem+json; charset=utf-8');
          assert.match(String(json['type']), /^https:\/\/tokens\.example\/docs\/errors#/);
          assert.equal(json['status'], status);
        }
      });
    }

    for (const row of ACT_ROWS)
      test(`${row.Act} needs ${row.Needs}; an owner: ${row['An owner may']}`, async () => {
        assert.deepEqual(await Array.fromAsync(flawsOf(row)), []);
      });
  });
}

/** The table of acts with one row changed, at the service that runs. */
export function changedMatrix(): void {
  suite('the table notices every permission that changes', () => {
    before(() => open('SQLite'));
    before(getTokens);
    after(() => scene.close());

    const isFound = async (row: ActRow) => (await flawsOf(row).next()).done !== true;

    test('needed for an act: lowered, raised, or misspelt', async (t: TestContext) => {
      const missed: string[] = [];
      for (const row of ACT_ROWS) {
        const act = ACTS[row.Act as keyof typeof ACTS] as { permission: string };
        const { permission } = act;
        const found: string[] = [];
        for (const other of [...LEVELS.slice(1), 'mange'].filter((each) => each !== permission)) {
          act.permission = other;
          const how = LEVELS.indexOf(other) < 0 ? 'misspelt' : allows(other, permission) ? 'raised' : 'lowered';
          found.push(`${how} to ${other}: ${(await isFound(row)) ? 'found' : 'NOT FOUND'}`);
        }
        act.permission = permission;
        t.diagnostic(`${row.Act}, ${permission}: ${found.join(', ')}`);
        if (found.join().includes('NOT')) missed.push(row.Act);
      }
      assert.deepEqual(missed, []);
    });

    test('of owners on their integrations: given or taken', async (t: TestContext) => {
      const owners = ON_INTEGRATIONS as string[];
      const missed: string[] = [];
      for (const row of ACT_ROWS.filter(({ Act }) => Act.startsWith('integration-'))) {
        const before = [...owners];
        if (/integration-(?:list|put|import)$/.test(row.Act)) continue;
        if (before.includes(row.Act)) owners.splice(owners.indexOf(row.Act), 1);
        else owners.push(row.Act);
        const found = await isFound(row);
        t.diagnostic(`${row.Act}, ${before.includes(row.Act) ? 'taken' : 'given'}: ${found ? 'found' : 'NOT FOUND'}`);
        if (!found) missed.push(row.Act);
        owners.splice(0, owners.length, ...before);
      }
      assert.deepEqual(missed, []);
    });
  });
}

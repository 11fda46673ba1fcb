// Who may do what at the admin door. The routes come from the OpenAPI document that the service sends, so that a new route is
// tested without a change here.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { ResourceServerId } from '../../src/core/resource-server.ts';
import { seconds } from '../../src/core/time.ts';
import { MOUNT } from '../../src/doors/admin/openapi.ts';
import { ACTS } from '../../src/operations/admin/act-table.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { ADA, anIntegration, aResourceServer, scopeOf } from '../samples.ts';
import { AdminScene } from './admin-scene.ts';
import { ath, type DpopKey, dpopKey } from './dpop-steps.ts';
import { postForm } from './oauth-steps.ts';
import { registryFollows } from './registry-follows.ts';
import { clientId, PUBLIC_URL } from './service.ts';
import { revoke } from './steps.ts';

const LEVELS = ['none', 'read', 'operate', 'manage'] as const;
type Level = (typeof LEVELS)[number];

interface Route {
  readonly method: string;
  readonly path: string;
  readonly permission: Level;
}

/** A token that may do nothing at all gets 401 if it is worthless, and 403 if its holder has no permission. */
interface Row {
  readonly who: string;
  readonly token: () => Promise<string | undefined>;
  readonly may: Level;
  readonly refusedWith?: number;
  /** More than `Authorization: Bearer`. */
  readonly headers?: (token: string, method: string, path: string) => Promise<Readonly<Record<string, string>>>;
}

let scene: AdminScene;
let dpop: DpopKey;
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
  await registryFollows();
}

async function disabledOperator(): Promise<string> {
  const omar = await scene.add('omar', ['operators']);
  const token = await scene.token('omar');
  await scene.service.put(identities, { ...omar, enabled: false });
  return token;
}

async function operatorNoMore(): Promise<string> {
  const otto = await scene.add('otto', ['operators']);
  const token = await scene.token('otto');
  await scene.service.put(identities, { ...otto, groups: ['viewers'] });
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

const ROWS: readonly Row[] = [
  { who: 'nobody', token: async () => undefined, may: 'none', refusedWith: 401 },
  { who: 'a forged token', token: async () => 'tsa_forged', may: 'none', refusedWith: 401 },
  {
    who: 'a token of an API',
    token: () => scene.token('ada', 'orders:read', 'orders-sync'),
    may: 'none',
    refusedWith: 401,
  },
  {
    who: 'an operator whose token is for an API too',
    token: () => scene.token('olga', 'tessera:manage orders:read', 'both'),
    may: 'none',
    refusedWith: 401,
  },
  {
    who: 'somebody without a group',
    token: () => scene.token('ada', 'tessera:manage', 'for-everyone'),
    may: 'none',
    refusedWith: 403,
  },
  { who: 'an operator, read', token: () => scene.token('olga', 'tessera:read'), may: 'read' },
  { who: 'an operator, operate', token: () => scene.token('olga', 'tessera:operate'), may: 'operate' },
  { who: 'an operator, manage', token: () => scene.token('olga', 'tessera:manage'), may: 'manage' },
  {
    who: 'an operator, manage, as JWT',
    token: () => scene.token('olga', 'tessera:manage', 'tessera-jwt'),
    may: 'manage',
  },
  {
    who: 'an operator, operate, as JWT',
    token: () => scene.token('olga', 'tessera:operate', 'tessera-jwt'),
    may: 'operate',
  },
  { who: 'a viewer who asked for everything', token: () => scene.token('vera'), may: 'read' },
  {
    who: 'an operator by device code',
    token: async () => scene.tokenByDevice(await scene.add('olga', ['operators'])),
    may: 'read',
  },
  {
    who: 'an operator by code, after a sign-in with the password',
    token: async () => scene.tokenByCode(await scene.add('olga', ['operators']), 'password'),
    may: 'read',
  },
  {
    who: 'an operator by code, after a sign-in with a passkey',
    token: async () => scene.tokenByCode(await scene.add('olga', ['operators']), 'passkey'),
    may: 'manage',
  },
  {
    who: 'a viewer by code, after a sign-in with a passkey',
    token: async () => scene.tokenByCode(await scene.add('vera', ['viewers']), 'passkey'),
    may: 'read',
  },
  { who: 'an operator with a token that is bound to a key', token: boundToKey, may: 'none', refusedWith: 401 },
  {
    who: 'the same with a DPoP proof',
    token: boundToKey,
    headers: async (token, htm, path) => ({
      authorization: `DPoP ${token}`,
      dpop: await dpop.proof({ htm, htu: `${PUBLIC_URL}${MOUNT}${path}`, iat: scene.service.now(), ath: ath(token) }),
    }),
    may: 'none',
    refusedWith: 401,
  },
  { who: 'an API with the token of an operator, exchanged', token: exchanged, may: 'none', refusedWith: 401 },
  { who: 'a disabled operator', token: disabledOperator, may: 'none', refusedWith: 401 },
  { who: 'an operator who lost the group', token: operatorNoMore, may: 'read' },
  { who: 'a revoked token', token: () => revoked(), may: 'none', refusedWith: 401 },
  { who: 'a revoked JWT', token: () => revoked('tessera-jwt'), may: 'none', refusedWith: 401 },
  { who: 'an expired token', token: () => expired('short'), may: 'none', refusedWith: 401 },
  { who: 'an expired JWT', token: () => expired('short-jwt'), may: 'none', refusedWith: 401 },
];

async function routes(): Promise<readonly Route[]> {
  const document = (await scene.ask(undefined, 'GET', '/openapi.json')).json as {
    paths: Record<string, Record<string, { 'x-permission': Level }>>;
  };
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { 'x-permission': permission }]) => ({
      method: method.toUpperCase(),
      path: path.replace('/admin/v1', '').replaceAll(/\{\w+\}/g, 'nothing-of-this-name'),
      permission,
    })),
  );
}

export function permissionMatrix(backEnd: string): void {
  suite(`permissions at the admin door, on ${backEnd}`, () => {
    before(() => open(backEnd));
    after(() => scene.close());

    test('the document has every act of the table', async () => {
      assert.equal((await routes()).length, Object.keys(ACTS).length);
      assert.ok((await routes()).every(({ permission }) => LEVELS.indexOf(permission) > 0));
    });

    for (const { who, token, may, refusedWith = 403, headers: more } of ROWS) {
      test(`${who}: ${may}`, async () => {
        const presented = await token();
        for (const { method, path, permission } of await routes()) {
          const sent = presented === undefined ? undefined : await more?.(presented, method, path);
          const { status, json, headers } = await scene.ask(presented, method, path, { headers: sent ?? {} });
          const isAllowed = LEVELS.indexOf(may) >= LEVELS.indexOf(permission);
          if (isAllowed) assert.ok(status !== 401 && status !== 403, `${method} ${path}: ${status}`);
          else assert.equal(status, refusedWith, `${method} ${path}`);
          if (status >= 400) {
            assert.equal(headers['content-type'], 'application/problem+json; charset=utf-8');
            assert.match(String(json['type']), /^https:\/\/tokens\.example\/docs\/errors#/);
            assert.equal(json['status'], status);
          }
        }
      });
    }
  });
}

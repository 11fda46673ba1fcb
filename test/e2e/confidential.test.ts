// Every way by which an integration ends up without a key or secret, and what its client id alone gets at each door then.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, suite, test } from 'node:test';
import { keyMarks } from '../../src/core/integration.ts';
import { presenter } from '../../src/core/presenter.ts';
import { endAgain, endingsFromActs } from '../../src/operations/admin/lost-endings.ts';
import { confirmCode } from '../../src/operations/device/ask-code.ts';
import { registeredTable } from '../../src/store/table.ts';
import { integrations } from '../../src/store/tables/integrations.ts';
import { Commands } from '../cli/commands.ts';
import { given, prepare } from '../given.ts';
import { accepted } from '../node.ts';
import { lost } from '../operations/admin/ending-examples.ts';
import { claimsOf, keySetOf, type PlatformKey, platformKey, platformServer } from '../platform.ts';
import { anIntegration, hexOf, OPERATOR, PASSWORD_PROOF, scopeOf } from '../samples.ts';
import { AdminScene } from './admin-scene.ts';
import type { Answer } from './caller.ts';
import { ASSERTION_TYPE } from './client-scene.ts';
import { type Fields, postForm } from './oauth-steps.ts';
import { registryFollows } from './registry-follows.ts';
import { clientId, PUBLIC_URL } from './service.ts';
import { confirm, DEVICE_GRANT, refresh } from './steps.ts';

const CALLBACK = 'http://127.0.0.1/callback';
const VERIFIER = 'v'.repeat(43);
const FLOWS = { device: true, certificate: true, code: { redirectUris: [CALLBACK] } };
const BODY = { scope: 'orders:read', owners: ['shop-team'], flows: FLOWS };
const NO_KEYS = { from: 'file', set: '{"keys":[]}' };

/** Rows as they are stored, to write them as another release does. */
const stored = registeredTable<{ readonly clientId: string; readonly flows: { readonly added?: object } }>(
  'integrations',
  ['clientId', 'client_id'],
);

const commands = new Commands();
let key: PlatformKey;

async function asked(user: 'olga' | 'shaun', method: string, path: string, body?: object): Promise<void> {
  const answer = await scene.ask(await scene.token(user), method, path, body && { body });
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
}

const put = (id: string, difference: object, user: 'olga' | 'shaun' = 'olga') =>
  asked(user, 'PUT', `/integrations/${id}`, { ...BODY, ...difference });

async function command(...args: string[]): Promise<void> {
  const { folder, configFile } = scene.service;
  const ran = await commands.run(['--config', configFile, ...args], { folder });
  assert.equal(ran.status, 0, ran.printed);
}

async function storedAs(id: string, change: (added: object, flows: object) => object): Promise<void> {
  await scene.service.ports.store.change(stored, id, (found) => {
    assert.ok(found);
    const { added = {}, ...flows } = found.row.flows;
    return { outcome: undefined, next: { ...found.row, flows: change(added, flows) as never } };
  });
}

type Do = (id: string) => Promise<unknown>;

const addKey: Do = (id) => asked('olga', 'POST', `/integrations/${id}/keys`, { file: keySetOf(key) });
const addAddress: Do = (id) =>
  asked('olga', 'POST', `/integrations/${id}/keys`, { url: `${platform.url}/jwks`, allowedAddresses: ['127.0.0.1'] });
const turnOn: Do = (id) => put(id, { flows: { ...FLOWS, secret: true } });
const turnOff: Do = (id) => put(id, {});
const addSecret: Do = async (id) => {
  await turnOn(id);
  await asked('olga', 'POST', `/integrations/${id}/secrets?endsIn=20`);
};
const dropAll = (user: 'olga' | 'shaun') => (id: string) =>
  asked(user, 'DELETE', `/integrations/${id}/secrets?all=true`);
const removeKey = (user: 'olga' | 'shaun') => (id: string) =>
  asked(user, 'DELETE', `/integrations/${id}/keys?key=${encodeURIComponent(key.jwk.kid ?? '')}`);
const nothing: Do = async () => undefined;

/** How it got what it authenticates with, and how it lost that. */
const WAYS: Readonly<Record<string, readonly [has: Do, loses: Do]>> = {
  'the command that drops all secrets': [addSecret, (id) => command('integration', 'secret', id, '--drop-all')],
  'the command that removes its only key': [addKey, (id) => command('integration', 'key', 'remove', id, 'k1')],
  'the command that turns secrets off': [turnOn, (id) => command('integration', 'change', id, '--secret', 'no')],
  'the end of its secrets at the admin door': [addSecret, dropAll('olga')],
  'the end of its secrets at the admin door, which then are off': [
    addSecret,
    async (id) => {
      await dropAll('olga')(id);
      await turnOff(id);
    },
  ],
  'the removal of its only key at the admin door': [addKey, removeKey('olga')],
  'a PUT with an empty key set': [addKey, (id) => put(id, { publicKeys: NO_KEYS })],
  'a PUT that says nothing of secrets': [turnOn, turnOff],
  'an applied document': [
    addKey,
    (id) =>
      asked('olga', 'POST', '/objects/apply', {
        objects: { integrations: { [id]: { ...BODY, publicKeys: NO_KEYS } } },
      }),
  ],
  'an owner who drops all secrets': [addSecret, dropAll('shaun')],
  'an owner who removes its only key': [addKey, removeKey('shaun')],
  'an owner who turns secrets off': [turnOn, (id) => put(id, {}, 'shaun')],
  'the end of its only secret': [addSecret, async () => scene.service.pass(20)],
  'nothing: secrets are on, and none was made yet': [turnOn, nothing],
  'nothing: its address of keys has none': [addAddress, nothing],
  'the removal of its address of keys': [
    addAddress,
    (id) => asked('olga', 'DELETE', `/integrations/${id}/keys?key=${encodeURIComponent(`${platform.url}/jwks`)}`),
  ],
  'a restore, which removes the key again': [
    addKey,
    async (id) => {
      const { store, registry } = scene.service.ports;
      const ended = keyMarks((await registry.findIntegration(id))?.keys);
      await endAgain([{ kind: 'integration', id, did: 'key-removed', ended }], { store, by: OPERATOR });
    },
  ],
  'a restore of what was before its first key': [
    nothing,
    async (id) => {
      const acts = lost([{ kind: 'integration', id, did: 'key-added', key: 'k1' }]);
      const { store } = scene.service.ports;
      await endAgain(await endingsFromActs(acts, { store }), { store, by: OPERATOR });
    },
  ],
  'the removal of a key that 0.3.3 has stored': [
    (id) => storedAs(id, (_, flows) => ({ ...flows, added: { keys: { from: 'file', set: keySetOf(key) } } })),
    removeKey('olga'),
  ],
  'nothing: 0.3.3 has stored a secret that has ended': [
    (id) =>
      storedAs(id, (_, flows) => ({ ...flows, added: { secrets: [{ hash: hexOf(32), createdAt: 1, endsAt: 2 }] } })),
    nothing,
  ],
  'nothing: 0.3.3 has turned secrets on': [(id) => storedAs(id, (_, flows) => ({ ...flows, secret: true })), nothing],
  'a node of 0.3.3 that removes the only key': [
    addKey,
    (id) => storedAs(id, (added, flows) => ({ ...flows, added: { ...added, keys: undefined } })),
  ],
};

/** What callers of an integration hold that was public when they got it. */
interface Held {
  readonly byDevice: Fields;
  readonly byCode: Fields;
  readonly deviceCode: string;
  readonly code: string;
}

const ask = (path: string, fields: Fields) => postForm(scene.caller(), `/oauth2/${path}`, fields);
const refreshOf = ({ refresh_token = '' }: Fields) => ({ grant_type: 'refresh_token', refresh_token });
const redemptionOf = (code: string) => ({
  ...{ grant_type: 'authorization_code', code },
  ...{ redirect_uri: CALLBACK, code_verifier: VERIFIER },
});
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';

type Ask = (client_id: string, held: Held) => Promise<Answer>;

/** With the client id alone. The revocation comes last: it would end what the others need. */
const OPEN_TO_PUBLIC: Readonly<Record<string, Ask>> = {
  'device authorization': (client_id) => ask('device_authorization', { client_id }),
  'a refresh of a grant by device code': (client_id, held) => ask('token', { client_id, ...refreshOf(held.byDevice) }),
  'a refresh of a grant by authorization code at /authsvc': (client_id, held) =>
    refresh(scene.caller(), held.byCode['refresh_token'] ?? '', client_id),
  'a device code': (client_id, { deviceCode: device_code }) =>
    ask('token', { client_id, device_code, grant_type: DEVICE_GRANT }),
  'an authorization code': (client_id, { code }) => ask('token', { client_id, ...redemptionOf(code) }),
  'a revocation': (client_id, { byDevice: { access_token: token = '' } }) => ask('revoke', { client_id, token }),
};
const OPEN_TO_NOBODY: Readonly<Record<string, Ask>> = {
  'client credentials': (client_id) => ask('token', { client_id, grant_type: 'client_credentials' }),
  'token exchange': (client_id, { byDevice: { access_token: subject_token = '' } }) =>
    ask('token', { client_id, grant_type: EXCHANGE, subject_token, subject_token_type: ACCESS_TOKEN }),
  introspection: (client_id, { byDevice: { access_token: token = '' } }) => ask('introspect', { client_id, token }),
};

/** Each by another person: one may have few codes at a time. */
async function heldBy(id: string): Promise<Held> {
  const { service } = scene;
  const identity = await scene.add(id, []);
  const confirmed = async () => {
    const started = (await ask('device_authorization', { client_id: id })).json as Record<string, string>;
    const { device_code = '', user_code = '' } = started;
    await confirm(service, { device_code, user_code }, identity);
    return device_code;
  };
  const integration = (await service.ports.registry.findIntegration(id)) ?? assert.fail();
  const challenge = createHash('sha256').update(VERIFIER).digest('base64url');
  const drawn = async () => {
    const person = { identity, session: 'a session', proof: PASSWORD_PROOF };
    const client = { integration, redirectUri: CALLBACK };
    const target = { scope: scopeOf('orders:read'), resource: undefined, challenge };
    return accepted(await confirmCode(client, target, person, presenter('192.0.2.1', ''), service.ports)).reveal();
  };
  const pair = async (fields: Fields) => {
    const answer = await ask('token', { client_id: id, ...fields });
    assert.equal(answer.status, 200, answer.text);
    return answer.json as Fields;
  };
  const byDevice = await pair({ grant_type: DEVICE_GRANT, device_code: await confirmed() });
  const byCode = await pair(redemptionOf(await drawn()));
  return { byDevice, byCode, deviceCode: await confirmed(), code: await drawn() };
}

const held = new Map<string, Held>();
const idOf = (way: string) => `way${Object.keys(WAYS).indexOf(way)}`;

const scene = given(() => AdminScene.open());
const platform = given(() => platformServer());
prepare(async () => {
  key = await platformKey('k1');
  const { scope, ...rest } = BODY;
  const ids = ['public', ...Object.keys(WAYS).map(idOf)];
  for (const id of ids)
    await scene.service.put(integrations, anIntegration({ clientId: clientId(id), scope: scopeOf(scope), ...rest }));
  await registryFollows();
  for (const id of ids) held.set(id, await heldBy(id));
  for (const [way, [has]] of Object.entries(WAYS)) await has(idOf(way));
  await registryFollows();
  for (const [way, [, loses]] of Object.entries(WAYS)) await loses(idOf(way));
  await registryFollows();
});
after(async () => {
  await commands.close();
});

test('a public integration gets with its client id what it gets without authentication', async () => {
  for (const [door, send] of Object.entries(OPEN_TO_PUBLIC)) {
    const { status, text } = await send('public', held.get('public') ?? assert.fail());
    assert.equal(status, 200, `${door}: ${text}`);
  }
});

suite('a confidential integration that has no key or secret: its client id alone is refused', () => {
  for (const way of Object.keys(WAYS))
    test(`after ${way} [threats: Keys, secrets, exchange, DPoP]`, async () => {
      const id = idOf(way);
      for (const [door, send] of Object.entries({ ...OPEN_TO_PUBLIC, ...OPEN_TO_NOBODY })) {
        const { status, json, text } = await send(id, held.get(id) ?? assert.fail());
        const error = json['error'] ?? json['Error'];
        const expected = door.endsWith('/authsvc') ? [400, 'invalid_grant'] : [401, 'invalid_client'];
        assert.deepEqual([status, error], expected, `${door}: ${text}`);
      }
      const shown = await scene.ask(await scene.token('olga'), 'GET', `/integrations/${id}`);
      assert.equal(shown.json['confidential'], true);
    });

  test('and an assertion is by none of its keys, if the document at its address has none', async () => {
    const id = idOf('nothing: its address of keys has none');
    const claims = { ...claimsOf({}, scene.service.now()), iss: id, sub: id, aud: PUBLIC_URL };
    const client_assertion = await key.sign(claims);
    const sent = { client_assertion, client_assertion_type: ASSERTION_TYPE, grant_type: 'client_credentials' };
    const { status, text } = await ask('token', sent);
    assert.ok(platform.asked.includes('/jwks'), 'it was fetched');
    assert.equal(status, 401, text);
  });
});

// [threats: Proxy, HTTP, TLS, secrets] a stolen database is a bag of tokens. Here a dump and the keys yield no usable token; this test really tries.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import type { DeviceId } from '../../src/core/device.ts';
import type { GrantId } from '../../src/core/grant.ts';
import { epochSeconds } from '../../src/core/time.ts';
import { redeemDevice } from '../../src/operations/device/redeem-device.ts';
import { checkToken } from '../../src/operations/grant/check-token.ts';
import { refreshTokens } from '../../src/operations/grant/refresh-tokens.ts';
import { revokeByIntegration } from '../../src/operations/grant/revoke-grant.ts';
import type { TokenPair } from '../../src/operations/grant/token-pair.ts';
import { beginSession, personOf } from '../../src/operations/person/browser-session.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { nextRefreshToken, opaqueAccessToken, standingOf } from '../../src/tokens/opaque/pair.ts';
import {
  mintAccessToken,
  mintCode,
  mintRefreshToken,
  parseRefreshToken,
  type RefreshToken,
} from '../../src/tokens/opaque/token-text.ts';
import { sha256 } from '../../src/tokens/sha256.ts';
import {
  accepted,
  ada,
  answer,
  CURL,
  confirmed,
  issue,
  NOTHING_PRESENTED,
  type Node,
  refresh,
  revoke,
  start,
} from '../node.ts';
import { CLIENT } from '../samples.ts';
import { type OnSqlite, onSqlite } from './on-sqlite.ts';

const FAR = epochSeconds(2 ** 32 - 1);

interface Victims extends OnSqlite {
  readonly pairs: readonly TokenPair[];
  readonly secrets: readonly string[];
}

/** Grants of generation 0, 1 and 2, device codes pending and confirmed, a browser session: everything there is to steal. */
async function victims(t: TestContext): Promise<Victims> {
  const on = await onSqlite(t);
  const [zero, one, two] = [await issue(on.node), await issue(on.node), await issue(on.node)];
  const oneB = accepted(await refresh(on.node, one));
  const twoB = accepted(await refresh(on.node, accepted(await refresh(on.node, two))));
  const devices = [await start(on.node), await confirmed(on.node)];
  const { cookie } = await beginSession(ada.identity, on.node);
  const pairs = [zero, one, oneB, two, twoB];
  const tokens = pairs.flatMap(({ accessToken, refreshToken }) => [accessToken.reveal(), refreshToken?.reveal() ?? '']);
  const codes = devices.flatMap(({ deviceCode, userCode }) => [
    deviceCode.reveal(),
    userCode,
    userCode.replace('-', ''),
  ]);
  return { ...on, pairs: [zero, oneB, twoB], secrets: [...tokens, ...codes, cookie.reveal()] };
}

/** Every value of every table, as bytes: blobs as they are, texts as text, hex and base64. */
function everyValue(path: string): Buffer[] {
  const database = new DatabaseSync(path, { readOnly: true });
  const names = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  const rows = names.flatMap(({ name }) => database.prepare(`SELECT * FROM "${name}"`).all());
  database.close();
  assert.ok(rows.length > 10, 'there is something to steal');
  return rows
    .flatMap((row) => Object.values(row))
    .flatMap((value) => {
      if (value instanceof Uint8Array) return [Buffer.from(value)];
      if (typeof value !== 'string') return [];
      return [Buffer.from(value), Buffer.from(value, 'hex'), Buffer.from(value, 'base64')];
    });
}

/** All distinct slices of this length at 16-byte steps, and zeros. */
function stretches(loot: readonly Buffer[], length: number): Buffer[] {
  const found = new Map<string, Buffer>();
  for (const bytes of [...loot, Buffer.alloc(length)]) {
    for (let at = 0; at + length <= bytes.length; at += 16) {
      const stretch = bytes.subarray(at, at + length);
      found.set(stretch.toString('hex'), stretch);
    }
  }
  return [...found.values()];
}

/** Every refresh token that can be put together from the loot for this grant, with the real minting functions. */
function* refreshTokensFrom(loot: readonly Buffer[], grantId: GrantId, generation: number): Generator<RefreshToken> {
  const parts = stretches(loot, 16);
  for (const root of parts) for (const secret of parts) yield { grantId, generation, root, secret };
}

async function workingRefreshTokens(loot: readonly Buffer[], pairs: readonly TokenPair[], node: Node): Promise<number> {
  let working = 0;
  for (const { grantId } of pairs) {
    const grant = (await node.store.load(grants, grantId)).found?.row;
    assert.ok(grant);
    for (const generation of [grant.pair.generation, grant.pair.generation - 1]) {
      if (generation < 0) continue;
      for (const token of refreshTokensFrom(loot, grant.id, generation)) {
        const derived = nextRefreshToken(token, grant.pair.nonce, node.keyring.minting);
        const next = parseRefreshToken(derived.refreshToken.reveal(), node.keyring);
        const standings = [token, next ?? token].map((each) => standingOf(each, grant, node.keyring));
        if (standings.some((standing) => standing === 'current' || standing === 'last-spent')) working++;
      }
    }
  }
  return working;
}

test('a dump of the database and the keyring yields no refresh token', async (t) => {
  const { node, database, pairs } = await victims(t);
  const loot = everyValue(database.path);
  assert.equal(await workingRefreshTokens(loot, pairs, node), 0);
  const [seen] = pairs;
  const token = parseRefreshToken(seen?.refreshToken?.reveal() ?? '', node.keyring);
  assert.ok(seen && token);
  const control = await workingRefreshTokens([...loot, token.root, token.secret], [seen], node);
  assert.ok(control > 0, 'with the secrets of one token, the same search finds it');
});

test('refresh tokens forged from the stolen data are refused and change nothing', async (t) => {
  const {
    node,
    database,
    pairs: [pair],
  } = await victims(t);
  assert.ok(pair);
  const tokens = refreshTokensFrom(everyValue(database.path), pair.grantId as GrantId, 0);
  for (const token of tokens) {
    const refreshToken = mintRefreshToken(token, node.keyring.minting).reveal();
    const outcome = await refreshTokens(
      { clientId: CLIENT, refreshToken, presenter: CURL, ...NOTHING_PRESENTED },
      node,
    );
    assert.equal(outcome.ok || outcome.refusal.reason, 'refresh-token-not-authentic');
  }
  accepted(await refresh(node, pair));
});

test('whoever has a server key and the id of a grant ends nothing, whatever generation is forged', async (t) => {
  const { node } = await onSqlite(t);
  let pair = await issue(node);
  const grantId = pair.grantId as GrantId;
  const key = node.keyring.minting;
  const facts = { clientId: CLIENT, presenter: CURL };
  for (const row of [0, 1, 2, 3]) {
    for (const generation of [0, 1, 2, 3, 4, 2 ** 32 - 1]) {
      const token = { grantId, generation, expiresAt: FAR, root: randomBytes(16), secret: randomBytes(28) };
      const [refreshToken, accessToken] = [
        mintRefreshToken({ ...token, secret: randomBytes(16) }, key),
        mintAccessToken(token, key),
      ];
      const refused = await answer(refresh(node, { ...pair, refreshToken }));
      assert.equal(refused, 'refresh-token-not-authentic', `generation ${generation} at ${row}`);
      assert.equal((await revoke(node, { ...pair, accessToken })).ok, false);
      for (const forged of [refreshToken, accessToken])
        assert.equal(accepted(await revokeByIntegration({ ...facts, token: forged.reveal() }, node)), undefined);
    }
    pair = accepted(await refresh(node, pair));
  }
  const types = (await node.store.events({ after: 0, limit: 100 })).map(({ type }) => type);
  assert.deepEqual(new Set(types), new Set(['issued', 'refreshed']));
});

test('a dump of the database and the keyring yields no access token', async (t) => {
  const { node, database, pairs } = await victims(t);
  const loot = everyValue(database.path);
  const key = node.keyring.minting;
  for (const { grantId } of pairs) {
    const id = grantId as GrantId;
    const pair = { generation: 0, expiresAt: FAR, keyId: key.id };
    const derived = stretches(loot, 16).map((root) => opaqueAccessToken({ id, pair }, root, node.keyring));
    const direct = stretches(loot, 28).map((secret) =>
      mintAccessToken({ grantId: id, generation: 0, expiresAt: FAR, secret }, key),
    );
    for (const token of [...derived, ...direct]) {
      assert.equal((await checkToken(token.reveal(), node)).ok, false);
    }
  }
});

test('a dump of the database and the keyring yields no device code and no browser session', async (t) => {
  const { node, database } = await victims(t);
  const loot = everyValue(database.path);
  const ids = stretches(loot, 16).map((id) => id.toString('hex') as DeviceId);
  const candidates = stretches(loot, 32).flatMap((secret) => [secret, Buffer.from(sha256(secret), 'hex')]);
  const sent = { presenter: CURL, requestId: 'r1', proven: { isAuthenticated: true, jkt: undefined } };
  for (const deviceId of ids) {
    for (const secret of candidates) {
      const deviceCode = mintCode('device', { deviceId, expiresAt: FAR, secret }, node.keyring.minting).reveal();
      const outcome = await redeemDevice({ clientId: CLIENT, deviceCode, ...sent }, node);
      assert.deepEqual(outcome, { ok: false, refusal: { reason: 'device-code-not-authentic' } });
    }
  }
  for (const secret of candidates) assert.equal(await personOf(secret.toString('base64url'), node), undefined);
});

test('no file of the database holds a token, a secret of one, a device code or a user code, in any spelling', async (t) => {
  const { node, database, secrets, pairs } = await victims(t);
  const parsed = pairs.map(({ refreshToken }) => parseRefreshToken(refreshToken?.reveal() ?? '', node.keyring));
  const raw = parsed.flatMap((token) => (token ? [token.root, token.secret] : []));
  const spellings = [
    ...raw.flatMap((bytes) => [
      bytes,
      ...['hex', 'base64', 'base64url'].map((form) => Buffer.from(bytes.toString(form as 'hex'))),
    ]),
  ];
  const texts = secrets.flatMap((text) => [text, text.slice(4, 60)]).map((text) => Buffer.from(text));
  const files = readdirSync(database.folder).map((name) => readFileSync(join(database.folder, name)));
  assert.ok(
    files.some((file) => file.includes(CURL.agent)),
    'the files are read',
  );
  for (const file of files) for (const secret of [...spellings, ...texts]) assert.ok(!file.includes(secret));
});

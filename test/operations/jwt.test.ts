// JWT access tokens through the operations: issued, refreshed, checked and revoked like opaque ones.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { DEFAULT_SETTINGS } from '../../src/core/settings.ts';
import { seconds } from '../../src/core/time.ts';
import { publishKeys, startSigning, unpublish } from '../../src/operations/admin/signing-keys.ts';
import { storeOf } from '../../src/store/change.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { addSigningKey, KeyMissing, Keyring } from '../../src/tokens/keyring.ts';
import { aJwtNode, claimsIn, type JwtNode, partsOf } from '../jwt-node.ts';
import {
  accepted,
  anotherNode,
  answer,
  changeAda,
  changeIntegration,
  check,
  confirmed,
  issue,
  put,
  redeem,
  refresh,
  revoke,
  TestClock,
  THUMBPRINT,
  textOf,
} from '../node.ts';
import { ADA, aResourceServer, CLIENT, NOW, OPERATOR } from '../samples.ts';
import { sqliteDatabase } from '../store/sqlite-database.ts';

async function withJwts(t: TestContext): Promise<JwtNode & { clock: TestClock }> {
  const clock = new TestClock();
  const database = await sqliteDatabase(clock.now);
  t.after(() => database.remove());
  return Object.assign(await aJwtNode(storeOf(await database.open()), clock), { clock });
}

const ORDERS = aResourceServer();

test('a JWT is issued by certificate and by device code, lives for 10 minutes, and is checked like an opaque token', async (t) => {
  const { node, clock } = await withJwts(t);
  const byDevice = accepted(await redeem(node, await confirmed(node)));
  for (const pair of [await issue(node), byDevice]) {
    const { iss, sub, aud, client_id, scope, iat, exp, cnf } = claimsIn(pair.accessToken.reveal());
    assert.deepEqual([iss, sub, aud, client_id, scope], [node.issuer, ADA, node.issuer, CLIENT, 'orders:read']);
    assert.deepEqual([iat, exp, cnf], [NOW, NOW + 600, undefined]);
    assert.equal(pair.expiresIn, 600);
    const checked = accepted(await check(node, pair));
    assert.deepEqual([checked.issuedAt, checked.scope.text], [NOW, 'orders:read']);
  }
  clock.move(600);
  assert.equal(await answer(check(node, byDevice)), 'access-token-expired');
});

test('the format is fixed per grant: opaque ones stay opaque, and JWTs stay JWTs', async (t) => {
  const { node } = await withJwts(t);
  const signed = await issue(node);
  await changeIntegration(node, {});
  const opaque = await issue(node);
  assert.match(accepted(await refresh(node, signed)).accessToken.reveal(), /^eyJ/);
  await changeIntegration(node, { accessTokenFormat: 'jwt' });
  const refreshed = accepted(await refresh(node, opaque));
  assert.match(refreshed.accessToken.reveal(), /^tsa_/);
  assert.equal(refreshed.expiresIn, 90 * 86_400);
});

test('revoked, disabled, superseded, another generation: a JWT follows the row', async (t) => {
  const { node, clock } = await withJwts(t);
  const first = await issue(node);
  const second = accepted(await refresh(node, first));
  assert.equal(await answer(check(node, first)), 'accepted', 'an older one works until it expires');
  const overlap = { ...node, settings: { ...DEFAULT_SETTINGS, accessTokenOverlap: seconds(10) } };
  clock.move(10);
  assert.equal(await answer(check(overlap, first)), 'access-token-superseded');
  await changeAda(node, { enabled: false });
  assert.equal(await answer(check(node, second)), 'identity-disabled');
  await changeAda(node, {});
  accepted(await revoke(node, first));
  assert.equal(await answer(check(node, second)), 'grant-revoked');
});

test('a JWT of another generation than the row ever had is not accepted', async (t) => {
  const { node } = await withJwts(t);
  const pair = await issue(node);
  const ahead = accepted(await refresh(node, pair));
  const { found } = await node.store.load(grants, pair.grantId);
  assert.ok(found);
  await put(node.store, grants, { ...found.row, pair: { ...found.row.pair, generation: 0 } });
  assert.equal(await answer(check(node, ahead)), 'access-token-not-authentic');
});

test('aud follows from the scope, and each rotation computes it anew; a retry does not', async (t) => {
  const { node } = await withJwts(t);
  const first = await issue(node);
  const second = accepted(await refresh(node, first));
  await put(node.store, resourceServers, ORDERS);
  await node.registry.refresh();
  const again = accepted(await refresh(node, first));
  assert.equal(claimsIn(again.accessToken.reveal())['aud'], node.issuer, 'as in the lost answer');
  const third = accepted(await refresh(node, second));
  assert.equal(claimsIn(third.accessToken.reveal())['aud'], ORDERS.audience);
  const [wide] = [await issue(node, 'orders:read;stock:read')];
  assert.deepEqual(claimsIn(wide.accessToken.reveal())['aud'], [ORDERS.audience, node.issuer]);
});

test('a grant bound to its certificate says so in cnf, until its integration binds no more [RFC 8705 3.1]', async (t) => {
  const { node } = await withJwts(t);
  await changeIntegration(node, { accessTokenFormat: 'jwt', binding: 'certificate' });
  const pair = await issue(node);
  const cnf = { 'x5t#S256': Buffer.from(THUMBPRINT, 'hex').toString('base64url') };
  assert.deepEqual(claimsIn(pair.accessToken.reveal())['cnf'], cnf);
  await changeIntegration(node, { accessTokenFormat: 'jwt', binding: 'none' });
  assert.equal(claimsIn(accepted(await refresh(node, pair)).accessToken.reveal())['cnf'], undefined);
});

test('a retry after another key began to sign is still signed with the first; once that is removed, with the other', async (t) => {
  const held = await withJwts(t);
  const { node } = held;
  const ports = { store: node.store, by: OPERATOR };
  const [old] = node.registry.signingKeys;
  const first = await issue(node);
  const second = accepted(await refresh(node, first));
  const { keys, id } = addSigningKey(held.keys, 'EdDSA');
  held.exchange(keys);
  await publishKeys(keys, ports);
  await startSigning(id, ports);
  await node.registry.refresh();
  const again = accepted(await refresh(node, first));
  const [one, other] = [second, again].map(({ accessToken }) => partsOf(accessToken.reveal()));
  assert.deepEqual([other?.header, other?.claims], [one?.header, one?.claims]);
  await unpublish(old?.id ?? '', ports);
  await node.registry.refresh();
  assert.equal(await answer(check(node, second)), 'access-token-not-authentic', 'its key is withdrawn');
  const last = accepted(await refresh(node, first));
  assert.equal(partsOf(last.accessToken.reveal()).claims, one?.claims);
  assert.equal(await answer(check(node, last)), 'accepted');
});

test('a node without the signing key spends nothing: another one serves the same refresh token', async (t) => {
  const { node, keys } = await withJwts(t);
  const first = await issue(node);
  const keyring = new Keyring(keys.filter(({ kind }) => kind === 'mac'));
  const poor = await anotherNode(node.store, { clock: node.clock, keyring });
  await assert.rejects(refresh(poor, first), KeyMissing);
  await assert.rejects(check(poor, first), KeyMissing, 'it may be authentic');
  const { found } = await node.store.load(grants, first.grantId);
  assert.equal(found?.row.pair.generation, 0);
  assert.equal(await answer(refresh(node, first)), 'accepted');
});

test('an opaque grant needs no signing key, and its row has no audience', async (t) => {
  const { node } = await withJwts(t);
  await changeIntegration(node, {});
  const pair = await issue(node);
  const { found } = await node.store.load(grants, pair.grantId);
  assert.equal(found?.row.pair.jwt, undefined);
  const poor = await anotherNode(node.store, { clock: node.clock, keyring: node.keyring });
  assert.equal(textOf(accepted(await refresh(poor, pair))), textOf(accepted(await refresh(node, pair))));
});

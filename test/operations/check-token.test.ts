// What a live access token allows, also one that was exchanged for another, and what a resource server learns of it.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Integration } from '../../src/core/integration.ts';
import type { ResourceServerId } from '../../src/core/resource-server.ts';
import { checkToken, introspectToken } from '../../src/operations/grant/check-token.ts';
import { exchangeToken } from '../../src/operations/grant/exchange-token.ts';
import { createGrant } from '../../src/operations/grant/issue-grant.ts';
import { revokeById } from '../../src/operations/grant/revoke-grant.ts';
import { integrationIdentity, storeDerived } from '../../src/operations/grant/seen-identity.ts';
import type { TokenPair } from '../../src/operations/grant/token-pair.ts';
import { FollowedRegistry } from '../../src/store/registry.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { integrations } from '../../src/store/tables/integrations.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { accepted, answer, CURL, changeAda, issue, NOTHING_PRESENTED, type Node, put, refresh } from '../node.ts';
import { ADA, anIdentity, anIntegration, aResourceServer, CLIENT, scopeOf } from '../samples.ts';
import { onSqlite } from './on-sqlite.ts';

const ORDERS = aResourceServer();
const STOCK = aResourceServer({
  id: 'stock-api' as never,
  audience: 'https://stock.example' as never,
  resources: ['stock'],
});

/** Runs an API, whose tokens the next one may exchange. */
function robot(name: string, runs: ResourceServerId, next?: string): Integration {
  const exchange = next && { exchange: [{ integration: next as never, scope: 'stock:read' }] };
  const scope = scopeOf('orders:read;stock:read');
  return anIntegration({ clientId: name as never, scope, resourceServer: runs, ...exchange });
}
const [FIRST, SECOND] = [robot('first', ORDERS.id, 'second'), robot('second', STOCK.id)];
const SHOP = anIntegration({ exchange: [{ integration: FIRST.clientId, scope: 'orders:read;stock:read' }] });

async function write(node: Node, integration: Integration) {
  await put(node.store, integrations, integration);
  await node.registry.refresh();
}

/** A token of Ada, and a node that knows two APIs and what they may exchange. */
async function scene(t: TestContext) {
  const { node } = await onSqlite(t);
  for (const server of [ORDERS, STOCK]) await put(node.store, resourceServers, server);
  for (const integration of [SHOP, FIRST, SECOND]) await write(node, integration);
  const exchange = async (subject: TokenPair, integration: Integration) => {
    const client = { integration, proof: 'key' } as const;
    const request = {
      clientId: integration.clientId,
      client,
      subjectToken: subject.accessToken.reveal(),
      presenter: CURL,
    };
    return exchangeToken({ ...request, scope: 'stock:read', ...NOTHING_PRESENTED }, node);
  };
  const pair = await issue(node, 'orders:read,write;stock:read');
  return { node, pair, exchange };
}

const scopeNow = async (node: Node, { accessToken }: TokenPair) => {
  const checked = await checkToken(accessToken.reveal(), node);
  return checked.ok ? checked.value.scope.text : checked.refusal.reason;
};

test('a resource server learns what it serves of a live token, and nothing of others', async (t) => {
  const { node, pair } = await scene(t);
  const seen = async (server = ORDERS, text = pair.accessToken.reveal()) => {
    const introspection = await introspectToken(text, server, node);
    return introspection && [introspection.scope.text, introspection.userName];
  };
  assert.deepEqual(
    [await seen(), await seen(STOCK)],
    [
      ['orders:read,write', 'ada'],
      ['stock:read', 'ada'],
    ],
  );
  assert.equal(await seen({ ...ORDERS, resources: ['prices'] }), undefined);
  assert.equal(await seen(ORDERS, 'made up'), undefined);
  const machine = await storeDerived(integrationIdentity(SHOP), 'client', node);
  const target = { scope: scopeOf('orders:read;stock:read'), resource: [ORDERS.audience] };
  const draft = { integration: SHOP, identity: machine, target, origin: { kind: 'client', proof: 'key' } as const };
  const limited = accepted(await createGrant({ ...draft, presenter: CURL }, node)).accessToken.reveal();
  assert.deepEqual([await seen(ORDERS, limited), await seen(STOCK, limited)], [['orders:read', undefined], undefined]);
  await revokeById(pair.grantId as never, 'by-holder', node);
  assert.equal(await seen(), undefined);
});

test('an exchanged token allows no more than the tokens before it, and ends with them', async (t) => {
  const { node, pair, exchange } = await scene(t);
  const child = accepted(await exchange(pair, FIRST));
  const grandchild = accepted(await exchange(child, SECOND));
  const both = async () => [await scopeNow(node, child), await scopeNow(node, grandchild)];
  assert.deepEqual(await both(), ['stock:read', 'stock:read']);

  await write(node, { ...SHOP, exchange: [{ integration: FIRST.clientId, scope: 'orders:read' }] });
  assert.deepEqual(await both(), ['scope-no-longer-allowed', 'scope-no-longer-allowed']);
  await write(node, SHOP);
  const actor = integrationIdentity(FIRST);
  await put(node.store, identities, { ...actor, enabled: false });
  assert.deepEqual(await both(), ['identity-disabled', 'identity-disabled']);
  await put(node.store, identities, actor);
  await write(node, { ...FIRST, enabled: false });
  assert.deepEqual(await both(), ['integration-disabled', 'integration-disabled']);
  await write(node, FIRST);
  assert.deepEqual(await both(), ['stock:read', 'stock:read']);
  await revokeById(child.grantId as never, 'by-holder', node);
  assert.equal(await scopeNow(node, grandchild), 'grant-revoked');
  assert.equal(await scopeNow(node, pair), 'orders:read,write;stock:read', 'the first one stands');
  const again = accepted(await exchange(accepted(await exchange(pair, FIRST)), SECOND));
  await revokeById(pair.grantId as never, 'by-holder', node);
  assert.equal(await scopeNow(node, again), 'grant-revoked');
});

test('a check is charged before the store is read, and by whether the token is ours', async (t) => {
  const { node, pair } = await scene(t);
  const charged: boolean[] = [];
  const overLimit = (isAuthentic: boolean) => {
    charged.push(isAuthentic);
    return isAuthentic ? ({ reason: 'rate-limited' } as const) : undefined;
  };
  const [text, store] = [pair.accessToken.reveal(), { ...node.store, load: () => assert.fail('it is read') }];
  assert.equal(await answer(checkToken(text, { ...node, store }, overLimit)), 'rate-limited');
  assert.equal(await answer(checkToken('made up', node, overLimit)), 'access-token-not-authentic');
  assert.deepEqual(charged, [true, false]);
});

test('a token that is newer than the row of its grant asks why commits were lost', async (t) => {
  const { node, pair } = await scene(t);
  const before = (await node.store.load(grants, pair.grantId)).found?.row;
  const next = accepted(await refresh(node, pair));
  const asked: unknown[] = [];
  const explainLoss = async (grant: { id: string }, generation: number) => void asked.push([grant.id, generation]);
  const check = ({ accessToken }: TokenPair) => answer(checkToken(accessToken.reveal(), { ...node, explainLoss }));
  assert.deepEqual([await check(pair), await check(next), asked], ['accepted', 'accepted', []]);
  if (before) await put(node.store, grants, before);
  assert.deepEqual([await check(next), asked], ['access-token-not-authentic', [[pair.grantId, 1]]]);
});

test('a holder who is due is looked for in their directory again, and read as that says', async (t) => {
  const { node, pair } = await scene(t);
  let isDue = false;
  const current = async () => {
    await changeAda(node, { enabled: false });
    return anIdentity({ enabled: false });
  };
  const directories = { ...node.directories, isDue: () => isDue, isTrusted: () => true, current };
  const check = () => answer(checkToken(pair.accessToken.reveal(), { ...node, directories }));
  assert.equal(await check(), 'accepted');
  isDue = true;
  assert.equal(await check(), 'identity-disabled');
  assert.equal((await node.store.load(identities, ADA)).found?.row.enabled, false);
});

test('an integration that this node has not seen yet is looked up', async (t) => {
  const { node, pair } = await scene(t);
  const behind = { ...node, registry: new FollowedRegistry(node.store) };
  const checked = await checkToken(pair.accessToken.reveal(), behind);
  assert.equal(checked.ok && checked.value.integration.clientId, CLIENT);
});

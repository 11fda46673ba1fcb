// What a check reads and charges. What it allows: core/access.test.ts; exchanged tokens and introspection: e2e.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { checkToken } from '../../src/operations/grant/check-token.ts';
import type { TokenPair } from '../../src/operations/grant/token-pair.ts';
import { FollowedRegistry } from '../../src/store/registry.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { accepted, answer, changeAda, issue, put, refresh } from '../node.ts';
import { ADA, anIdentity, CLIENT } from '../samples.ts';
import { onSqlite } from './on-sqlite.ts';

/** A token of Ada. */
async function scene(t: TestContext) {
  const { node } = await onSqlite(t);
  return { node, pair: await issue(node) };
}

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
  const explainLoss = async ({ id }: { id: string }) => void asked.push(id);
  const check = ({ accessToken }: TokenPair) => answer(checkToken(accessToken.reveal(), { ...node, explainLoss }));
  assert.deepEqual([await check(pair), await check(next), asked], ['accepted', 'accepted', []]);
  if (before) await put(node.store, grants, before);
  assert.deepEqual([await check(next), asked], ['access-token-not-authentic', [pair.grantId]]);
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

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { presenter } from '../../src/core/presenter.ts';
import { endRevoked } from '../../src/operations/grant/end-all.ts';
import { revokeById, revokeByIntegration, revokeByToken } from '../../src/operations/grant/revoke-grant.ts';
import { FollowedRegistry } from '../../src/store/registry.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { keyMarks } from '../../src/store/tables/signing-keys.ts';
import { addKey, firstKey, KeyMissing, Keyring, mintWith } from '../../src/tokens/keyring.ts';
import { accepted, answer, CURL, check, ISSUER, issue, MARK, type Node, put } from '../node.ts';
import { CLIENT } from '../samples.ts';
import { onSqlite } from './on-sqlite.ts';

async function revokedEvents(node: Node) {
  const events = await node.store.events({ after: 0, limit: 100 });
  return events.filter(({ type }) => type === 'revoked');
}

test('the event of a revocation by token names presenter and grant', async (t) => {
  const { node } = await onSqlite(t);
  const pair = await issue(node);
  const thief = presenter('198.51.100.9', 'another program');
  const grant = accepted(await revokeByToken(pair.accessToken.reveal(), thief, node));
  const [event, ...others] = await revokedEvents(node);
  assert.deepEqual(others, []);
  assert.deepEqual(event?.presenter, thief);
  assert.deepEqual(event?.detail, { reason: 'by-caller', scope: grant.scope });
  assert.deepEqual(
    [event?.subjectId, event?.identityId, event?.clientId],
    [grant.id, grant.identityId, grant.clientId],
  );
});

test('the event of a revocation by an operator names no presenter', async (t) => {
  const { node } = await onSqlite(t);
  await issue(node);
  const [grant] = await node.store.page(grants, { limit: 1 });
  assert.ok(grant);
  assert.equal(await revokeById(grant.id, 'by-operator', node), true);
  const [event] = await revokedEvents(node);
  assert.ok(event);
  assert.equal(event.presenter, undefined);
});

test('an integration that this node has not seen yet is looked up, for an authentic token only', async (t) => {
  const { node } = await onSqlite(t);
  const pair = await issue(node);
  const behind = { ...node, registry: new FollowedRegistry(node.store) };
  const request = { clientId: CLIENT, token: pair.accessToken.reveal(), presenter: CURL };
  assert.equal(await answer(revokeByIntegration({ ...request, token: 'made up' }, behind)), 'integration-unknown');
  assert.equal(await answer(revokeByIntegration(request, behind)), 'accepted');
  assert.equal(await answer(check(node, pair)), 'grant-revoked');
});

test('attempts with tokens that are not ours are limited; one of a key that this node lacks is not refused', async (t) => {
  const { node } = await onSqlite(t);
  const overLimit = () => ({ reason: 'rate-limited' }) as const;
  const pair = await issue(node);
  assert.equal(await answer(revokeByToken('made up', CURL, node, overLimit)), 'rate-limited');
  assert.equal(await answer(revokeByToken('made up', CURL, node)), 'access-token-not-authentic');
  assert.equal(await answer(revokeByToken(pair.accessToken.reveal(), CURL, node, overLimit)), 'accepted');
  const keyring = new Keyring(mintWith(addKey(firstKey(), 2), 2));
  const other = (await issue({ ...node, keyring })).accessToken.reveal();
  await put(node.store, keyMarks, { id: 2, fingerprint: keyring.key(2)?.fingerprint ?? '', retired: false });
  await assert.rejects(revokeByToken(other, CURL, node), KeyMissing);
});

test('a revoked certificate ends its grants if its issuer says so', async (t) => {
  const { node } = await onSqlite(t);
  const pair = await issue(node);
  const issuer = (endGrants: boolean) => ({ ...ISSUER, revocation: { ...ISSUER.revocation, endGrants } });
  assert.equal(await endRevoked(issuer(false), MARK, node), 0);
  assert.equal(await answer(check(node, pair)), 'accepted');
  assert.equal(await endRevoked(issuer(true), MARK, node), 1);
  assert.equal(await answer(check(node, pair)), 'grant-revoked');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { presenter } from '../../src/core/presenter.ts';
import { revokeById, revokeByIntegration, revokeByToken } from '../../src/operations/grant/revoke-grant.ts';
import { FollowedRegistry } from '../../src/store/registry.ts';
import { grants } from '../../src/store/tables/grants.ts';
import { accepted, answer, CURL, check, issue, type Node } from '../node.ts';
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

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endSession, endSessionsOf } from '../../src/operations/end-sessions.ts';
import { beginSession, personOf } from '../../src/operations/person/browser-session.ts';
import { ada, changeAda } from '../node.ts';
import { ADA } from '../samples.ts';
import { onSqlite } from './on-sqlite.ts';

const IDLE = 15 * 60;

test('a session ends when idle, and at the latest after its lifetime', async (t) => {
  const { node, clock } = await onSqlite(t);
  const cookie = (await beginSession(ada.identity, node)).cookie.reveal();
  const began = clock.now();
  while (clock.now() < began + node.settings.sessionLifetime - IDLE) {
    clock.move(IDLE - 1);
    assert.equal((await personOf(cookie, node))?.identity.id, ADA);
  }
  clock.set(began + node.settings.sessionLifetime);
  assert.equal(await personOf(cookie, node), undefined);
  const idle = (await beginSession(ada.identity, node)).cookie.reveal();
  clock.move(IDLE);
  assert.equal(await personOf(idle, node), undefined);
});

test('a session is refused while its identity is disabled, and works when it is enabled again', async (t) => {
  const { node } = await onSqlite(t);
  const cookie = (await beginSession(ada.identity, node)).cookie.reveal();
  await changeAda(node, { enabled: false });
  assert.equal(await personOf(cookie, node), undefined);
  await changeAda(node, {});
  assert.equal((await personOf(cookie, node))?.identity.id, ADA);
});

test('signing out ends a session for good; ending all others keeps the current one', async (t) => {
  const { node } = await onSqlite(t);
  const [one, two, mine] = await Promise.all([1, 2, 3].map(() => beginSession(ada.identity, node)));
  assert.ok(one && two && mine);
  await endSession(one.person.session, node);
  const works = async (session: typeof one) => (await personOf(session.cookie.reveal(), node)) !== undefined;
  assert.deepEqual(await Promise.all([one, two, mine].map(works)), [false, true, true]);
  await endSessionsOf(ADA, node, mine.person.session);
  assert.deepEqual(await Promise.all([one, two, mine].map(works)), [false, false, true]);
});

test('an unknown cookie has no session', async (t) => {
  const { node } = await onSqlite(t);
  for (const cookie of ['', 'x', 'A'.repeat(43), "' OR 1=1", '\0'])
    assert.equal(await personOf(cookie, node), undefined);
});

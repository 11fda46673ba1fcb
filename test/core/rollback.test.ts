import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ActEvent } from '../../src/core/event.ts';
import { explainsLoss, isCovered, NEW_HISTORY, withoutRollback, withRollback } from '../../src/core/rules/rollback.ts';
import type { LostAct, Rollback } from '../../src/core/store-history.ts';
import { epochSeconds } from '../../src/core/time.ts';
import { aGrant, OPERATOR } from '../samples.ts';

const act = (sequence: number): LostAct => ({
  sequence,
  type: 'revoked',
  at: epochSeconds(1000 + sequence),
  detail: { reason: 'by-caller' },
});

function noticed(difference: Partial<Rollback> = {}): Rollback {
  return { noticedAt: epochSeconds(5000), seen: 20, found: 10, lost: [act(11)], unlisted: 0, ...difference };
}

const BY = { epoch: 1, node: 'a node', remembersAll: true };

test('nodes that notice one rollback after the other add what they remember', () => {
  const first = withRollback(NEW_HISTORY, noticed({ lost: [act(11), act(13)] }), BY);
  const later = noticed({ noticedAt: epochSeconds(5002), seen: 22, found: 15, lost: [act(12), act(13)] });
  const { epoch, rollback } = withRollback(first, later, BY);
  assert.deepEqual({ epoch, ...rollback }, { epoch: 1, ...noticed({ seen: 22, lost: [act(11), act(12), act(13)] }) });
});

test('a rollback that is noticed by a token alone has seen no event', () => {
  assert.equal(withRollback(NEW_HISTORY, noticed({ seen: 0, found: 0, lost: [] }), BY).rollback?.seen, 0);
});

test('a long list keeps the newest acts and counts the others', () => {
  const lost = Array.from({ length: 10_200 }, (_, index) => act(index + 1));
  const { rollback } = withRollback(NEW_HISTORY, noticed({ lost }), BY);
  assert.deepEqual([rollback?.lost.length, rollback?.lost.at(-1)?.sequence, rollback?.unlisted], [10_000, 10_200, 200]);
});

test('the epoch never falls, even if the row was put back too, and accepting begins the next', () => {
  const history = withRollback(NEW_HISTORY, noticed(), { ...BY, epoch: 4 });
  assert.equal(history.epoch, 4);
  assert.deepEqual(withoutRollback(history), { epoch: 5, rollback: undefined });
});

const changed = (detail: ActEvent['detail']): LostAct => ({ ...act(12), type: 'administered', detail });

test('nodes accept a rollback themselves only if all remember what was lost, and only if it is made again', () => {
  const covered = noticed({ awaited: [] });
  assert.equal(isCovered(covered), true);
  const derived = changed({ kind: 'identity', id: 'ada', did: 'derived', source: 'a certificate', by: OPERATOR });
  assert.equal(isCovered({ ...covered, lost: [act(11), derived] }), true, 'derived again when it is used');
  const differences: Partial<Rollback>[] = [
    { awaited: ['another node'] },
    { unlisted: 1 },
    { lost: [act(11), changed({ kind: 'store', id: '', did: 'taken-back', by: OPERATOR })] },
  ];
  for (const each of differences) assert.equal(isCovered({ ...covered, ...each }), false, JSON.stringify(each));
  assert.equal(isCovered(noticed()), false, 'written by an older release');
});

test('a node is awaited until it has written all that was lost', () => {
  const first = withRollback(NEW_HISTORY, noticed({ awaited: ['a node', 'b', 'c'] }), BY);
  const second = withRollback(first, noticed(), { ...BY, node: 'b', remembersAll: false });
  assert.deepEqual(second.rollback?.awaited, ['b', 'c'], 'b forgot something');
});

test('a grant is revoked once, however often nodes saw that', () => {
  const one = { ...act(11), subjectId: 'a grant' };
  const { rollback } = withRollback(
    withRollback(NEW_HISTORY, noticed({ lost: [one] }), BY),
    noticed({ lost: [{ ...one, sequence: 12 }] }),
    BY,
  );
  assert.equal(rollback?.lost.length, 1);
});

test('an accepted rollback explains newer tokens of grants that are older than it, and not of later ones', () => {
  const grant = aGrant();
  assert.equal(explainsLoss(grant.createdAt, grant), true);
  assert.equal(explainsLoss(epochSeconds(grant.createdAt - 1), grant), false);
});

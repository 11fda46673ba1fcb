import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NEW_HISTORY, withoutRollback, withRollback } from '../../src/core/rules/rollback.ts';
import type { LostAct, Rollback } from '../../src/core/store-history.ts';
import { epochSeconds } from '../../src/core/time.ts';

const act = (sequence: number): LostAct => ({
  sequence,
  type: 'revoked',
  at: epochSeconds(1000 + sequence),
  detail: { reason: 'by-caller' },
});

function noticed(difference: Partial<Rollback> = {}): Rollback {
  return { noticedAt: epochSeconds(5000), seen: 20, found: 10, lost: [act(11)], unlisted: 0, ...difference };
}

const BY = { epoch: 1, node: 'a node' };

test('nodes that notice one rollback after the other add what they remember', () => {
  const first = withRollback(NEW_HISTORY, noticed({ lost: [act(11), act(13)] }), BY);
  const later = noticed({ noticedAt: epochSeconds(5002), seen: 22, found: 15, lost: [act(12), act(13)] });
  const { epoch, rollback } = withRollback(first, later, BY);
  assert.deepEqual({ epoch, ...rollback }, { epoch: 1, ...noticed({ seen: 22, lost: [act(11), act(12), act(13)] }) });
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

// What a directory elsewhere says about an identity, and the row that keeps it.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Identity, PushedUser } from '../../src/core/identity.ts';
import { isAlarming, isDue, isPresent, isTrusted, keepSeen } from '../../src/core/rules/directory.ts';
import { epochSeconds, seconds } from '../../src/core/time.ts';
import { anIdentity, NOW } from '../samples.ts';

const at = (offset: number) => epochSeconds(NOW + offset);
const row = (difference: Partial<Identity> = {}) => anIdentity({ seenAt: at(-100), ...difference });
const pushed: PushedUser = { userName: 'ada', active: true, emails: [] };

test('the directory is asked again after a while, and a row is trusted for longer', () => {
  const times = { recheckAfter: seconds(100), trustFor: seconds(500) };
  const [young, old] = [row({ seenAt: at(-99) }), row({ seenAt: at(-100) })];
  assert.deepEqual(
    [isDue(young, times, NOW), isDue(old, times, NOW), isDue(anIdentity(), times, NOW)],
    [...[false, true, true]],
  );
  const [trusted, not] = [row({ seenAt: at(-499) }), row({ seenAt: at(-500) })];
  assert.deepEqual([isTrusted(trusted, times, NOW), isTrusted(not, times, NOW)], [true, false]);
  assert.equal(isTrusted(anIdentity(), times, NOW), false);
});

suite('what the directory says is kept', () => {
  test('of somebody new, with an event', () => {
    const { userName = '' } = anIdentity();
    const seen = anIdentity({ mayUseApi: false });
    assert.deepEqual(keepSeen(undefined, seen, NOW), {
      row: { ...seen, userName, mayUseApi: true, seenAt: NOW },
      isNew: true,
      deed: { did: 'derived', source: 'directory' },
    });
    assert.equal(keepSeen(undefined, undefined, NOW), undefined);
  });

  test('of somebody who has not changed, every half minute and without an event', () => {
    for (const [age, isNew] of [
      [29, false],
      [30, true],
    ] as const) {
      const before = row({ seenAt: at(-age) });
      assert.deepEqual(keepSeen(before, anIdentity(), NOW), { row: { ...before, seenAt: NOW }, isNew });
    }
  });

  test('unless the person has signed in meanwhile', () => {
    const before = row({ seenAt: at(-10) });
    assert.deepEqual(keepSeen(before, anIdentity({ seenAt: at(-11), enabled: false }), NOW), {
      row: before,
      isNew: false,
    });
    assert.equal(keepSeen(before, anIdentity({ seenAt: at(-10), enabled: false }), NOW)?.row.enabled, false);
    assert.equal(keepSeen(before, undefined, NOW)?.row.enabled, false);
  });

  test('with what changed, field by field', () => {
    const kept = keepSeen(row(), anIdentity({ userName: 'lovelace', email: 'a@b.example', groups: ['x'] }), NOW);
    assert.deepEqual(kept?.deed, {
      did: 'changed',
      changed: {
        userName: { before: 'ada', after: 'lovelace' },
        email: { after: 'a@b.example' },
        groups: { before: ['staff'], after: ['x'] },
      },
    });
    assert.equal(kept?.isNew, true);
  });

  test('an account that is disabled or gone ends the identity, and it may return', () => {
    for (const seen of [undefined, anIdentity({ enabled: false })]) {
      const kept = keepSeen(row(), seen, NOW);
      assert.deepEqual(kept, {
        row: { ...row(), enabled: false, endedAt: NOW, seenAt: NOW },
        isNew: true,
        deed: { did: 'disabled' },
      });
      const later = keepSeen(kept?.row, undefined, at(50));
      assert.equal(later?.row.endedAt, NOW, 'it ended then');
      assert.equal(later?.deed, undefined);
      const back = keepSeen(kept?.row, anIdentity(), at(60));
      assert.deepEqual(back?.deed, { did: 'enabled' });
      assert.equal(back?.row.endedAt, undefined);
    }
  });

  test('but what an operator decided stands', () => {
    const kept = keepSeen(row({ enabled: false, mayUseApi: false }), anIdentity(), NOW);
    assert.deepEqual([kept?.row.enabled, kept?.row.mayUseApi, kept?.deed], [false, false, undefined]);
    assert.equal(keepSeen(row({ enabled: false }), undefined, NOW)?.row.endedAt, undefined);
  });

  test('and what was pushed counts for more than a sign-in', () => {
    const signedIn = anIdentity({ userName: 'other', groups: [] });
    const before = row({ pushed });
    const kept = keepSeen(before, signedIn, NOW);
    assert.deepEqual([kept?.row.userName, kept?.row.enabled], ['ada', true]);
    const off = row({ pushed: { ...pushed, active: false } });
    assert.equal(keepSeen(off, signedIn, NOW)?.row.enabled, false);
    const news = anIdentity({ userName: 'new', pushed: { ...pushed, userName: 'new' } });
    assert.equal(keepSeen(before, news, NOW)?.row.userName, 'new');
    const same = row({ seenAt: NOW, pushed });
    assert.equal(keepSeen(same, { ...same, pushed: { ...pushed, displayName: 'Ada' } }, NOW)?.isNew, true);
    assert.equal(keepSeen(same, same, NOW)?.isNew, false);
  });
});

test('an account is present while it is active and not deleted', () => {
  assert.equal(isPresent(pushed), true);
  assert.equal(isPresent({ ...pushed, active: false }), false);
  assert.equal(isPresent({ ...pushed, isGone: true }), false);
});

test('a walk that would end many, and more than a twentieth, raises an alarm', () => {
  assert.equal(isAlarming(9, 9), false);
  assert.equal(isAlarming(10, 100), true);
  assert.equal(isAlarming(10, 199), true);
  assert.equal(isAlarming(10, 200), false);
});

import assert from 'node:assert/strict';
import { CHECK_STEPS } from '../../src/core/rules/order.ts';

/**
 * Breaks one check after the other, the last of them first: each refusal hides those of the later checks. `tessera explain` prints
 * the checks in the same order.
 */
export function assertOrder<D extends object>(
  operation: string,
  reasonOf: (difference: D) => string | undefined,
  ladder: readonly (readonly [reason: string, difference: NoInfer<D>])[],
): void {
  let all = {} as D;
  for (const [reason, difference] of ladder) {
    all = { ...all, ...difference };
    assert.equal(reasonOf(all), reason);
  }
  const steps = CHECK_STEPS[operation] ?? [];
  const places = ladder.map(([reason]) => steps.findIndex(({ refusals }) => refusals.some((each) => each === reason)));
  assert.ok(!places.includes(-1), `${operation} has no step for ${ladder[places.indexOf(-1)]?.[0]}`);
  assert.deepEqual(
    places,
    places.toSorted((one, other) => other - one),
    operation,
  );
}

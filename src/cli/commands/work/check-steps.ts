// What `tessera explain` prints of the checks of an operation and of a refusal.
import { meaningOf } from '../../../core/refusals/remedy.ts';
import { CHECK_STEPS, type CheckStep } from '../../../core/rules/order.ts';

/** The verdict of `tessera explain`: the checks up to the one that failed, then what the refusal means. `refusal`: undefined if the request was accepted. */
export function verdictLines(steps: readonly CheckStep[], refusal: string | undefined): string[] {
  if (refusal === undefined) return [...steps.map(({ check, clause }) => `pass ${check} (${clause})`), 'accepted'];
  const failed = steps.findIndex((step) => endsIn(step, refusal));
  const lines = steps.slice(0, failed + 1).map(({ check, clause }, index) => {
    return index < failed ? `pass ${check} (${clause})` : `FAIL ${check} (${clause}): ${refusal}`;
  });
  const left = steps.length - lines.length;
  if (failed >= 0 && left > 0) lines.push(`     further checks, not reached: ${left}`);
  return [...lines, `refused: ${refusal}`, `  ${meaningOf(refusal) ?? 'This release has no such refusal.'}`];
}

/** Undefined if there is no such refusal. */
export function refusalLines(refusal: string): string[] | undefined {
  const meaning = meaningOf(refusal);
  if (meaning === undefined) return undefined;
  const operations = Object.entries(CHECK_STEPS).filter(([, steps]) => steps.some((step) => endsIn(step, refusal)));
  const isEvery = operations.length === Object.keys(CHECK_STEPS).length;
  const names = isEvery ? 'every operation' : operations.map(([name]) => name).join(', ') || 'the pages for people';
  return [`possible in: ${names}`, `  ${meaning}`];
}

function endsIn({ refusals }: CheckStep, refusal: string): boolean {
  return (refusals as readonly string[]).includes(refusal);
}

// The verdict of `tessera explain`, in the words of docs/errors.md.
import { meaningOf } from '../../../operations/admin/refusal-meaning.ts';
import { CHECK_STEPS, type CheckStep } from './check-steps.ts';

/** The checks up to the one that failed, then what the refusal means. `refusal`: undefined if the request was accepted. */
export function verdictLines(steps: readonly CheckStep[], refusal: string | undefined): string[] {
  if (refusal === undefined) return [...steps.map(({ check, clause }) => `pass ${check} (${clause})`), 'accepted'];
  const failed = steps.findIndex(({ refusals }) => refusals.includes(refusal));
  const lines = steps.slice(0, failed + 1).map(({ check, clause }, index) => {
    return index < failed ? `pass ${check} (${clause})` : `FAIL ${check} (${clause}): ${refusal}`;
  });
  const left = steps.length - lines.length;
  if (failed >= 0 && left > 0) lines.push(`     further checks, not reached: ${left}`);
  return [...lines, `refused: ${refusal}`, wordsOf(refusal)];
}

/** Undefined if there is no such refusal. */
export function refusalLines(refusal: string): string[] | undefined {
  const operations = Object.entries(CHECK_STEPS).filter(([, steps]) =>
    steps.some(({ refusals }) => refusals.includes(refusal)),
  );
  // The container image has no pages.
  if (operations.length === 0 && !meaningOf(refusal)) return undefined;
  const isEvery = operations.length === Object.keys(CHECK_STEPS).length;
  const names = isEvery ? 'every operation' : operations.map(([name]) => name).join(', ') || 'the pages for people';
  return [`possible in: ${names}`, wordsOf(refusal)];
}

function wordsOf(refusal: string): string {
  return `  ${meaningOf(refusal) ?? `See ${refusal} in docs/errors.md.`}`;
}

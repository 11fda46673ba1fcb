// The verdict on an assertion in words: for the dry run, and for the log of a refused request.
import type { AssertionVerdict } from '../core/assertion.ts';
import type { Step } from '../core/verdict.ts';

/**
 * For the operator's log: which check refused the assertion, and which setting decides. Never the assertion itself. Its steps are
 * the lines of `tessera token-issuer explain`, with names of settings instead of flags.
 */
export function describeRefusedAssertion(requestId: string, { steps, tokenIssuer }: AssertionVerdict) {
  const failed = steps.find(({ passed }) => !passed);
  return {
    id: requestId,
    ...(failed && { rule: failed.rule }),
    ...(failed?.setting && { setting: failed.setting }),
    ...(tokenIssuer && { tokenIssuer: tokenIssuer.label }),
    steps: steps.map(printAssertionStep),
  };
}

export function printAssertionStep({ rule, passed, words, setting }: Step): string {
  return `${passed ? 'pass' : 'FAIL'} ${rule}: ${words}${setting ? ` {${setting}}` : ''}`;
}

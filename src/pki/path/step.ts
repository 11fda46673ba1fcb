// One line of the report on a certificate. The dry run prints every step; the log of a refused request prints the first
// one that failed, in the same words.
import type { RefusalReason } from '../../core/refusal.ts';

export interface Step {
  /** Name of the rule, as the refusal carries it. */
  readonly rule: string;
  readonly passed: boolean;
  /** Which certificate, or which part of the path. */
  readonly about: string;
  /** What the rule demands and, where it says more, what was found. */
  readonly words: string;
  /** The setting that makes the rule apply, where one does. */
  readonly setting?: string;
  /** What a failure means to the caller. */
  readonly reason: RefusalReason;
}

export function step(rule: string, passed: boolean, about: string, words: string, more: Partial<Step> = {}): Step {
  return { rule, passed, about, words, reason: 'certificate-refused-by-policy', ...more };
}

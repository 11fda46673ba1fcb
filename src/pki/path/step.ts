// One line of the report on a certificate. The dry run prints every step; the log of a refused request has the first
// failed step in the same words.
import type { RefusalReason } from '../../core/refusal.ts';

export interface Step {
  /** Name of the rule, as in the refusal. */
  readonly rule: string;
  readonly passed: boolean;
  /** The certificate, or the part of the path. */
  readonly about: string;
  /** What the rule requires and, if useful, what was found. */
  readonly words: string;
  /** The setting that makes the rule apply, if any. */
  readonly setting?: string;
  /** The refusal that the caller gets if this step fails. */
  readonly reason: RefusalReason;
}

export function step(rule: string, passed: boolean, about: string, words: string, more: Partial<Step> = {}): Step {
  return { rule, passed, about, words, reason: 'certificate-refused-by-policy', ...more };
}

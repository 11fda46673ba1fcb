import type { Step } from '../../core/verdict.ts';

export function step(rule: string, passed: boolean, about: string, words: string, more: Partial<Step> = {}): Step {
  return { rule, passed, about, words, reason: 'certificate-refused-by-policy', ...more };
}

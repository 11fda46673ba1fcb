// The description that goes with a refusal at a token door.
import { type CallerReason, type Refusal, TO_CALLERS } from '../../core/refusal.ts';
import { WAITING } from '../../core/refusals/grants.ts';
import { wordsOfRule } from './certificate-words.ts';

const NAMING_THE_RULE: ReadonlySet<string> = new Set<CallerReason>([
  'certificate-refused-by-policy',
  'certificate-issuer-not-approved',
]);

/** `door`: says some in words of its own. */
export function describe({ reason, retryAfter, rule }: Refusal<CallerReason>, door?: 'authsvc' | 'oauth'): string {
  const declared = TO_CALLERS[reason];
  const words = (door && declared[door]) ?? declared.says;
  const broken = NAMING_THE_RULE.has(reason) ? wordsOfRule(rule) : undefined;
  if (broken) return `${words.slice(0, -1)}: ${broken}.`;
  return reason in WAITING && retryAfter !== undefined ? `${words} Ask again in ${retryAfter} seconds.` : words;
}

// What a refusal means and what to do about it, in the words of docs/errors.md.
import { DECLARED, isReason, isToCallers, TO_CALLERS } from '../refusal.ts';

/** As Markdown. What the refusal says itself, if that says what to do. */
export function remedyText(reason: keyof typeof DECLARED): string {
  const { caller, operator } = DECLARED[reason];
  const said = isToCallers(reason) && operator === undefined ? TO_CALLERS[reason].says : undefined;
  return [caller ?? said, operator && `Operator: ${operator}`].filter(Boolean).join(' ');
}

/** Undefined if there is no such refusal. */
export function meaningOf(reason: string): string | undefined {
  return isReason(reason) ? plain(remedyText(reason)) : undefined;
}

/** The same in two parts: what the caller does, and what the operator does. */
export function remediesOf(reason: string): { readonly caller?: string; readonly operator?: string } {
  const { caller, operator } = isReason(reason) ? DECLARED[reason] : {};
  return { ...(caller && { caller: plain(caller) }), ...(operator && { operator: plain(operator) }) };
}

/** Without links and emphasis. */
function plain(text: string): string {
  return text.replace(/\[([^\]]+)\]\(([^)]+)\)/g, '$1 (docs/$2)').replaceAll(/[`*]/g, '');
}

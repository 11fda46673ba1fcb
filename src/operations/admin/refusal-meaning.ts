// What a refusal means and what to do about it, in the words of docs/errors.md.
import { existsSync, readFileSync } from 'node:fs';

/** Beside src/ in a checkout, beside dist/ in the package. */
const PAGE = new URL('../../../docs/errors.md', import.meta.url);

/** Names of refusals, and what to do. */
const ENTRY = /^- (`[^:]+`): (.*)$/;

let lines: readonly string[] | undefined;

/** Undefined if the refusal is not on the page, or the page is not installed. */
export function meaningOf(refusal: string): string | undefined {
  lines ??= existsSync(PAGE) ? readFileSync(PAGE, 'utf8').split('\n') : [];
  const found = lines.map((line) => ENTRY.exec(line)).find((entry) => entry?.[1]?.includes(`\`${refusal}\``));
  return found?.[2] && plain(found[2]);
}

/** The same in two parts: what the caller does, and what the operator does. */
export function remediesOf(refusal: string): { readonly caller?: string; readonly operator?: string } {
  const [caller, operator] = (meaningOf(refusal) ?? '').split(/ ?\bOperator: /);
  return { ...(caller && { caller }), ...(operator && { operator }) };
}

/** Without links and emphasis. */
function plain(text: string): string {
  return text.replace(/\[([^\]]+)\]\(([^)]+)\)/g, '$1 (docs/$2)').replaceAll(/[`*]/g, '');
}

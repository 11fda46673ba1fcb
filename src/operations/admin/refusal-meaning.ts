// What a refusal means and what to do about it, in the words of docs/errors.md.
import { existsSync, readFileSync } from 'node:fs';

/** Beside src/ in a checkout, beside dist/ in the package. */
const PAGE = new URL('../../../docs/errors.md', import.meta.url);

interface Meaning {
  readonly meaning: string;
  readonly todo: string;
}

let lines: readonly string[] | undefined;

/** Undefined if the refusal is not on the page, or the page is not installed. */
export function meaningOf(refusal: string): Meaning | undefined {
  lines ??= existsSync(PAGE) ? readFileSync(PAGE, 'utf8').split('\n') : [];
  const row = lines.find((line) => line.startsWith(`| \`${refusal}\` |`));
  const cells = row
    ?.split('|')
    .slice(1, -1)
    .map((cell) => plain(cell.trim()));
  const [todo, meaning] = cells?.reverse() ?? [];
  return meaning && todo ? { meaning, todo } : undefined;
}

/** Without links and emphasis. */
function plain(text: string): string {
  return text.replace(/\[([^\]]+)\]\(([^)]+)\)/g, '$1 (docs/$2)').replaceAll(/[`*]/g, '');
}

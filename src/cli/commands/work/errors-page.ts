// The words of docs/errors.md: one source for the page and for `tessera explain`.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Beside src/ in a checkout, beside dist/ in the package. */
const PAGE = join(import.meta.dirname, '../../../../docs/errors.md');

export interface Meaning {
  readonly meaning: string;
  readonly todo: string;
}

/** Undefined if the refusal is not on the page, or the page is not installed. */
export function meaningOf(refusal: string): Meaning | undefined {
  if (!existsSync(PAGE)) return undefined;
  const row = readFileSync(PAGE, 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`| \`${refusal}\` |`));
  const cells = row
    ?.split('|')
    .slice(1, -1)
    .map((cell) => plain(cell.trim()));
  const [todo, meaning] = cells?.reverse() ?? [];
  return meaning && todo ? { meaning, todo } : undefined;
}

/** Without links and emphasis, which a terminal does not show. */
function plain(text: string): string {
  return text.replace(/\[([^\]]+)\]\(([^)]+)\)/g, '$1 (docs/$2)').replaceAll(/[`*]/g, '');
}

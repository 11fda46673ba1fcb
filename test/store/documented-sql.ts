import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

/** SQL of a page for operators, by the words of its first comment, as psql takes it. */
export function documentedSql(beginning: string, name = 'postgresql'): string {
  const page = readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8');
  const block = page.split('```sql\n').find((part) => part.startsWith(`-- ${beginning}`));
  assert.ok(block, beginning);
  return block.split('```')[0] ?? '';
}

// The Markdown pages of the project, what they mention, and the code that it must exist in.
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { commandLinesOf, type Mention, spansOf } from './mentions.ts';
import { ROOT, read, type Source, sourcesIn } from './sources.ts';

export const PAGES: readonly Source[] = [
  ...globSync('*.md', { cwd: ROOT }).map((path) => ({ path, text: read(path) })),
  ...sourcesIn('docs', '.md'),
  ...sourcesIn('sdk', 'README.md'),
];
export const CODE = ['src', 'lab', 'runtime', 'test', 'deploy', 'sdk', 'examples']
  .flatMap((folder) => sourcesIn(folder, ''))
  .filter(({ path }) => !path.endsWith('.md'));
/** Every word of the code, except the tests that use this file: they name what need not exist. */
export const WORDS = new Set(
  CODE.filter(({ path }) => !path.startsWith('test/house/mention')).flatMap(({ text }) => text.match(/[\w-]+/g) ?? []),
);
export const SPANS = PAGES.flatMap(spansOf);
export const COMMAND_LINES = PAGES.flatMap(commandLinesOf);

function shown(mentions: readonly Mention[]): string[] {
  return [...new Set(mentions.map(({ page, text }) => `${page}: ${text}`))];
}

/** Fails with the mentions that do not exist. Fewer mentions than `atLeast` mean that the search is broken. */
export function assertEach(mentions: readonly Mention[], atLeast: number, exists: (text: string) => boolean): void {
  assert.ok(mentions.length >= atLeast, `only ${mentions.length} mentions were found`);
  assert.deepEqual(shown(mentions.filter(({ text }) => !exists(text))), []);
}

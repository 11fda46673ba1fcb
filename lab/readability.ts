// npm run readability [-- FOLDER]: words and sentence lengths of README and docs, to compare two checkouts.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2] ?? '.';
const pages = ['README.md', ...globSync('docs/**/*.md', { cwd: folder })].sort();
const rows = pages.map((path) => ({ path, ...measure(readFileSync(join(folder, path), 'utf8')) }));
const all = {
  path: 'all pages',
  ...measured(
    rows.flatMap(({ lengths }) => lengths),
    rows.reduce((sum, { words }) => sum + words, 0),
  ),
};

console.log('| Page | Words | Sentences | Median length | Longer than 25 words |\n|---|---:|---:|---:|---:|');
for (const { path, words, lengths, median, long } of [...rows, all])
  console.log(`| ${path} | ${words} | ${lengths.length} | ${median} | ${long} % |`);

/** Words of the whole page; sentences of its paragraphs and lists only, because tables and code have none. */
function measure(text: string) {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, '').replace(/^(\||#|!\[|<).*$/gm, '\n');
  const sentences = prose
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )|(?<=[.!?:])\s+(?=[A-Z`*"(])/)
    .map((sentence) => wordsIn(sentence))
    .filter((length) => length > 2);
  return measured(sentences, wordsIn(text));
}

function measured(lengths: number[], words: number) {
  const sorted = lengths.toSorted((a, b) => a - b);
  const long = lengths.filter((length) => length > 25).length;
  return {
    words,
    lengths,
    median: sorted[Math.floor(sorted.length / 2)] ?? 0,
    long: lengths.length === 0 ? 0 : Math.round((100 * long) / lengths.length),
  };
}

function wordsIn(text: string): number {
  return text.match(/[\p{L}\p{N}][\p{L}\p{N}'’.-]*/gu)?.length ?? 0;
}

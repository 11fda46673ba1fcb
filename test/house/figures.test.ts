// Measured figures in pages are made from the data in `figures`: `npm run lab -- pages`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MARKED_PAGES, pictures, withBlocks } from '../../lab/figures/pages.ts';
import { PAGES } from './mentioning-pages.ts';
import { read } from './sources.ts';

test('the marked parts of every page, and the pictures, are what the data make', () => {
  const stale = MARKED_PAGES.filter((path) => withBlocks(read(path)) !== read(path));
  assert.deepEqual(stale, [], 'run: npm run lab -- pages');
  for (const [path, picture] of Object.entries(pictures())) assert.equal(read(path), picture, path);
});

/** Processor time, rates and multiples: what only a measurement can say. */
const MEASURED =
  /\d[\d,.]*(?: to \d[\d,.]*)? ?(?:µs|(?:requests|refreshes|checks|tokens)(?:\/s| a second| per second)|× (?:as|the)|times the (?:refreshes|requests))/g;
const SIZES = /\b(?:takes?|needs?) (?:about |up to )?\d[\d,.]* ?(?:bytes|KB|MB)\b/g;
/** Pages of the past, or made from other sources. */
const OTHERS = /^(?:CHANGELOG|docs\/decisions|docs\/configuration)/;
function statedFigures({ path, text }: { path: string; text: string }): string[] {
  const prose = text
    .replaceAll(/<!-- figures: [\s\S]*?<!-- end of figures -->/g, '')
    .replaceAll(/^```[\s\S]*?^```$/gm, '');
  const found = [...(prose.match(MEASURED) ?? []), ...(prose.match(SIZES) ?? [])];
  return found.map((each) => `${path}: ${each}`);
}

test('no page states a measured figure outside of the marked parts', () => {
  assert.deepEqual(PAGES.filter(({ path }) => !OTHERS.test(path)).flatMap(statedFigures), []);
});

test('a figure that somebody types in is found', () => {
  for (const text of [
    'a refresh takes 147 µs',
    '9 to 46 times the refreshes of others',
    'it needs about 105 MB',
    '8,000 requests/s',
  ])
    assert.equal(statedFigures({ path: 'README.md', text }).length, 1, text);
});

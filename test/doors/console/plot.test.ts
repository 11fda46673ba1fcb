import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochSeconds } from '../../../src/core/time.ts';
import { drawPlot, mostOf, type Plot, plotTable, short } from '../../../src/doors/pages/console/plot.ts';

const FIRST = 1_800_000_000;

function aPlot(difference: Partial<Plot> = {}): Plot {
  return {
    name: 'refusals',
    title: 'Refusals',
    unit: 'per minute',
    span: 'hours',
    times: [0, 60, 120].map((later) => epochSeconds(FIRST + later)),
    columns: { 'grant-revoked': [1, 2, 3], 'rate-limited': [0, 4, 0] },
    trend: [1, 6, 3],
    says: '10 in the last hour',
    ...difference,
  };
}

const lineOf = (trend: Plot['trend']) => / d="([^"]*)"/.exec(drawPlot(aPlot({ trend })).toString())?.[1];

// The area is 400 by 56 units, from the top.
test('a line goes from zero up to the highest value; what is unknown is a gap, and one point alone a dash', () => {
  assert.equal(lineOf([1, 6, 3]), 'M0 46.7h1L200 0L400 28');
  assert.equal(lineOf([1, undefined, 3, 4]), 'M0 42h1M266.7 14h1L400 0');
  assert.equal(lineOf([2]), 'M0 0h1');
});

test('what has nothing to see is not drawn', () => {
  for (const trend of [[undefined, undefined], [0, undefined, 0], []]) {
    assert.equal(mostOf(aPlot({ trend })), 0);
    assert.equal(drawPlot(aPlot({ trend })).toString(), '');
  }
});

test('the picture is hidden from those who hear the page: they have what it says, and every value in a table', () => {
  assert.match(drawPlot(aPlot()).toString(), /^<svg class="plot" viewBox="0 0 400 56" aria-hidden="true"><path /);
  const text = plotTable(aPlot()).toString();
  const rows = [...text.matchAll(/<tr><th scope="row">([^<]*)<\/th>(.*?)<\/tr>/g)];
  const cells = rows.map(([, time, rest = '']) => [
    time,
    ...[...rest.matchAll(/<td>([^<]*)</g)].map(([, cell]) => cell),
  ]);
  assert.deepEqual(cells, [
    ['2027-01-15 08:02', '3', '0'],
    ['2027-01-15 08:01', '2', '4'],
    ['2027-01-15 08:00', '1', '0'],
  ]);
});

test('a table has dates by the hour where it is of days, a dash for what is unknown, and one decimal', () => {
  const text = plotTable(aPlot({ span: 'days', unit: '', columns: { x: [1 / 3, undefined, 0] } })).toString();
  assert.deepEqual([...text.matchAll(/<t[dh][^>]*>([^<]*)</g)].map(([, cell]) => cell).slice(3), [
    ...['2027-01-15 08', '0', '2027-01-15 08', '–', '2027-01-15 08', '0.3'],
  ]);
  assert.match(text, /aria-label="Refusals"><table>\n<caption>Refusals \(UTC\)</);
});

test('large numbers are short', () => {
  assert.deepEqual([0.25, 999, 1500, 2_340_000].map(short), ['0.3', '999', '1.5K', '2.3M']);
});

test('names are text, never markup', () => {
  const hostile = aPlot({ title: '<img src=x>', columns: { '"><script>': [1, 1, 1] } });
  assert.doesNotMatch(`${drawPlot(hostile)}${plotTable(hostile)}`, /<img|<script/);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochSeconds } from '../../../src/core/time.ts';
import { drawPlot, legend, type Plot, plotTable } from '../../../src/doors/pages/console/plot.ts';

const FIRST = 1_800_000_000;

function aPlot(difference: Partial<Plot> = {}): Plot {
  return {
    name: 'refusals',
    title: 'Refusals',
    unit: 'per minute',
    shape: 'bars',
    marks: 'hours',
    times: [0, 60, 120].map((later) => epochSeconds(FIRST + later)),
    series: [
      { name: 'grant-revoked', values: [1, 2, 3] },
      { name: 'rate-limited', values: [0, 4, 0] },
    ],
    says: '10 in the last hour',
    ...difference,
  };
}

const QUARTERS = [0, 900, 1800, 2700].map((later) => epochSeconds(FIRST + later));
const pathsOf = (text: string) =>
  [...text.matchAll(/class="([\w -]+)" d="([^"]*)"/g)].map(([, style, d]) => [style, d]);
const marksOf = (highest: number) => {
  const svg = drawPlot(aPlot({ series: [{ name: 'x', values: [highest] }] })).toString();
  return [...svg.matchAll(/text-anchor="end">([^<]*)</g)].map(([, text]) => text).join(' ');
};

// The area is 352 by 152 units, from 40 at the left and 164 at the bottom.
test('bars are stacked in proportion between the marks of the axis, each in the middle of its time', () => {
  const series = [
    { name: 'a', values: [1, 2, 0, undefined] },
    { name: 'b', values: [1, 0, 1, 1] },
  ];
  const svg = drawPlot(aPlot({ times: QUARTERS, series })).toString();
  assert.deepEqual(pathsOf(svg), [
    ['bar series-0', 'M48.8 164V88h70.4V164zM136.8 164V12h70.4V164z'],
    ['bar series-1', 'M48.8 88V12h70.4V88zM224.8 164V88h70.4V164zM312.8 164V88h70.4V164z'],
  ]);
  const [axis = ''] = /<g class="axis">.*<\/g>/s.exec(svg) ?? [];
  assert.equal(
    axis,
    `<g class="axis">${[
      [164, 168, 0],
      [88, 92, 1],
      [12, 16, 2],
    ]
      .map(([y, text, mark]) => `<path d="M40 ${y}H392"/><text x="34" y="${text}" text-anchor="end">${mark}</text>`)
      .join('')}
<text x="172" y="182" text-anchor="middle">08:15</text><text x="260" y="182" text-anchor="middle">08:30</text><text x="348" y="182" text-anchor="middle">08:45</text></g>`,
  );
});

test('lines join what is known, one point alone is a dash, and a level is filled down to the axis', () => {
  const plot = aPlot({ times: QUARTERS, shape: 'level', series: [{ name: 'x', values: [1, undefined, 3, 4] }] });
  const line = ['line series-0', 'M84 126h2M260 50L348 12'];
  const level = ['level series-0', 'M84 126L84 164L84 164zM260 50L348 12L348 164L260 164z'];
  assert.deepEqual(pathsOf(drawPlot(plot).toString()), [level, line]);
  assert.deepEqual(pathsOf(drawPlot({ ...plot, shape: 'lines' }).toString()), [line]);
  assert.deepEqual(pathsOf(legend(plot).toString()), [['line series-0', 'M0 6h20']]);
  assert.deepEqual(pathsOf(legend({ ...plot, shape: 'bars' }).toString()), [['bar series-0', 'M0 0h20v12h-20z']]);
});

test('the axis has two to five marks at round numbers, and ends at or above the highest value', () => {
  const expected = {
    ...{ 0.2: '0 1', 1: '0 1', 3: '0 1 2 3', 4: '0 1 2 3 4', 5: '0 2 4 6', 8: '0 2 4 6 8', 9: '0 5 10' },
    ...{ 20: '0 5 10 15 20', 21: '0 10 20 30', 40: '0 10 20 30 40', 41: '0 20 40 60', 1500: '0 500 1K 1.5K' },
  };
  for (const [highest, marks] of Object.entries(expected)) assert.equal(marksOf(Number(highest)), marks, highest);
});

test('times are marked at round times: quarters of an hour, of a day, or weeks', () => {
  const marked = (every: number, count: number, marks: Plot['marks'] = 'hours') => {
    const times = Array.from({ length: count }, (_, index) => epochSeconds(FIRST + index * every));
    const svg = drawPlot(aPlot({ times, marks, series: [{ name: 'x', values: times.map(() => 1) }] })).toString();
    return [...svg.matchAll(/text-anchor="middle">([^<]*)</g)].map(([, text]) => text).join(' ');
  };
  assert.equal(marked(300, 25), '08:15 08:30 08:45 09:00 09:15 09:30 09:45 10:00');
  assert.equal(marked(900, 96), '12:00 18:00 00:00 06:00');
  assert.equal(marked(14_400, 180, 'days'), '21 Jan 28 Jan 4 Feb 11 Feb');
});

test('a plot without values can be drawn', () => {
  const values = [undefined, undefined, undefined];
  for (const shape of ['bars', 'lines', 'level'] as const)
    assert.equal(drawPlot(aPlot({ shape, series: [{ name: 'p50', values }] })).toString(), '', shape);
});

test('whoever cannot see the picture has its title, what it says, and every value in a table', () => {
  const plot = aPlot();
  const svg = drawPlot(plot).toString();
  assert.match(svg, /role="img" aria-labelledby="refusals-t refusals-d"/);
  assert.match(svg, /<title id="refusals-t">Refusals, per minute<\/title>/);
  assert.match(svg, /<desc id="refusals-d">10 in the last hour<\/desc>/);
  const rows = [
    ...plotTable(plot)
      .toString()
      .matchAll(/<tr><th scope="row">([^<]*)<\/th>(.*?)<\/tr>/g),
  ];
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

test('a table has dates by the hour where marks are days, a dash for what is unknown, and one decimal', () => {
  const text = plotTable(
    aPlot({ marks: 'days', unit: '', series: [{ name: 'x', values: [1 / 3, undefined, 0] }] }),
  ).toString();
  assert.deepEqual([...text.matchAll(/<t[dh][^>]*>([^<]*)</g)].map(([, cell]) => cell).slice(3), [
    ...['2027-01-15 08', '0', '2027-01-15 08', '–', '2027-01-15 08', '0.3'],
  ]);
  assert.match(text, /aria-label="Refusals"><table>\n<caption>Refusals \(UTC\)</);
});

test('a plot with nothing to see is not drawn; its title and what it says remain', () => {
  const empty = aPlot({ series: [{ name: 'grant-revoked', values: [0, undefined, 0] }] });
  assert.equal(`${drawPlot(empty)}${legend(empty)}`, '');
});

test('a legend names every series, a single one too, unless the title is its name', () => {
  const values = [1, 2, 3];
  assert.match(legend(aPlot({ series: [{ name: 'grant-revoked', values }] })).toString(), /grant-revoked/);
  assert.equal(legend(aPlot({ series: [{ name: 'Refusals', values }] })).toString(), '');
});

test('names are text, never markup', () => {
  const hostile = aPlot({
    title: '<img src=x>',
    series: [{ name: '"><script>', values: [1, 1, 1] }],
    says: '</desc><b>',
  });
  for (const part of [drawPlot(hostile), legend(hostile), plotTable(hostile)])
    assert.doesNotMatch(part.toString(), /<img|<script|<b>/);
});

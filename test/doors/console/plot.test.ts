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

/** The upper edges of the bars of a path, in units of the picture: less is higher. */
function topsOf(svg: string, series: number): number[] {
  const [, path = ''] = new RegExp(`series-${series}" d="([^"]*)"`).exec(svg) ?? [];
  return [...path.matchAll(/V([0-9.]+)h/g)].map(([, top]) => Number(top));
}

test('bars are stacked in proportion, and the axis ends at a round number above the highest', () => {
  const svg = drawPlot(aPlot()).toString();
  const [low, , high] = topsOf(svg, 0);
  const [stacked] = topsOf(svg, 1);
  const marks = [...svg.matchAll(/text-anchor="end">([^<]*)</g)].map(([, text]) => text);
  assert.deepEqual(marks, ['0', '2', '4', '6']);
  const unit = (164 - 12) / 6;
  assert.deepEqual(
    [low, high, stacked],
    [1, 3, 6].map((value) => Math.round((164 - value * unit) * 10) / 10),
  );
});

test('a gap in what is known is a gap in the line, and a plot without values can be drawn', () => {
  const line = aPlot({ shape: 'lines', series: [{ name: 'p50', values: [1, undefined, 3] }] });
  assert.equal(
    drawPlot(line)
      .toString()
      .match(/M[0-9. ]+h2/g)?.length,
    2,
  );
  for (const shape of ['bars', 'lines', 'level'] as const) {
    const svg = drawPlot(
      aPlot({ shape, series: [{ name: 'p50', values: [undefined, undefined, undefined] }] }),
    ).toString();
    assert.doesNotMatch(svg, /NaN|Infinity|undefined/, shape);
  }
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

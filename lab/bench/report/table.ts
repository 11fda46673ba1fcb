import { median } from '../../quantiles.ts';
import { type LaneResult, ratio, type Slice } from '../race.ts';

type Cells = readonly string[];

export function markdown(headings: Cells, rows: readonly Cells[]): string {
  const rule = headings.map((_, column) => (column === 0 ? '---' : '---:'));
  return [headings, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

const HEADINGS = ['', 'CPU µs', 'requests/s', 'ratio', 'p50 ms', 'p99 ms', 'p99/p50', 'MB', 'generator'];

/** Ratios are to the first lane. */
export function suiteTable({ title }: { readonly title: string }, results: readonly LaneResult[]): string {
  const [baseline] = results;
  const rows = results.map((lane) => rowOf(lane, baseline ?? lane));
  return `### ${title}\n\n${markdown(HEADINGS, rows)}\n`;
}

function rowOf(lane: LaneResult, baseline: LaneResult): string[] {
  const of = (figure: (slice: Slice) => number) => median(lane.slices.map(figure));
  return [
    lane.name,
    of(({ cpuPerRequest }) => cpuPerRequest).toFixed(0),
    String(Math.round(of(({ perSecond }) => perSecond))),
    ratio(lane, baseline, ({ perSecond }) => perSecond).toFixed(2),
    of(({ p50 }) => p50).toFixed(2),
    of(({ p99 }) => p99).toFixed(2),
    of(({ p50, p99 }) => p99 / p50).toFixed(1),
    of(({ memory }) => memory).toFixed(0),
    `${(100 * of(({ generatorCpu }) => generatorCpu)).toFixed(0)} %`,
  ];
}

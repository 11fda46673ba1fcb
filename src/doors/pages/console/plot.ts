// Plots as SVG, made on the server. Colours, dashes and fonts are in console.css; the same values as a table are in `plotTable`.
import type { EpochSeconds } from '../../../core/time.ts';
import { type Html, html } from '../parts/html.ts';

export interface Series {
  readonly name: string;
  /** Undefined: nothing is known of that time. */
  readonly values: readonly (number | undefined)[];
}

export interface Plot {
  /** Its place in the address of its own page. */
  readonly name: string;
  readonly title: string;
  /** What the axis counts: `per minute`, `ms`. Empty: what the title names. */
  readonly unit: string;
  /** Bars are stacked. A level is filled down to the axis. */
  readonly shape: 'bars' | 'lines' | 'level';
  readonly times: readonly EpochSeconds[];
  /** Where there is text beside a mark: the time of day, or the date. */
  readonly marks: 'hours' | 'days';
  readonly series: readonly Series[];
  /** What matters of it, in one line. */
  readonly says: string;
}

/** In units of the view box: the text stays legible on a phone, where the picture is about as wide as this. */
const [WIDTH, HEIGHT] = [400, 190];
const AREA = { left: 40, right: 392, top: 12, bottom: 164 };

/** Nothing if there is nothing to see: what it says is beside its title. */
export function drawPlot(plot: Plot): Html {
  const { title, unit, says, times, series, shape } = plot;
  if (isEmpty(plot)) return html``;
  const scale = axisUpTo(Math.max(...totals(plot)));
  const x = (index: number) => AREA.left + (index * (AREA.right - AREA.left)) / Math.max(1, times.length);
  const y = (value: number) => AREA.bottom - (value * (AREA.bottom - AREA.top)) / scale.most;
  const middle = (index: number) => x(index + 0.5);
  const draw = shape === 'bars' ? bars(series, x, y) : lines(series, middle, y, shape === 'level');
  return html`<svg class="plot" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="${plot.name}-t ${plot.name}-d">
<title id="${plot.name}-t">${title}${unit && `, ${unit}`}</title>
<desc id="${plot.name}-d">${says}</desc>
<g class="axis">${scale.marks.map((mark) => html`<path d="M${AREA.left} ${round(y(mark))}H${AREA.right}"/><text x="${AREA.left - 6}" y="${round(y(mark) + 4)}" text-anchor="end">${short(mark)}</text>`)}
${timeMarks(plot).map(([index, text]) => html`<text x="${round(middle(index))}" y="${HEIGHT - 8}" text-anchor="middle">${text}</text>`)}</g>
${draw}
</svg>`;
}

/** One path for all bars of a series: a page has thousands of them. */
function bars(series: readonly Series[], x: (index: number) => number, y: (value: number) => number): Html[] {
  const width = x(1) - x(0);
  const below: number[] = [];
  return series.map(({ values }, nth) => {
    const path = values.flatMap((value = 0, index) => {
      const from = below[index] ?? 0;
      below[index] = from + value;
      if (value <= 0) return [];
      const [left, top, bottom] = [round(x(index) + width * 0.1), round(y(from + value)), round(y(from))];
      return `M${left} ${bottom}V${top}h${round(width * 0.8)}V${bottom}z`;
    });
    return html`<path class="bar series-${nth}" d="${path.join('')}"/>`;
  });
}

function lines(
  series: readonly Series[],
  x: (index: number) => number,
  y: (value: number) => number,
  isFilled: boolean,
): Html[] {
  return series.map(({ values }, nth) => {
    const runs = runsOf(values).map((run) => ({
      path: run.map(([index, value], at) => `${at === 0 ? 'M' : 'L'}${round(x(index))} ${round(y(value))}`).join(''),
      from: round(x(run[0]?.[0] ?? 0)),
      to: round(x(run.at(-1)?.[0] ?? 0)),
    }));
    const filled = runs.map(({ path, from, to }) => `${path}L${to} ${AREA.bottom}L${from} ${AREA.bottom}z`).join('');
    // A run of one point would be invisible.
    const line = runs.map(({ path }) => (path.includes('L') ? path : `${path}h2`)).join('');
    return html`${isFilled && html`<path class="level series-${nth}" d="${filled}"/>`}<path class="line series-${nth}" d="${line}"/>`;
  });
}

/** Stretches without a gap, as index and value. */
function runsOf(values: Series['values']): (readonly [index: number, value: number])[][] {
  const runs: (readonly [number, number])[][] = [[]];
  values.forEach((value, index) => {
    if (value !== undefined) runs.at(-1)?.push([index, value]);
    else if (runs.at(-1)?.length) runs.push([]);
  });
  return runs.filter((run) => run.length > 0);
}

function isEmpty(plot: Plot): boolean {
  return totals(plot).every((value) => value === 0);
}

/** What the axis must reach: of bars the sums, of lines each value. */
function totals({ series, times, shape }: Plot): number[] {
  if (shape !== 'bars') return [0, ...series.flatMap(({ values }) => values.map((value = 0) => value))];
  return times.map((_, index) => series.reduce((total, { values }) => total + (values[index] ?? 0), 0));
}

/** Marks at round numbers: 1, 2 or 5 times a power of ten. */
function axisUpTo(highest: number): { readonly most: number; readonly marks: readonly number[] } {
  const wanted = Math.max(highest, 1) / 4;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = Math.max(1, ([1, 2, 5, 10].find((factor) => factor * power >= wanted) ?? 10) * power);
  const count = Math.max(1, Math.ceil(highest / step));
  return { most: count * step, marks: Array.from({ length: count + 1 }, (_, index) => index * step) };
}

/** About four, at round times. */
function timeMarks({ times, marks }: Plot): (readonly [index: number, text: string])[] {
  const length = (times.at(-1) ?? 0) - (times[0] ?? 0);
  const every = marks === 'days' ? 7 * 86_400 : length > 7200 ? 6 * 3600 : 900;
  return times.flatMap((at, index) => (at % every === 0 && index > 0 ? [[index, timeText(at, marks)] as const] : []));
}

function timeText(at: EpochSeconds, marks: Plot['marks']): string {
  const [, day, month, , time] = new Date(at * 1000).toUTCString().split(' ');
  return marks === 'days' ? `${Number(day)} ${month}` : (time ?? '').slice(0, 5);
}

const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export function short(value: number): string {
  return SHORT.format(value);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Nothing where the title says what is counted. */
export function legend(plot: Plot): Html {
  const { title, series, shape } = plot;
  if (isEmpty(plot) || series.every(({ name }) => name === title)) return html``;
  const kind = shape === 'bars' ? 'bar' : 'line';
  const mark = (nth: number) =>
    html`<svg class="mark" viewBox="0 0 20 12" aria-hidden="true"><path class="${kind} series-${nth}" d="${kind === 'bar' ? 'M0 0h20v12h-20z' : 'M0 6h20'}"/></svg>`;
  return html`<ul class="legend">${series.map(({ name }, nth) => html`<li>${mark(nth)} ${name}</li>`)}</ul>`;
}

/** The same values, newest first. */
export function plotTable({ times, marks, series, title, unit }: Plot): Html {
  const moment = (at: EpochSeconds) => new Date(at * 1000).toISOString().slice(0, marks === 'days' ? 13 : 16);
  const row = (at: EpochSeconds, index: number) =>
    html`<tr><th scope="row">${moment(at).replace('T', ' ')}</th>${series.map(({ values }) => html`<td>${values[index] === undefined ? '–' : round(values[index] ?? 0)}</td>`)}</tr>`;
  return html`<div class="table" tabindex="0" role="region" aria-label="${title}"><table>
<caption>${title}${unit && `, ${unit}`} (UTC)</caption>
<thead><tr><th scope="col">UTC</th>${series.map(({ name }) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${times.map(row).toReversed()}</tbody></table></div>`;
}

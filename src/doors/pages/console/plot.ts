// A figure over time: as a small line, and every value in a table.
import type { EpochSeconds } from '../../../core/time.ts';
import { type Html, html } from '../parts/html.ts';

/** Undefined: nothing is known of that time. */
type Values = readonly (number | undefined)[];

export interface Plot {
  /** Its place in the address of its own page. */
  readonly name: string;
  readonly title: string;
  /** What is counted: `per minute`, `ms`. Empty: what the title names. */
  readonly unit: string;
  readonly times: readonly EpochSeconds[];
  readonly span: 'hours' | 'days';
  readonly columns: Readonly<Record<string, Values>>;
  /** What the line shows. */
  readonly trend: Values;
  /** What matters of it, in one line. */
  readonly says: string;
}

const [WIDTH, HEIGHT] = [400, 56];

export function mostOf({ trend }: Plot): number {
  return Math.max(0, ...trend.map((value = 0) => value));
}

/** From zero up to its highest value, with gaps. A picture of what is said beside it, so it has no words. */
export function drawPlot(plot: Plot): Html {
  const [most, { trend }] = [mostOf(plot), plot];
  if (most === 0) return html``;
  const x = (index: number) => round((index * WIDTH) / Math.max(1, trend.length - 1));
  const path = trend.map((value, index) => {
    if (value === undefined) return '';
    const y = round(HEIGHT - (value * HEIGHT) / most);
    return trend[index - 1] === undefined ? `M${x(index)} ${y}h1` : `L${x(index)} ${y}`;
  });
  return html`<svg class="plot" viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true"><path d="${path.join('')}"/></svg>`;
}

/** Newest first. */
export function plotTable({ times, span, columns, title, unit }: Plot): Html {
  const moment = (at: EpochSeconds) => new Date(at * 1000).toISOString().slice(0, span === 'days' ? 13 : 16);
  const cell = (value: number | undefined) => html`<td>${value === undefined ? '–' : round(value)}</td>`;
  const row = (at: EpochSeconds, index: number) =>
    html`<tr><th scope="row">${moment(at).replace('T', ' ')}</th>${Object.values(columns).map((values) => cell(values[index]))}</tr>`;
  return html`<div class="table" tabindex="0" role="region" aria-label="${title}"><table>
<caption>${title}${unit && `, ${unit}`} (UTC)</caption>
<thead><tr><th scope="col">UTC</th>${Object.keys(columns).map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${times.map(row).toReversed()}</tbody></table></div>`;
}

const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export function short(value: number): string {
  return SHORT.format(value);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

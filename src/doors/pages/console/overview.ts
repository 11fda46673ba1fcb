// The first page of the console: what is going on, and what needs attention.
import { type Counts, quantile, refusalsIn, sum } from '../../../core/figures.ts';
import { endingSecrets } from '../../../core/rules/client.ts';
import { isUnchecked } from '../../../core/rules/weakening.ts';
import { type EpochSeconds, epochSeconds, isoTime } from '../../../core/time.ts';
import { endingIssuers } from '../../../operations/upkeep/ending-issuers.ts';
import { type FiguresOver, figuresOver, SPANS, type Span } from '../../../operations/upkeep/figures.ts';
import type { Answer } from '../parts/answer.ts';
import { type Html, html } from '../parts/html.ts';
import { refusalPage } from '../parts/refusal-page.ts';
import type { PageRoute } from '../parts/route.ts';
import { enConsole } from '../parts/texts/en-console.ts';
import { queryOf } from '../parts/visit.ts';
import { type ConsoleParts, type ConsoleVisit, idOf, show } from './access.ts';
import { eventTable } from './events.ts';
import { card, consolePage, factList, folded, momentOf, pathOf, refusalOf, stateMark, table } from './frame.ts';
import { drawPlot, mostOf, type Plot, plotTable, short } from './plot.ts';
import { type ChangeEvent, changeBehind, changesNewestFirst, type RefusalRow, refusalTable } from './refusal-table.ts';

const words = enConsole.overview;
/** A nightly job that was refused needs attention until it has run again. In seconds. */
const RECENTLY = 86_400;
const MOST_NAMED = 5;
const LAST_REFUSALS = 5;
const LAST_CHANGES = 3;
/** Those that a phone shows at once. */
const FIRST_PLOTS = 2;
/** The share of refused requests that needs attention, whoever sent them. */
const MUCH = 0.1;

export function overviewRoutes(parts: ConsoleParts): PageRoute[] {
  return [
    show(parts, '', 'console-overview', showOverview),
    show(parts, '/figures/:id', 'console-figures', showFigure),
  ];
}

async function showOverview(visit: ConsoleVisit): Promise<Answer> {
  if (visit.owned) return { goTo: '/console/integrations' };
  const { parts, ports } = visit;
  const span = spanOf(visit);
  const [figures, checks, refused, changed] = await Promise.all([
    figuresOver(span, ports, parts.keeper.unwritten),
    parts.readiness.ask(),
    visit.act('refusal-list'),
    changesNewestFirst(visit),
  ]);
  const health = checks.map(({ name, problem, remark }): [string, Html] => [
    name,
    html`${stateMark(problem ? 'failing' : remark ? 'limited' : 'ok')} ${problem?.reason ?? remark}`,
  ]);
  const rows = refused.ok ? refused.value.value.items : [];
  const shown = queryOf(visit, 'refusals') === 'all' ? rows : rows.slice(0, LAST_REFUSALS);
  const changes = changed.slice(0, LAST_CHANGES);
  const plots = plotsOf(figures, span).map((plot) => plotCard(plot, span));
  const beside = html`<nav class="ways" aria-label="${words.spans}">${Object.entries(enConsole.spans).map(([name, text]) => html`<a class="button quiet" href="/console?span=${name}"${name === span && html` aria-current="true"`}>${text}</a>`)}</nav>`;
  const body = html`<div id="live" data-live class="console-body">
${await attention(visit, figures, checks.filter(({ problem }) => problem).length, rows, changed)}
<section class="card" id="refused"><h2>${words.refusedLately}</h2>${await refusalTable(visit, shown, changed)}
${figures.nodes.length > 1 && html`<p class="small">${enConsole.refusals.otherNodes}</p>`}
${shown.length < rows.length && html`<a href="/console?refusals=all">${words.allRefusals(rows.length)}</a>`}</section>
${card(enConsole.object.changes, changes.length === 0 ? html`<p>${enConsole.object.none}</p>` : html`${await eventTable(visit, changes)}<a href="/console/events?type=administered">${words.allChanges}</a>`)}
<div class="plots">${plots.slice(0, FIRST_PLOTS)}</div>
${folded('more', words.more, html`<div class="console-body"><div class="plots">${plots.slice(FIRST_PLOTS)}${card(words.health, factList(health))}</div>${card(words.nodes, nodeTable(figures))}</div>`)}
</div>`;
  return consolePage(visit, '', enConsole.menu[''], body, { beside, isLive: true });
}

function spanOf(visit: ConsoleVisit): Span {
  const asked = queryOf(visit, 'span') ?? '';
  return Object.hasOwn(SPANS, asked) ? (asked as Span) : 'hour';
}

/** What an operator should look at first. */
async function attention(
  visit: ConsoleVisit,
  { points }: FiguresOver,
  failing: number,
  refusals: readonly RefusalRow[],
  changes: readonly ChangeEvent[],
): Promise<Html> {
  const total = sum(points.map(({ counts }) => counts));
  const { fault = 0, [REUSED]: reused = 0 } = total;
  const recent = refusals.filter(({ clientId, last }) => clientId !== '' && momentOf(last) > visit.now - RECENTLY);
  const refused = [...Map.groupBy(recent, ({ clientId }) => clientId)].slice(0, MOST_NAMED);
  const { share } = requestsIn(total);
  const listed = await visit.act('issuer-list');
  const issuers = listed.ok ? listed.value.value.items : [];
  const { registry } = visit.parts.callerPorts;
  const expiring = endingIssuers(registry.issuers, visit.now);
  const link = (path: string, text: string) => html`<li><a href="${path}">${text}</a></li>`;
  const items = [
    ...(failing > 0 ? [html`<li>${words.failing(failing)}</li>`] : []),
    ...(fault > 0 ? [html`<li>${words.faults(fault)}</li>`] : []),
    ...(reused > 0 ? [link('/console/events?type=reused', words.reused(reused))] : []),
    ...refused.map(([clientId, rows]) => link(pathOf('integrations', clientId), refusedText(visit, rows, changes))),
    ...(share >= MUCH ? [html`<li>${words.muchRefused(percent(share))}</li>`] : []),
    ...expiring.map(({ label, validity }) =>
      link(pathOf('issuers', label), words.expiring(label, isoTime(validity.to).slice(0, 10))),
    ),
    ...issuers
      .filter(({ revocation }) => isUnchecked(revocation))
      .map(({ label = '' }) => link(pathOf('issuers', label), words.unchecked(label))),
    ...endingSecrets(registry.integrations, visit.now).map(({ clientId }) =>
      link(pathOf('integrations', clientId), words.ending(clientId)),
    ),
  ];
  return items.length > 0
    ? html`<div class="alert" role="alert"><p><strong>${words.attention}</strong></p><ul>${items}</ul></div>`
    : html`<p class="notice">${words.calm}</p>`;
}

/** Of one integration, newest first. */
function refusedText(visit: ConsoleVisit, rows: readonly RefusalRow[], changes: readonly ChangeEvent[]): string {
  const [{ clientId, last } = { clientId: '', last: '' }] = rows;
  const reasons = [...new Set(rows.map(({ reason }) => reason))].join(', ');
  const isOver = rows.every((row) => changeBehind(row, changes).isOver);
  return words.refused(clientId, reasons, visit.language.distance(visit.now, momentOf(last)), isOver);
}

function requestsIn(total: Counts) {
  const all = ['accepted', 'refused', 'fault', 'aborted'].reduce((sum, name) => sum + (total[name] ?? 0), 0);
  return { all, share: all === 0 ? 0 : (total['refused'] ?? 0) / all };
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}

function plotCard(plot: Plot, span: Span): Html {
  return html`<figure class="card plot-card">
<figcaption><h2>${plot.title}${plot.unit && html` <span class="small">${plot.unit}</span>`}</h2><span class="small says">${plot.says}</span></figcaption>
${drawPlot(plot)}
${mostOf(plot) > 0 && html`<span class="small">${words.atMost(short(mostOf(plot)), plot.unit)}</span>`}
<a class="small" href="/console/figures/${plot.name}?span=${span}">${words.asTable}<span class="unseen">: ${plot.title}</span></a>
</figure>`;
}

async function showFigure(visit: ConsoleVisit): Promise<Answer> {
  const span = spanOf(visit);
  if (visit.owned) return refusalOf(visit, '', { reason: 'permission-missing', about: 'read' });
  const figures = await figuresOver(span, visit.ports, visit.parts.keeper.unwritten);
  const plot = plotsOf(figures, span).find(({ name }) => name === idOf(visit));
  if (!plot) return refusalPage(visit, { reason: 'not-found' });
  return consolePage(visit, '', plot.title, html`${plotCard(plot, span)}${plotTable(plot)}`);
}

function plotsOf({ points }: FiguresOver, span: Span): Plot[] {
  const minutes = SPANS[span].every / 60;
  const times = points.map(({ at }) => at);
  const rates = (name: string) => points.map(({ counts }) => (counts[name] ?? 0) / minutes);
  const total = sum(points.map(({ counts }) => counts));
  const reasons = refusalsIn(total).map(([reason]) => reason);
  const living = points.at(-1)?.living;
  const endingByDay = living?.endingByDay ?? [];
  const ending = endingByDay.reduce((sum, day) => sum + day, 0);
  const { all, share: refusedShare } = requestsIn(total);
  const { refused = 0, refreshes = 0, issued = 0, [REUSED]: reused = 0 } = total;
  const ms = (counts: Counts, share: number) => (quantile(counts, share) ?? Number.NaN) * 1000;
  const timesAt = (share: number) => points.map(({ counts }) => ms(counts, share) || undefined);
  const plot = (
    name: keyof typeof words.plots,
    unit: string,
    columns: Plot['columns'],
    says: string | false,
    line = Object.values(columns)[0] ?? [],
  ): Plot => ({
    // The last minutes are not complete: a rate would seem to fall.
    trend: unit === words.perMinute ? line.slice(0, -1) : line,
    ...{ name, unit, times, columns, span: span === 'month' ? 'days' : 'hours' },
    title: words.plots[name],
    says: says || words.none,
  });
  const byOutcome = Object.fromEntries(Object.entries(words.series).map(([name, text]) => [text, rates(name)]));
  const byReason = Object.fromEntries(reasons.map((reason) => [reason, rates(`refused ${reason}`)]));
  const requests = points.map(({ counts }) => requestsIn(counts).all / minutes);
  const made = { refreshes: rates('refreshes'), 'new grants': rates('issued') };
  const quantiles = { p50: timesAt(0.5), p99: timesAt(0.99) };
  const says = {
    requests: all > 0 && `${short(all)} in all, ${percent(refusedShare)} refused`,
    refusals: refused > 0 && `${short(refused)} in all, most often ${reasons[0]}`,
    refreshes: refreshes + issued > 0 && `${short(refreshes)} and ${short(issued)} in all`,
    times: total['timed'] !== undefined && `p50 ${ms(total, 0.5).toFixed(1)} ms, p99 ${ms(total, 0.99).toFixed(1)} ms`,
    living: living ? new Intl.NumberFormat('en').format(living.all) : words.notCounted,
    ending: living ? `${ending === 0 ? words.none : short(ending)} in 30 days` : words.notCounted,
  };
  const [levels, alarms] = [points.map((point) => point.living?.all), points.map(({ counts }) => counts[REUSED] ?? 0)];
  const ends = plot('ending', words.perDay, { [words.plots.ending]: endingByDay }, says.ending);
  return [
    plot('requests', words.perMinute, byOutcome, says.requests, requests),
    plot('refusals', words.perMinute, byReason, says.refusals, rates('refused')),
    plot('refreshes', words.perMinute, made, says.refreshes),
    plot('times', 'ms', quantiles, says.times, quantiles.p99),
    plot('living', '', { [words.plots.living]: levels }, says.living),
    { ...ends, span: 'days', times: days(points.at(-1)?.at ?? epochSeconds(0), endingByDay.length) },
    plot('reuse', '', { [words.plots.reuse]: alarms }, reused > 0 && short(reused)),
  ];
}

const REUSED = 'refused refresh-token-reused';

function days(now: EpochSeconds, count: number): EpochSeconds[] {
  return Array.from({ length: count }, (_, day) => epochSeconds(now - (now % 86_400) + day * 86_400));
}

function nodeTable({ nodes }: FiguresOver): Html {
  return table(
    words.nodes,
    [
      [words.node, ({ node }) => html`<span class="id">${node}</span>`],
      [words.version, ({ version }) => version],
      [words.lag, ({ lag }) => `${Math.round(lag)} s`],
    ],
    nodes,
  );
}

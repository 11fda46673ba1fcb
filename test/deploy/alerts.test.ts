// The rules query what /metrics shows, and docs/alerting.md explains each alert.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { ROOT, read } from '../house/sources.ts';
import {
  exportedText,
  groupedBy,
  matchedReasons,
  unknownMetrics,
  unknownRecordings,
  unmadeSeries,
} from './exported.ts';
import { alerts, queries, RULE_FILES } from './rules.ts';

test('the rules use metrics, labels and refusals that exist', async () => {
  assert.ok(alerts.length > 20);
  const text = await exportedText();
  assert.deepEqual(unmadeSeries(queries, text), []);
  for (const label of groupedBy(queries)) assert.match(text, new RegExp(`[{,]${label}="`), label);
  const { matched, unknown } = matchedReasons(queries);
  assert.ok(matched.length > 5);
  assert.deepEqual(unknown, []);
});

test('the bound of the latency objective is a bucket', async () => {
  const bounds = queries.flatMap((query) => [...query.matchAll(/le="([^"]+)"/g)].map(([, bound = '']) => bound));
  assert.ok(bounds.length > 0);
  const text = await exportedText();
  for (const bound of bounds) assert.ok(text.includes(`le="${bound}"`), bound);
});

/** The part of docs/alerting.md about each alert of a severity, in the order of the page. */
function sectionsOf(severity: string): { alert: string; text: string }[] {
  const title = `${severity.charAt(0).toUpperCase()}${severity.slice(1)}`;
  const part = read('docs/alerting.md').split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
  return part
    .split('\n### ')
    .slice(1)
    .map((section) => ({ alert: section.split('\n')[0] ?? '', text: section.split('\n').slice(1).join('\n').trim() }));
}

test('docs/alerting.md says of every alert, under its severity and in order, what to do', () => {
  for (const severity of ['page', 'ticket']) {
    const expected = alerts.filter(({ labels }) => labels.severity === severity).map(({ alert }) => alert);
    const sections = sectionsOf(severity);
    assert.deepEqual(
      sections.map(({ alert }) => alert),
      expected,
    );
    for (const { alert, text } of sections) assert.ok(text.length > 80, alert);
  }
});

test('every alert says in a sentence what it means', () => {
  for (const { alert, annotations } of alerts) assert.match(annotations.summary, /^[A-Z].{20,}\.$/, alert);
});

const PLACEHOLDER = 'https://repository.example.com';

test('every alert links to its part of the page: an absolute address', () => {
  for (const { alert, annotations } of alerts)
    assert.equal(annotations.runbook_url, `${PLACEHOLDER}/docs/alerting.md#${alert.toLowerCase()}`);
});

test('the command on docs/alerting.md puts the address of the repository in every link', () => {
  const commands = [...read('docs/alerting.md').matchAll(/^sed -i '(.*)' (.*)$/gm)];
  const made = commands.map(([, expression = '', files = '']) => {
    assert.deepEqual(files.split(' '), RULE_FILES);
    const texts = RULE_FILES.map((file) => execFileSync('sed', [expression, file], { cwd: ROOT, encoding: 'utf8' }));
    assert.doesNotMatch(texts.join(), new RegExp(PLACEHOLDER));
    return [...texts.join().matchAll(/^ +runbook_url: (.*)$/gm)].map(([, link = '']) => link);
  });
  assert.deepEqual(made, [
    alerts.map(({ alert }) => `https://YOUR-REPOSITORY/docs/alerting.md#${alert.toLowerCase()}`),
  ]);
});

test('the queries on docs/alerting.md use metrics and refusals that exist', async () => {
  const spans = [...read('docs/alerting.md').matchAll(/`([^`]+)`/g)].map(([, span = '']) => span);
  assert.deepEqual(unknownMetrics(spans, await exportedText()), []);
  assert.deepEqual(unknownRecordings(spans), []);
  assert.deepEqual(matchedReasons(spans.filter((span) => span.includes('tessera_requests_total'))).unknown, []);
});

// The rules query what /metrics shows; docs/alerting.md lists each alert, and docs/runbooks explains it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { ROOT, read, sourcesIn } from '../house/sources.ts';
import { exportedText, groupedBy, matchedReasons, unknownMetrics, unknownRecordings } from './exported.ts';
import { alerts, queries, RULE_FILES } from './rules.ts';

test('the rules use metrics, labels and refusals that exist', async () => {
  assert.ok(alerts.length > 20);
  const text = await exportedText();
  assert.deepEqual(unknownMetrics(queries, text), []);
  assert.deepEqual(unknownRecordings(queries), []);
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

test('docs/alerting.md lists every alert under its severity, in order', () => {
  const [, page, ticket] = read('docs/alerting.md').split(/\*\*(?:page|ticket)\*\*/);
  for (const [severity, text = ''] of Object.entries({ page, ticket })) {
    const listed = [...text.matchAll(/\[`(\w+)`\]\(runbooks\/\1\.md\)/g)].map(([, alert]) => alert);
    const expected = alerts.filter(({ labels }) => labels.severity === severity).map(({ alert }) => alert);
    assert.deepEqual(listed, expected);
  }
});

const PLACEHOLDER = 'https://repository.example.com';

test('every alert links to its runbook: an absolute address, of a page of the repository', () => {
  for (const { alert, annotations } of alerts)
    assert.equal(annotations.runbook_url, `${PLACEHOLDER}/docs/runbooks/${alert}.md`);
});

test('the commands on docs/alerting.md put the address of the repository, or of the static site, in every link', () => {
  const commands = [...read('docs/alerting.md').matchAll(/^sed -i '(.*)' (.*)$/gm)];
  const made = commands.map(([, expression = '', files = '']) => {
    assert.deepEqual(files.split(' '), RULE_FILES);
    const texts = RULE_FILES.map((file) => execFileSync('sed', [expression, file], { cwd: ROOT, encoding: 'utf8' }));
    assert.doesNotMatch(texts.join(), new RegExp(PLACEHOLDER));
    return [...texts.join().matchAll(/^ +runbook_url: (.*)$/gm)].map(([, link = '']) => link);
  });
  assert.deepEqual(made, [
    alerts.map(({ alert }) => `https://YOUR-REPOSITORY/docs/runbooks/${alert}.md`),
    alerts.map(({ alert }) => `https://YOUR-SERVER/docs/runbooks/${alert}.html`),
  ]);
});

test('every alert has a runbook that says where to look and what to do, and every runbook an alert', () => {
  const pages = sourcesIn('docs/runbooks', '.md');
  assert.deepEqual(
    pages.map(({ path }) => path).toSorted(),
    alerts.map(({ alert }) => `docs/runbooks/${alert}.md`).toSorted(),
  );
  for (const { path, text } of pages) {
    const parts = text.split(/^## /m);
    assert.deepEqual(
      parts.slice(1).map((part) => part.split('\n')[0]),
      ['Look', 'Do'],
      path,
    );
    for (const part of parts) assert.ok(part.length > 30, `${path}: ${part}`);
    const { alert = '', annotations, labels } = alerts.find((each) => path === `docs/runbooks/${each.alert}.md`) ?? {};
    assert.ok(text.startsWith(`# ${alert}\n\n${annotations?.summary} Severity: ${labels?.severity}.`), path);
  }
});

test('the queries in runbooks and on docs/alerting.md use metrics and refusals that exist', async () => {
  const pages = [...sourcesIn('docs/runbooks', '.md').map(({ text }) => text), read('docs/alerting.md')];
  const spans = pages.flatMap((text) => [...text.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span));
  assert.deepEqual(unknownMetrics(spans, await exportedText()), []);
  assert.deepEqual(unknownRecordings(spans), []);
  assert.deepEqual(matchedReasons(spans.filter((span) => span.includes('tessera_requests_total'))).unknown, []);
});

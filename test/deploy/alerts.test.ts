// The alert rules query what /metrics shows, and docs/alerting.md explains each.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { read, tableOf } from '../house/sources.ts';
import { exportedText, groupedBy, matchedReasons, unknownMetrics } from './exported.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
}

const { groups } = parse(read('deploy/prometheus/alerts.yml')) as { groups: readonly { rules: readonly Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const queries = rules.map(({ expr }) => expr);

test('the alert rules use metrics, labels and refusals that exist', async () => {
  assert.ok(rules.length > 10);
  const text = await exportedText();
  assert.deepEqual(unknownMetrics(queries, text), []);
  for (const label of groupedBy(queries)) assert.match(text, new RegExp(`[{,]${label}="`), label);
  const { matched, unknown } = matchedReasons(queries);
  assert.ok(matched.length > 5);
  assert.deepEqual(unknown, []);
});

test('docs/alerting.md explains every alert in order, with its severity', () => {
  const listed = tableOf(read('docs/alerting.md'), ['Alert', 'Severity']).map((row) => row.slice(0, 2));
  assert.deepEqual(
    listed,
    rules.map(({ alert, labels }) => [`\`${alert}\``, labels.severity]),
  );
});

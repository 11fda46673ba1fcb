// The dashboard uses exactly the metrics of /metrics.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dashboardQueries as queries } from './dashboard.ts';
import { exportedText, groupedBy, matchedReasons, unmadeSeries } from './exported.ts';

test('every metric on the dashboard is exported', async () => {
  assert.ok(queries.length >= 6);
  assert.deepEqual(unmadeSeries(queries, await exportedText()), []);
});

test('every exported metric of ours is on the dashboard', async () => {
  const families = [...(await exportedText()).matchAll(/^# TYPE (tessera_[a-z_]+)/gm)].map(
    ([, name]) => name as string,
  );
  assert.ok(families.length >= 4);
  const missing = families.filter((name) => !queries.some((query) => query.includes(name)));
  assert.deepEqual(missing, []);
});

test('the dashboard uses existing labels and refusal reasons only', async () => {
  const text = await exportedText();
  const labels = groupedBy(queries);
  assert.ok(labels.has('operation') && labels.has('reason'), [...labels].join(', '));
  for (const label of labels) assert.match(text, new RegExp(`[{,]${label}="`), label);
  const { matched, unknown } = matchedReasons(queries);
  assert.ok(matched.length > 0, 'no query is about a refusal');
  assert.deepEqual(unknown, []);
});

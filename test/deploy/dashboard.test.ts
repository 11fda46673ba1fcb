// The dashboard uses exactly the metrics of /metrics.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { PERSON_REASONS, REFUSAL_REASONS } from '../../src/core/refusal.ts';
import { Metrics } from '../../src/doors/ops/metrics.ts';
import { TRANSPORT_REASONS } from '../../src/doors/server/transport-refusal.ts';

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

const file = new URL('../../deploy/grafana/tessera.json', import.meta.url);
const { panels } = JSON.parse(readFileSync(file, 'utf8')) as Dashboard;
const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
const FAMILIES = /\b(?:tessera|process|nodejs)_[a-z0-9_]+/g;

async function shown(): Promise<string> {
  const metrics = new Metrics();
  metrics.observe({ operation: 'token', outcome: 'refused', reason: 'store-unavailable' }, 12);
  metrics.ignoredHeader();
  return metrics.text();
}

test('every metric on the dashboard is exported', async () => {
  const text = await shown();
  const names = new Set([...text.matchAll(/^([a-z0-9_]+)[{ ]/gm)].map(([, name]) => name));
  const asked = new Set(queries.flatMap((query) => query.match(FAMILIES) ?? []));
  assert.ok(asked.size >= 6);
  assert.deepEqual(
    [...asked].filter((name) => !names.has(name)),
    [],
  );
});

test('every exported metric of ours is on the dashboard', async () => {
  const families = [...(await shown()).matchAll(/^# TYPE (tessera_[a-z_]+)/gm)].map(([, name]) => name as string);
  assert.ok(families.length >= 4);
  const missing = families.filter((name) => !queries.some((query) => query.includes(name)));
  assert.deepEqual(missing, []);
});

test('the dashboard uses existing labels and refusal reasons only', async () => {
  const text = await shown();
  const grouped = queries.flatMap((query) =>
    [...query.matchAll(/by \(([a-z, ]+)\)/g)].flatMap(([, by = '']) => by.split(', ')),
  );
  const labels = new Set(grouped.filter((label) => label !== 'instance')); // Prometheus itself adds the instance
  assert.ok(labels.has('operation') && labels.has('reason'), [...labels].join(', '));
  for (const label of labels) assert.match(text, new RegExp(`[{,]${label}="`), label);
  const matched = queries.flatMap((query) => [...query.matchAll(/reason=~"([^"]+)"/g)]);
  const reasons = matched.flatMap(([, either = '']) => either.split('|'));
  assert.ok(reasons.length > 0, 'no query is about a refusal');
  const known: readonly string[] = [...REFUSAL_REASONS, ...PERSON_REASONS, ...TRANSPORT_REASONS];
  for (const reason of reasons) assert.ok(known.includes(reason), reason);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Metrics } from '../../src/doors/ops/metrics.ts';

async function linesAbout(metric: string, metrics: Metrics): Promise<string[]> {
  const lines = (await metrics.text()).split('\n');
  return lines.filter((line) => line.includes(metric));
}

function someRequests(): Metrics {
  const metrics = new Metrics();
  metrics.observe({ operation: 'refresh', outcome: 'accepted' }, 0.5);
  metrics.observe({ operation: 'refresh', outcome: 'accepted' }, 0.75);
  metrics.observe({ operation: 'refresh', outcome: 'refused', reason: 'grant-revoked' }, 4000);
  metrics.observe({ operation: 'verify', outcome: 'aborted' }, 2);
  return metrics;
}

test('requests are counted by operation, outcome and reason', async () => {
  assert.deepEqual(await linesAbout('tessera_requests_total', someRequests()), [
    '# HELP tessera_requests_total Requests by operation, outcome and reason of refusal.',
    '# TYPE tessera_requests_total counter',
    'tessera_requests_total{operation="refresh",outcome="accepted",reason="none"} 2',
    'tessera_requests_total{operation="refresh",outcome="refused",reason="grant-revoked"} 1',
    'tessera_requests_total{operation="verify",outcome="aborted",reason="none"} 1',
  ]);
});

test('each duration bucket counts all requests up to its bound; +Inf, sum and count cover all', async () => {
  const lines = await linesAbout('tessera_request_duration_seconds', someRequests());
  assert.deepEqual(lines.slice(0, 2), [
    '# HELP tessera_request_duration_seconds Time from the first byte of a request to its answer, by operation.',
    '# TYPE tessera_request_duration_seconds histogram',
  ]);
  const of = (what: string) =>
    lines
      .find((line) => line.includes(what))
      ?.split(' ')
      .at(-1);
  assert.deepEqual(['le="0.0005"', 'le="0.001"', 'le="2.5"', 'le="+Inf"', '_sum{', '_count{'].map(of), [
    '1',
    '2',
    '2',
    '3',
    '4.00125',
    '3',
  ]);
  assert.equal(lines.filter((line) => line.includes('operation="verify"')).length, 15);
});

test('revocation lists that were dropped are counted', async () => {
  const metrics = new Metrics({ droppedLists: () => 7 });
  assert.equal(
    (await linesAbout('tessera_revocation_lists_dropped_total', metrics)).at(-1),
    'tessera_revocation_lists_dropped_total 7',
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { examineTracing } from '../../src/cli/doctor/examine.ts';
import { loadConfig } from '../../src/config/load.ts';
import { ConfigFault } from '../../src/config/mistake.ts';
import { startCollector } from '../e2e/collector.ts';

function configWith(endpoint: string) {
  return loadConfig({ env: { TESSERA_TRACING_ENDPOINT: endpoint } });
}

test('doctor says nothing about tracing if it is off', async () => {
  assert.deepEqual(await examineTracing(loadConfig({ env: {} })), []);
});

test('doctor reports whether the collector accepts traces', async () => {
  const collector = await startCollector();
  const config = configWith(collector.endpoint);
  const verdict = async () => (await examineTracing(config)).map(({ verdict, says }) => `${verdict}: ${says}`).join();
  assert.equal(await verdict(), `good: ${collector.endpoint} accepts traces`);
  collector.behaviour = 404;
  assert.equal(await verdict(), `poor: ${collector.endpoint} replies with status 404`);
  collector.close();
  assert.match(await verdict(), /^poor: .* cannot be reached: .*ECONNREFUSED/);
});

test('an endpoint with a password, a query or another scheme is refused', () => {
  for (const endpoint of ['http://user:pass@localhost/v1/traces', 'http://localhost/?key=x', 'grpc://localhost:4317'])
    assert.throws(() => configWith(endpoint), ConfigFault, endpoint);
});

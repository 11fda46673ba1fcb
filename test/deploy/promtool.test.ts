// Prometheus itself runs the rules: each alert fires when it should, and only then.
// Needs: prometheus
// Only in test:all: documents as printed
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { ROOT } from '../house/sources.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { ALERT_CASES, type AlertCase, NOTHING_SCRAPED } from './alert-cases.ts';
import { alerts, groupNames, RULE_FILES } from './rules.ts';

const FILES = RULE_FILES.map((file) => join(ROOT, file));

function promtool(...args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync('promtool', args, { encoding: 'utf8' });
  if (error) throw error;
  assert.equal(status, 0, `${stdout}${stderr}`);
  return stdout;
}

/**
 * A test file for `promtool test rules`. JSON is YAML. Without `group_eval_order`, promtool evaluates the groups in random
 * order: alerts before the recordings they read see those of the step before, which are stale after five minutes.
 */
function testFile({ alert, labels = {}, at, step = '1m', fires, quiet }: AlertCase): string {
  const rule = alerts.find((each) => each.alert === alert);
  assert.ok(rule, `there is no alert ${alert}`);
  const fired = { exp_labels: { ...labels, ...rule.labels }, exp_annotations: rule.annotations };
  const run = (series: AlertCase['fires'], expected: readonly object[]) => ({
    interval: step,
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: [{ eval_time: at, alertname: alert, exp_alerts: expected }],
  });
  return JSON.stringify({
    rule_files: FILES.filter((file) => readFileSync(file, 'utf8').includes(`alert: ${alert}\n`)),
    evaluation_interval: step,
    group_eval_order: groupNames,
    tests: [run(fires, [fired]), run(quiet, [])],
  });
}

suite('promtool', () => {
  test('accepts the rule files', () => {
    assert.match(promtool('check', 'rules', ...FILES), /SUCCESS: \d+ rules found/);
  });

  test('accepts the configuration that collects what the rules use', () => {
    assert.match(promtool('check', 'config', join(ROOT, 'deploy/prometheus/prometheus.yml')), /2 rule files found/);
  });

  test('every alert has a case', () => {
    assert.deepEqual(
      ALERT_CASES.map(({ alert }) => alert),
      alerts.map(({ alert }) => alert),
    );
  });

  for (const alertCase of [...ALERT_CASES, ...NOTHING_SCRAPED])
    test(`${alertCase.name ?? alertCase.alert} fires when it should, and only then`, () => {
      const folder = temporaryFolder('promtool');
      const file = join(folder, 'test.yml');
      writeFileSync(file, testFile(alertCase));
      try {
        promtool('test', 'rules', file);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
});

// What the alerts and the dashboard query is there: a real service shows it, and the shipped configuration collects it.
// Needs: prometheus
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { parse } from 'yaml';
import { askPlainly } from '../e2e/caller.ts';
import { startService, type TestService } from '../e2e/service.ts';
import { eventually } from '../eventually.ts';
import { freePort } from '../free-port.ts';
import { ROOT, read } from '../house/sources.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { dashboardQueries } from './dashboard.ts';
import { unmadeSeries } from './exported.ts';
import { alerts, queries, RULE_FILES } from './rules.ts';

interface Scraping {
  readonly job_name: string;
  readonly scrape_interval: string;
  readonly static_configs: readonly { readonly targets: readonly string[] }[];
}

suite('a service as it runs', () => {
  let service: TestService;
  let ops: number;

  before(async () => {
    service = await startService({ listeners: [{ tls: true }, { doors: ['ops'] }] });
    ops = service.portsOfListeners[1] ?? 0;
  });
  after(() => service.stop());

  test('shows every metric of the alerts and the dashboard', async () => {
    await askPlainly(ops, { path: '/readyz' });
    const { text } = await askPlainly(ops, { path: '/metrics' });
    assert.deepEqual(unmadeSeries([...queries, ...dashboardQueries], text), []);
    assert.match(text, /^tessera_ready 1$/m);
  });

  test('is collected by the shipped configuration as the job that the alerts name, and no alert fires', async (t) => {
    const folder = temporaryFolder('prometheus');
    const { scrape_configs, ...rest } = parse(read('deploy/prometheus/prometheus.yml')) as {
      readonly scrape_configs: readonly Scraping[];
    };
    const here = scrape_configs.map((job) => ({
      ...job,
      scrape_interval: '1s',
      static_configs: [{ targets: [`127.0.0.1:${ops}`] }],
    }));
    for (const file of RULE_FILES) writeFileSync(join(folder, file.split('/').at(-1) ?? ''), read(file));
    writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify({ ...rest, scrape_configs: here }));
    const port = await freePort();
    const prometheus = startPrometheus(folder, port);
    t.after(async () => {
      prometheus.kill('SIGKILL');
      await once(prometheus, 'exit');
      rmSync(folder, { recursive: true });
    });
    const result = async (query: string) => {
      const { json } = await askPlainly(port, { path: `/api/v1/query?query=${encodeURIComponent(query)}` });
      return (json['data'] as { result: { value: [number, string] }[] }).result.map(({ value }) => value[1]);
    };
    await eventually('it is scraped', async () => {
      const found = await result('up{job="tessera"} and on (instance) tessera_ready').catch(() => []);
      return found.length > 0;
    });
    assert.deepEqual(await result('up{job="tessera"}'), ['1']);
    // At once, without the time that an alert waits.
    for (const { alert, expr } of alerts) assert.deepEqual(await result(expr), [], alert);
  });
});

function startPrometheus(folder: string, port: number): ChildProcess {
  const flags = [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  return spawn('prometheus', flags, { cwd: ROOT, stdio: 'ignore' });
}
